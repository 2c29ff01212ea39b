"""`touchstone init --from FILE`: the section of the study that a file is for, with what its columns are taken for."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Final, Literal

import numpy as np

from analysis.resampling.bootstrap import FEWEST_CLUSTERS
from resources.configuration.pairwise import NEEDED_COLUMNS, OPTIONAL_COLUMNS, TEXT_COLUMNS
from resources.errors import FileFault, listing
from resources.inputs.any_file import AS_IT_IS, Opening, record_file
from resources.inputs.battles import JUDGE, OUTCOMES, is_battles
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.fidelity.manifest import BETWEEN, IMAGES
from resources.inputs.ratings.exports import BattleRatings, LabelStudio, Trec
from resources.inputs.ratings.layout import ratings_file
from resources.inputs.ratings.likely import (
    LikelyColumn,
    SeenColumn,
    is_model,
    is_reversed,
    likely_columns,
    looks_like_a_model,
    seen_columns,
)
from resources.inputs.ratings.summary_rows import summary_rows
from resources.inputs.record_files import NO_VALUE, Record, RecordFile, SeveralValues, as_text, value_of
from resources.inputs.written_columns import columns_as_written, looks_like_number

StudyName = Literal["fidelity", "pairwise", "evaluation", "reliability"]
LETTERS: Final[Mapping[StudyName, str]] = {"fidelity": "A", "pairwise": "B", "evaluation": "C", "reliability": "D"}
# Scales that people are given, from 1 and from 0; the narrowest that holds all ratings is taken.
FROM_ONE: Final = ((1, 5), (1, 7), (1, 10))
FROM_ZERO: Final = ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 10), (0, 100))
MOST_GRADES: Final = 11
UNREAD: Final = "not read"
_MOSTLY: Final = 0.8
_CANDIDATE: Final = re.compile(r"cand|render|generat|output|result|distort|test|image|file", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"(^|[_\s])ref|gt|photo|target|origin|source|truth", re.IGNORECASE)
_QUERY: Final = re.compile(r"query|topic|^q(_?id)?$|search", re.IGNORECASE)
_DOCUMENT: Final = re.compile(r"doc|passage|page|url|result", re.IGNORECASE)
_ID: Final = re.compile(r"id$|no$|num|key", re.IGNORECASE)
# Of a CSV of votes, whatever it calls its columns.
_VOTES: Final = {
    "series_id": re.compile(r"series|scene|group", re.IGNORECASE),
    "compareID1": re.compile(r"(compare|photo|image)_?(id)?_?(1|a|left)$", re.IGNORECASE),
    "compareID2": re.compile(r"(compare|photo|image)_?(id)?_?(2|b|right)$", re.IGNORECASE),
    "LEFT": re.compile(r"(votes?_?)(1|a|left)$|^left(_votes?)?$", re.IGNORECASE),
    "RIGHT": re.compile(r"(votes?_?)(2|b|right)$|^right(_votes?)?$", re.IGNORECASE),
}
_LIST: Final = ("image_1", "image_2", "winner")


@dataclass(frozen=True)
class Drafted:
    """The study that a file is for, the lines of its section, what each column is taken for, and what else to know.

    `files` are written next to the configuration.
    """

    study: StudyName
    lines: tuple[str, ...]
    taken: tuple[tuple[str, str, str], ...]
    name: str
    remarks: tuple[str, ...] = ()
    files: tuple[tuple[Path, str], ...] = ()


def drafted(path: Path, folder: Path, opening: Opening = AS_IT_IS) -> Drafted:
    """A section of the configuration for a file.

    Args:
        path: The file.
        folder: Where the configuration will be: paths in it are relative to that.
        opening: What the file does not say of itself. A study reads UTF-8 and one sheet: it gets a copy of the file.

    Raises:
        UserError: The file cannot be read, or no study takes such a file; the message says what does.
    """
    file = ratings_file([str(path)], (), opening)
    if isinstance(file, Trec | LabelStudio):
        problem = "no study reads such a file, and a verdict needs no configuration."
        raise FileFault(file.name, problem, f"Run `touchstone verdict {path}`.")
    draft = _Draft(record_file(path) if isinstance(file, BattleRatings) else file, path, folder)
    if opening != AS_IT_IS:
        draft.copy = _free(folder / f"{path.stem}.csv")
    for study in (draft.pairs, draft.manifest, draft.relevance, draft.ratings):
        found = study()
        if found is not None:
            return found
    roles = listing((f"'{name}' ({role})" for name, role, _ in draft.taken), 12)
    problem = f"no study takes such a file; its columns look like {roles}."
    remedy = (
        "A takes candidate, references, rater and score; B series_id, compareID1, compareID2, LEFT and RIGHT; C a "
        f"column of a judge and of people; D query, document and grades. For any other `touchstone verdict {path}`."
    )
    raise FileFault(file.name, problem, remedy)


class _Draft:
    """One file, looked at for each study in turn."""

    def __init__(self, file: RecordFile, path: Path, folder: Path) -> None:
        self.file, self.path, self.folder = file, path, folder
        self.seen: list[SeenColumn] = seen_columns(file)
        self.likely: tuple[LikelyColumn, ...] = likely_columns(file).columns
        self.meaning: dict[str, str] = {}
        self.copy: Path | None = None

    @property
    def taken(self) -> tuple[tuple[str, str, str], ...]:
        """Each column, what it is taken for, and what it holds."""
        return tuple((one.name, self.meaning.get(one.name, one.role), one.holds) for one in self.likely)

    @cached_property
    def where(self) -> str:
        """The file, as the configuration names it."""
        return _quoted(self._relative(self.copy or self.path))

    def _copied(self) -> str:
        """The file as a CSV in UTF-8."""
        names, _ = self.file.names()
        readers = [value_of(name) for name in names]
        out = io.StringIO()
        # With the same delimiter a decimal comma stays one.
        writer = csv.writer(out, delimiter=self.file.delimiter or ",", lineterminator="\n")
        writer.writerow(names)
        for record in self.file.records():
            if not isinstance(record, Record):
                raise FileFault(self.file.name, record.problem, record.remedy, row=record.row)
            writer.writerow([as_text(value(record.fields)) or "" for value in readers])
        return out.getvalue()

    def _relative(self, path: Path) -> str:
        place, folder = path.resolve(), self.folder.resolve()
        if place.is_relative_to(folder):
            return place.relative_to(folder).as_posix()
        next_to = place.is_relative_to(folder.parent)
        return f"../{place.relative_to(folder.parent).as_posix()}" if next_to else place.as_posix()

    def _roles(self, *roles: str) -> list[str]:
        return [one.name for one in self.likely if one.role in roles]

    def _takes(self, meaning: Mapping[str, str | None]) -> None:
        """The columns that a study reads, by what they are to it; it reads no others."""
        self.meaning = {one.name: UNREAD for one in self.likely}
        self.meaning |= {name: what for what, name in meaning.items() if name is not None}

    def _drafted(self, study: StudyName, lines: Iterable[str]) -> Drafted:
        read = [one for one in self.likely if self.meaning.get(one.name) != UNREAD]
        odd = [f"{one.odd.sentence} Correct it." for one in read if one.odd]
        files = []
        if self.copy is not None:
            files.append((self.copy, self._copied()))
            odd.append(
                f"A study reads UTF-8 and one sheet, so {self.copy.name} in the study's folder is a copy of the file."
            )
        return Drafted(study, tuple(lines), self.taken, self.file.name, tuple(odd), tuple(files))

    # --- study B ---------------------------------------------------------------------------------------------

    def pairs(self) -> Drafted | None:
        """Votes on pairs of photos or of texts."""
        names = [one.name for one in self.seen]
        if is_battles(names):
            return self._battles(names)
        if all(own_name(name, names) for name in _LIST):
            found: dict[str, str] = {name: str(own_name(name, names)) for name in _LIST}
            images = [text for one in self.seen if one.name in names[:2] for text in one.texts]
            columns, number = {}, []
        else:
            found = self._votes(names)
            if len(found) < len(NEEDED_COLUMNS):
                return None
            found |= {one: own for one in OPTIONAL_COLUMNS if (own := own_name(one, names)) is not None}
            columns = {ours: theirs for ours, theirs in found.items() if ours.casefold() != theirs.casefold()}
            by_file = [one for one in self.seen if one.name in (found.get("compareFile1"), found.get("compareFile2"))]
            images = [text for one in by_file for text in one.texts]
            numbered = all(re.fullmatch(r"0*\d+-0*\d+\.\w+", text) for text in images)
            number = [] if numbered else ["  photo_number: file              # the columns of files name the photos"]
        self._takes(found)
        folder, remark = self._folder_of(images)
        renamed = [f"  columns: {_mapping(columns)}   # our name of a column to the file's"] if columns else []
        votes = f"  pairs_csv: {self.where}   # {listing((f'{theirs} is {ours}' for ours, theirs in found.items()), 5)}"
        return self._drafted("pairwise", [votes, f"  image_root: {folder}   # {remark}", *renamed, *number])

    def _battles(self, names: Sequence[str]) -> Drafted:
        """Which of two models' texts people prefer; who in the column judge is a model is recorded, and no person."""
        found = {ours: own for ours in (*TEXT_COLUMNS, *OUTCOMES) if (own := own_name(ours, names)) is not None}
        self._takes({ours.replace("_", " "): own for ours, own in found.items()})
        judges = self._names_in(found[JUDGE]) if JUDGE in found else []
        models = [name for name in judges if looks_like_a_model(name)]
        recorded = [f"  recorded_judges: [{', '.join(map(_quoted, models))}]   # models; all others are people"]
        return self._drafted(
            "pairwise",
            [
                f"  pairs_csv: {self.where}",
                "  pairs_of: texts              # MT-Bench's and arenas' battles; docs/judges.md says what they hold",
                *(recorded if models else []),
                "  # judges: [NAME]             # of the list `judges`, with a task that says `object: pair`",
            ],
        )

    def _votes(self, names: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for ours, pattern in _VOTES.items():
            own = own_name(ours, names) or next((name for name in names if pattern.search(name)), None)
            if own is not None and own not in found.values():
                found[ours] = own
        return found

    def _folder_of(self, images: Sequence[str]) -> tuple[str, str]:
        """The folder with the first image, among those next to the file."""
        parent = self.path.resolve().parent
        places = [parent, *sorted(one for one in parent.iterdir() if one.is_dir() and not one.name.startswith("."))]
        named = [one for one in places if any((one / image).is_file() for image in images[:5])]
        others = [one for one in places if any(file.suffix.lower() in IMAGES for file in one.iterdir())]
        for place in (*named, *others):
            return _quoted(self._relative(place)), "the folder of the photos"
        return "photos", "name the folder of the photos here: none was found next to the file"

    # --- study A ---------------------------------------------------------------------------------------------

    def manifest(self) -> Drafted | None:
        """Renders with photos and people's scores."""
        images = [one for one in self.seen if self._names_images(one)]
        candidate = _first(images, _CANDIDATE, but=_REFERENCE) or _first(images, _CANDIDATE)
        reference = _first([one for one in images if one != candidate], _REFERENCE)
        rater = next(iter(self._roles("rater")), None) or self._alike("rater", "annotator")
        score = next(iter(self._roles("rating")), None) or self._alike("score", "rating", "grade")
        if candidate is None or reference is None or score is None:
            return None
        group = self._alike("group", "product", "scene", "series")
        found = {"candidate": candidate.name, "references": reference.name, "group": group, "rater": rater}
        found |= {"score": score}
        self._takes(found)
        named = {ours: theirs for ours, theirs in found.items() if theirs is not None}
        low, high = self._scale([score])
        return self._drafted(
            "fidelity",
            [
                f"  manifest: {{file: {self.where}, columns: {_mapping(named)}}}",
                f"  scale: {_list((low, high))}   # {self._range([score])}",
                *self._near_images(),
                "  judge: {kind: local}        # an appearance baseline; docs/judges.md: models, and replay",
            ],
        )

    def _near_images(self) -> list[str]:
        """Where images are: next to the file that names them, unless a copy of it is read."""
        if self.copy is None:
            return ["  # candidates: images        # optional, as references: a folder, where images lie elsewhere"]
        near = _quoted(self._relative(self.path.resolve().parent))
        return [f"  candidates: {near}", f"  references: {near}"]

    def _names_images(self, one: SeenColumn) -> bool:
        endings = [Path(text.split(BETWEEN)[0].strip()).suffix.lower() for text in one.texts]
        named = sum(ending in IMAGES for ending in endings)
        folders = bool(_REFERENCE.search(one.name)) and all("/" in text or not Path(text).suffix for text in one.texts)
        return bool(endings) and (named >= _MOSTLY * len(endings) or (folders and not one.are_numbers))

    def _alike(self, *names: str) -> str | None:
        there = [one.name for one in self.seen]
        return next((own for name in names if (own := own_name(name, there)) is not None), None)

    # --- study D ---------------------------------------------------------------------------------------------

    def relevance(self) -> Drafted | None:
        """Grades of documents for queries, a column a rater or a row a rating."""
        names = [one.name for one in self.seen]
        queries = [name for name in names if _QUERY.search(name)]
        documents = [name for name in names if _DOCUMENT.search(name) and name not in queries]
        raters, ratings = self._roles("rater"), self._roles("rating")
        scores = [] if raters else self._grade_columns([*queries, *documents])
        if not queries or not documents or not ((raters and ratings) or len(scores) > 1):
            return None
        found: dict[str, str] = {"query_id": _of_ids(queries), "query": _of_words(queries)}
        found |= {"doc_id": _of_ids(documents)}
        if _of_words(documents) != found["doc_id"]:
            found["document"] = _of_words(documents)
        if raters:
            found |= {"judge": raters[0], "score": ratings[0]}
            who, of_scores = self._names_in(raters[0]), ratings
        else:
            self._refuse_summaries(scores)
            judges = {f"{_name(name.removesuffix('_score'))}_score": name for name in scores}
            found |= judges
            who, of_scores = [one.removesuffix("_score") for one in judges], scores
        self._takes({ours: theirs for ours, theirs in found.items() if ours != "query" or len(queries) > 1})
        people = [name for name in who if not is_model(name)]
        columns = {ours: theirs for ours, theirs in found.items() if ours != theirs}
        lines = [f"  queries: {self.where}   # scores of {listing(who)}"]
        lines += [f"  columns: {_mapping(columns)}   # our name of a column to the file's"] if columns else []
        return self._drafted("reliability", [*lines, *self._graded(of_scores, people, len(who))])

    def _grade_columns(self, others: Sequence[str]) -> list[str]:
        """The columns of judges and people; where their names do not tell, those with a few numbers."""
        scores = [name for name in self._roles("judge", "person") if name not in others]
        if len(scores) > 1:
            return scores
        few = [one.name for one in self.seen if one.are_numbers and one.different <= MOST_GRADES]
        return [name for name in few if name not in others and not _ID.search(name)]

    def _graded(self, columns: Sequence[str], people: Sequence[str], n_raters: int) -> list[str]:
        """How the ratings of study D are read."""
        texts = {text for of_one in self._texts(columns).values() for text in of_one}
        if texts and not any(map(looks_like_number, texts)):
            named = listing(map(repr, columns))
            problem = f"{named} holds {listing(sorted(texts), 6)}, and nothing says which is the most relevant."
            remedy = (
                "Write numbers instead; or run `touchstone init` without --from, and name them under `grades` in "
                "section `reliability`, the least relevant first."
            )
            raise FileFault(self.file.name, problem, remedy)
        low, high = self._scale(columns)
        numbers = self._numbers(columns)
        lines = [f"  scale: {_list((low, high))}   # {self._range(columns)}"]
        if high > 1 and high - low < MOST_GRADES and bool((numbers == np.round(numbers)).all()):
            grades = np.arange(low, high + 1)
            first = next(grade for grade in grades if grade - low > (high - low) / 2)
            lines = [f"  grades: {_list(map(float, grades))}   # the least relevant first; {self._range(columns)}"]
            lines += [f"  relevant_from: {first:g}   # the grade from which a document is relevant"]
        known = f"{_list(map(_quoted, people))}   # the others are held against them"
        is_said = 0 < len(people) < n_raters
        return [*lines, f"  people: {known}" if is_said else "  # people: []   # which of them are people"]

    def _names_in(self, column: str) -> list[str]:
        spelled, value = SpelledNames(), value_of(column)
        found = (_text(value(one.fields)) for one in self.file.records([column]) if isinstance(one, Record))
        return list(dict.fromkeys(spelled.first(name) for name in found if name is not None))

    # --- study C ---------------------------------------------------------------------------------------------

    def ratings(self) -> Drafted | None:
        """Ratings of judges next to people's, a column each."""
        judges, people = self._roles("judge"), self._roles("person")
        if not judges or not people:
            return None
        self._refuse_summaries([*judges, *people])
        sources = self._roles("source")
        texts = self._texts([*judges, *people])
        numbers = all(one.are_numbers for one in self.seen if one.name in texts)
        labels = _labels(texts.values())
        self._takes(dict.fromkeys(["a source of errors"]))
        self.meaning |= dict.fromkeys(judges, "a judge: a data set") | dict.fromkeys(people, "a person: the truth")
        few = any(one.different < FEWEST_CLUSTERS for one in self.seen if one.name in sources[:1])
        self.meaning |= {sources[0]: "a group" if few else "what objects share (cluster)"} if sources else {}
        of_scores = numbers and len(labels) > 2  # two numbers are labels
        what = "their mean counts" if of_scores else "their majority counts; a row without one is left out"
        # Of two people's labels each difference is a tie: they are no majority, and each is held against the judge.
        truths = [[one] for one in people] if not of_scores and len(people) == 2 else [people]
        pairs = [(judge, truth) for judge in judges for truth in truths]
        names = ["-".join(map(_name, (judge, *(truth if len(truths) > 1 else ())))) for judge, truth in pairs]
        lines = ["  datasets:"]
        for (judge, truth), name in zip(pairs, _different(names), strict=True):
            lines += [f"    {name}:", f"      file: {self.where}"]
            lines += [f"      kind: {'scores' if of_scores else 'answers'}", f"      prediction: {_quoted(judge)}"]
            said = _quoted(truth[0]) if len(truth) == 1 else f"{_list(map(_quoted, truth))}   # {what}"
            lines += [f"      truth: {said}"]
            if of_scores:
                lines += [f"      scale: {_list(self._scale(people))}   # {self._range(people)}"]
                lines += ["      higher_is_better: false   # by its name"] if is_reversed(judge) else []
            else:
                lines += [f"      options: {_list(map(_quoted, labels))}"]
            if sources and few:
                lines += [f"      group_by: [[{_quoted(sources[0])}]]   # a breakdown: too few to be resampled"]
            elif sources:
                lines += [f"      cluster: {_quoted(sources[0])}   # resampled together"]
        return self._drafted("evaluation", lines)

    # --- what the ratings are --------------------------------------------------------------------------------

    def _refuse_summaries(self, columns: Sequence[str]) -> None:
        """A study would count a last row of means or totals as an object.

        Raises:
            FileFault: There is one.
        """
        first = [name for name in (*self._roles("object"), *(one.name for one in self.seen[:1])) if name not in columns]
        readers = [value_of(name) for name in dict.fromkeys([*first[:1], *columns])]
        records = [one for one in self.file.records([*first[:1], *columns]) if isinstance(one, Record)]
        texts = [[_text(value(one.fields)) for one in records] for value in readers]
        names = texts[0] if first else [None] * len(records)
        for one in summary_rows(dict(enumerate(names)), texts[len(first[:1]) :]):
            if one.sums_up:
                problem = f"the row '{one.name}' sums up the rows above it, and a study would count it as an object."
                raise FileFault(self.file.name, problem, "Remove the rows of sums.", row=records[one.place].row)

    def _texts(self, columns: Sequence[str]) -> dict[str, dict[str, None]]:
        """What each column holds in the whole file, blanks left out."""
        readers = [(name, value_of(name)) for name in columns]
        found: dict[str, dict[str, None]] = {name: {} for name in columns}
        for record in self.file.records(columns):
            if isinstance(record, Record):
                for name, value in readers:
                    text = _text(value(record.fields))
                    if text is not None:
                        found[name][text] = None
        return found

    def _numbers(self, columns: Sequence[str]) -> np.ndarray:
        texts = {name: [text for text in of_one if looks_like_number(text)] for name, of_one in
                 self._texts(columns).items()}  # fmt: skip
        written = columns_as_written(self.file.name, texts, {}, self.file.delimiter)
        found = [written.on_scale(name, number, 0, 100) for name, of_one in texts.items() for text in of_one
                 if (number := written.number(name, text)) is not None]  # fmt: skip
        return np.array(found, dtype=np.float64)

    def _scale(self, columns: Sequence[str]) -> tuple[float, float]:
        numbers = self._numbers(columns)
        if not numbers.size:
            raise FileFault(self.file.name, f"{listing(map(repr, columns))} holds no number.", "Export it again.")
        low, high = float(numbers.min()), float(numbers.max())
        scales = (*FROM_ONE, *FROM_ZERO) if low >= 1 else FROM_ZERO
        known = (one for one in scales if one[0] <= low and high <= one[1])
        return next(known, (float(np.floor(low)), float(np.ceil(high))))

    def _range(self, columns: Sequence[str]) -> str:
        numbers = self._numbers(columns)
        said = f"the ratings run from {numbers.min():g} to {numbers.max():g}"
        return f"{said}: correct it where the scale goes further"


def _free(path: Path) -> Path:
    """The path, with a number where there is such a file already."""
    numbered = (path if n == 1 else path.with_stem(f"{path.stem}-{n}") for n in count(1))
    return next(one for one in numbered if not one.exists())


def _text(value: object) -> str | None:
    try:
        text = as_text(value)
    except SeveralValues:
        return None
    return None if text in NO_VALUE else text


def _labels(columns: Iterable[Iterable[str]]) -> list[str]:
    """The different labels, letter case aside."""
    spelled = SpelledNames()
    return sorted({spelled.first(text) for of_one in columns for text in of_one}, key=str.casefold)


def _first(
    columns: Sequence[SeenColumn], pattern: re.Pattern[str], but: re.Pattern[str] | None = None
) -> SeenColumn | None:
    fitting = (one for one in columns if pattern.search(one.name) and not (but and but.search(one.name)))
    return next(fitting, None)


def _of_ids(names: Sequence[str]) -> str:
    return next((name for name in names if _ID.search(name)), names[0])


def _of_words(names: Sequence[str]) -> str:
    return next((name for name in names if not _ID.search(name)), names[0])


def _name(column: str) -> str:
    """A name that a data set or a judge may have."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", column).strip("_.-") or "judge"


def _different(names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        same = sum(one == name or one.startswith(f"{name}-") for one in found)
        found.append(f"{name}-{same + 1}" if name in found else name)
    return found


def _quoted(text: str) -> str:
    """A text as YAML reads it back."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*", text) and text.lower() not in ("true", "false", "yes", "no", "null",
                                                                              "on", "off", "y", "n"):  # fmt: skip
        return text
    return json.dumps(text, ensure_ascii=False)


def _mapping(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{_quoted(ours)}: {_quoted(theirs)}" for ours, theirs in values.items()) + "}"


def _list(values: Iterable[object]) -> str:
    return "[" + ", ".join(f"{one:g}" if isinstance(one, float | int) else str(one) for one in values) + "]"
