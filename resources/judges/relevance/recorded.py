"""The judge `recorded`: scores that were given earlier, in a file of query_id, doc_id, judge, prompt_version, score."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.column_names import own_name
from resources.judges.contract import JudgeIdentity
from resources.judges.relevance.documents import AskedDocument, Judged
from resources.judges.relevance.prompts import RUBRIC_VERSION
from resources.judges.relevance.rows import scored_rows

COLUMNS: Final = ("query_id", "doc_id", "judge", "prompt_version")
SCORE: Final = "score"
NO_SCORE: Final = "recorded without a score"
CODE_VERSION: Final = "1"


class RecordedJudge:
    """Gives back one judge's recorded answers under one prompt version.

    Its identity follows from these answers alone: others that are added to the file change nothing.
    """

    def __init__(self, name: str, path: Path, prompt_version: str) -> None:
        """Read the file.

        Raises:
            FileFault: It cannot be read, or has nothing of this judge and version.
            FileFaults: Several rows are wrong.
        """
        self._name, self._version = name, prompt_version
        rows = scored_rows(path, COLUMNS, SCORE, score_may_be_missing=True, ids=COLUMNS[:2])
        judges = dict.fromkeys(row.texts[2] for row in rows)
        theirs = own_name(name, judges)
        if theirs is None:
            meant = did_you_mean(name, judges)
            problem = f"there is no judge '{name}'{meant} in column 'judge'; there are {listing(judges)}."
            raise FileFault(path, problem, "Name the judge in the configuration as in the file.")
        versions = dict.fromkeys(row.texts[3] for row in rows if row.texts[2] == theirs)
        if prompt_version not in versions:
            problem = (
                f"judge '{name}' has no answer under prompt_version '{prompt_version}'; it has {listing(versions)}."
            )
            raise FileFault(path, problem, "Add its answers, or name another file or version.")
        self._score_of = {row.texts[:2]: row.score for row in rows if row.texts[2:] == (theirs, prompt_version)}
        answers = json.dumps(sorted([*key, score] for key, score in self._score_of.items()))
        self.identity = JudgeIdentity(
            judge="recorded",
            model=name,
            rubric_version=RUBRIC_VERSION,
            code_version=CODE_VERSION,
            parameters={"answers_sha256": hashlib.sha256(answers.encode()).hexdigest()},
        )

    def judged(self, asked: Sequence[AskedDocument], prompt_version: str) -> list[Judged]:
        """The recorded judgments of these documents; one without a record is not in it."""
        now = datetime.now(UTC)
        score_of = self._scores_of(asked)
        return [
            Judged.without_prompt(
                one,
                judge=self._name,
                judge_identity=self.identity.digest,
                prompt_version=prompt_version,
                judged_at=now,
                score=(score := score_of[one.query_id, one.doc_id]),
                measured=score,
                message=NO_SCORE if score is None else None,
            )
            for one in asked
            if (one.query_id, one.doc_id) in score_of
        ]

    def _scores_of(self, asked: Sequence[AskedDocument]) -> Mapping[tuple[str, ...], float | None]:
        """The scores by the ids that are asked for: ``0001`` is ``1`` where none would be found otherwise."""
        ids = [(one.query_id, one.doc_id) for one in asked]
        if any(key in self._score_of for key in ids):
            return self._score_of
        short = {_without_zeros(key): score for key, score in self._score_of.items()}
        if len(short) < len(self._score_of):
            return {}
        return {key: short[found] for key in ids if (found := _without_zeros(key)) in short}


def _without_zeros(ids: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one.lstrip("0") or "0" if one.isdecimal() else one for one in ids)
