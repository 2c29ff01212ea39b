"""`touchstone init --from FILE`: the section of the study that a file is for, with what its columns are taken for."""

import csv
import io
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from analysis.resampling.bootstrap import FEWEST_CLUSTERS
from pipeline.command_line.draft import Draft, Drafted, StudyName, cell_text, free_path, mapping, quoted, yaml_list
from resources.configuration.pairwise import NEEDED_COLUMNS, OPTIONAL_COLUMNS, TEXT_COLUMNS
from resources.errors import FileFault, UserError, listing
from resources.inputs.any_file import AS_IT_IS, Opening, record_file
from resources.inputs.battles import JUDGE, OUTCOMES, is_battles
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.fidelity.manifest import BETWEEN, IMAGES
from resources.inputs.ratings.exports import BattleRatings, LabelStudio, Trec
from resources.inputs.ratings.layout import ratings_file
from resources.inputs.ratings.likely import is_model, is_reversed, looks_like_a_model
from resources.inputs.ratings.likely_command import likely_command
from resources.inputs.ratings.nested import NamedEntries, OneObject
from resources.inputs.ratings.seen_columns import MOST_LABELS, SeenColumn
from resources.inputs.record_files import CsvRecords, Record, value_of
from resources.inputs.written_columns import looks_like_number

_ANSWER: Final = re.compile(
    r"answer|respon[sc]e|reply|output|completion|summary|translation|generated|document|^text$", re.IGNORECASE
)
_PROMPT: Final = re.compile(r"prompt|question|instruction|query|input|source_?text|article|context", re.IGNORECASE)
_WRITER: Final = re.compile(r"model|system|source|writer|generator", re.IGNORECASE)
ID: Final = re.compile(r"id$|no$|num|key", re.IGNORECASE)
_GRADE: Final = """\
{query}Answer: {{document}}

Rate how good the answer is, from {low:g} (worst) to {high:g} (best). Answer with the number alone.
"""
_MISSING: Final = "Missing: people's scores of these texts. Write them into {name} in the study's folder, a row each."
LETTERS: Final[Mapping[StudyName, str]] = {"fidelity": "A", "pairwise": "B", "evaluation": "C", "reliability": "D"}
MOST_GRADES: Final = 11
_MOSTLY: Final = 0.8
_CANDIDATE: Final = re.compile(r"cand|render|generat|output|result|distort|test|image|file", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"(^|[_\s])ref|gt|photo|target|origin|source|truth", re.IGNORECASE)
_QUERY: Final = re.compile(r"query|topic|^q(_?id)?$|search", re.IGNORECASE)
_DOCUMENT: Final = re.compile(r"doc|passage|page|url|result", re.IGNORECASE)
# Of a CSV of votes, whatever it calls its columns.
_VOTES: Final = {
    "series_id": re.compile(r"series|scene|group", re.IGNORECASE),
    "compareID1": re.compile(r"(compare|photo|image)_?(id)?_?(1|a|left)$", re.IGNORECASE),
    "compareID2": re.compile(r"(compare|photo|image)_?(id)?_?(2|b|right)$", re.IGNORECASE),
    "LEFT": re.compile(r"(votes?_?)(1|a|left)$|^left(_votes?)?$", re.IGNORECASE),
    "RIGHT": re.compile(r"(votes?_?)(2|b|right)$|^right(_votes?)?$", re.IGNORECASE),
}
# Of means of opinions.
_OPINIONS: Final = {
    "opinion_sd": re.compile(r"(^|[_\s.-])(sd|std|stdev|std_?dev)$", re.IGNORECASE),
    "votes": re.compile(r"^(n|num|number_of)_?(raters?|votes?|ratings?|opinions?|subjects?|observers?)$|^votes$", re.I),
}
_OPINION_MEANING: Final = {"opinion_sd": "the SD of opinions", "votes": "the number of opinions"}
_LIST: Final = ("image_1", "image_2", "winner")


def drafted(path: Path, folder: Path, opening: Opening = AS_IT_IS) -> Drafted:
    """A section of the configuration for a file.

    Args:
        path: The file.
        folder: Where the configuration will be: paths in it are relative to that.
        opening: What the file does not say of itself. A study reads UTF-8 and one sheet, and no decimal sign is named
            for it: it gets a copy of the file.

    Raises:
        UserError: The file cannot be read, or no study takes such a file; the message says what does.
    """
    file = ratings_file([str(path)], (), opening)
    if isinstance(file, Trec | LabelStudio):
        problem = "no study reads such a file, and a verdict needs no configuration."
        raise FileFault(file.name, problem, f"Run `touchstone verdict {path}`.")
    draft = _Studies(record_file(path) if isinstance(file, BattleRatings) else file, path, folder, opening)
    if opening != AS_IT_IS or isinstance(file, NamedEntries | OneObject):
        draft.copy = free_path(folder / f"{path.stem}.csv")
    likely = draft.found
    are_ratings = bool(likely.names("rater") and likely.names("rating"))
    command = f"What the ratings say needs no study: `{likely_command(likely, [str(path)])}`."
    for study in (draft.pairs, draft.manifest, draft.relevance, draft.ratings, lambda: texts_of(draft)):
        try:
            found = study()
        except FileFault as fault:
            if not are_ratings:
                raise
            raise UserError(f"{fault} {command}") from fault
        if found is not None:
            return found
    if are_ratings:
        what = listing(f"'{name}'" for name in likely.names("object") or ["its objects"])
        problem = f"study A judges pictures or texts itself, and no column of this file holds those of {what}."
        remedy = "Add columns `candidate` and `references` with the files of its pictures, or `prompt` and `answer`."
        raise FileFault(file.name, problem, f"{remedy} {command}")
    roles = listing((f"'{name}' ({role})" for name, role, _ in draft.taken), 12)
    problem = f"no study takes such a file; its columns look like {roles}."
    remedy = (
        "A takes candidate, references, rater and score, or id, prompt and answer; B series_id, compareID1, "
        "compareID2, LEFT and RIGHT; C a column of a judge and of people; D query, document and grades. For any other "
        f"`touchstone verdict {path}`."
    )
    raise FileFault(file.name, problem, remedy)


class _Studies(Draft):
    """One file, looked at for each study in turn."""

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
        self.takes(found)
        folder, remark = self._folder_of(images)
        renamed = [f"  columns: {mapping(columns)}   # our name of a column to the file's"] if columns else []
        votes = f"  pairs_csv: {self.where}   # {listing((f'{theirs} is {ours}' for ours, theirs in found.items()), 5)}"
        return self.as_drafted("pairwise", [votes, f"  image_root: {folder}   # {remark}", *renamed, *number])

    def _battles(self, names: Sequence[str]) -> Drafted:
        """Which of two models' texts people prefer; who in the column judge is a model is recorded, and no person."""
        found = {ours: own for ours in (*TEXT_COLUMNS, *OUTCOMES) if (own := own_name(ours, names)) is not None}
        self.takes({ours.replace("_", " "): own for ours, own in found.items()})
        judges = self.names_in(found[JUDGE]) if JUDGE in found else []
        models = [name for name in judges if looks_like_a_model(name)]
        recorded = [f"  recorded_judges: [{', '.join(map(quoted, models))}]   # models; all others are people"]
        return self.as_drafted(
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
            return quoted(self.relative(place)), "the folder of the photos"
        return "photos", "name the folder of the photos here: none was found next to the file"

    # --- study A ---------------------------------------------------------------------------------------------

    def manifest(self) -> Drafted | None:
        """Renders with photos and people's scores."""
        images = [one for one in self.seen if self._names_images(one)]
        candidate = _first(images, _CANDIDATE, but=_REFERENCE) or _first(images, _CANDIDATE)
        reference = _first([one for one in images if one != candidate], _REFERENCE)
        rater = next(iter(self.roles("rater")), None) or self.alike("rater", "annotator")
        score = next(iter(self.roles("rating")), None) or self.alike("score", "rating", "grade")
        if candidate is None or reference is None or score is None:
            return None
        group = self.alike("group", "product", "scene", "series")
        found = {"candidate": candidate.name, "references": reference.name, "group": group, "rater": rater}
        found |= {"score": score, "source": self.alike("source")}
        self.takes(found)
        self.leave_out_judges(rater)
        named = {ours: theirs for ours, theirs in found.items() if theirs is not None}
        low, high = self.scale([score])
        return self.as_drafted(
            "fidelity",
            [
                f"  manifest: {{file: {self.where}, columns: {mapping(named)}}}",
                f"  scale: {yaml_list((low, high))}   # {self.range([score])}",
                *self._near_images(),
                "  judge: {kind: local}        # an appearance baseline; docs/judges.md: models, and replay",
            ],
        )

    def _near_images(self) -> list[str]:
        """Where images are: next to the file that names them, unless a copy of it is read."""
        if self.copy is None:
            return ["  # candidates: images        # optional, as references: a folder, where images lie elsewhere"]
        near = quoted(self.relative(self.path.resolve().parent))
        return [f"  candidates: {near}", f"  references: {near}"]

    def _names_images(self, one: SeenColumn) -> bool:
        endings = [Path(text.split(BETWEEN)[0].strip()).suffix.lower() for text in one.texts]
        named = sum(ending in IMAGES for ending in endings)
        folders = bool(_REFERENCE.search(one.name)) and all("/" in text or not Path(text).suffix for text in one.texts)
        return bool(endings) and (named >= _MOSTLY * len(endings) or (folders and not one.are_numbers))

    # --- study D ---------------------------------------------------------------------------------------------

    def relevance(self) -> Drafted | None:
        """Grades of documents for queries, a column a rater or a row a rating."""
        names = [one.name for one in self.seen]
        queries = [name for name in names if _QUERY.search(name)]
        documents = [name for name in names if _DOCUMENT.search(name) and name not in queries]
        raters, ratings = self.roles("rater"), self.roles("rating")
        scores = [] if raters else self._grade_columns([*queries, *documents])
        if not queries or not documents or not ((raters and ratings) or len(scores) > 1):
            return None
        found: dict[str, str] = {"query_id": _of_ids(queries), "query": _of_words(queries)}
        found |= {"doc_id": _of_ids(documents)}
        if _of_words(documents) != found["doc_id"]:
            found["document"] = _of_words(documents)
        if raters:
            found |= {"judge": raters[0], "score": ratings[0]}
            who, of_scores = self.names_in(raters[0]), ratings
        else:
            self.refuse_summaries(scores)
            judges = {f"{_name(name.removesuffix('_score'))}_score": name for name in scores}
            found |= judges
            who, of_scores = [one.removesuffix("_score") for one in judges], scores
        if (version := self.alike("prompt_version")) is not None:
            found["prompt_version"] = version  # read by its own name
        self.takes({ours: theirs for ours, theirs in found.items() if ours != "query" or len(queries) > 1})
        people = [name for name in who if not is_model(name)]
        columns = {ours: theirs for ours, theirs in found.items() if ours != theirs}
        lines = [f"  queries: {self.where}   # scores of {listing(who)}"]
        lines += [f"  columns: {mapping(columns)}   # our name of a column to the file's"] if columns else []
        return self.as_drafted("reliability", [*lines, *self._graded(of_scores, people, len(who))])

    def _grade_columns(self, others: Sequence[str]) -> list[str]:
        """The columns of judges and people; where their names do not tell, those with a few numbers."""
        scores = [name for name in self.roles("judge", "person") if name not in others]
        if len(scores) > 1:
            return scores
        few = [one.name for one in self.seen if one.are_numbers and one.different <= MOST_GRADES]
        return [name for name in few if name not in others and not ID.search(name)]

    def _graded(self, columns: Sequence[str], people: Sequence[str], n_raters: int) -> list[str]:
        """How the ratings of study D are read."""
        texts = {text for of_one in self.texts_in(columns).values() for text in of_one}
        if texts and not any(map(looks_like_number, texts)):
            named = listing(map(repr, columns))
            problem = f"{named} holds {listing(sorted(texts), 6)}, and nothing says which is the most relevant."
            remedy = (
                "Write numbers instead; or run `touchstone init` without --from, and name them under `grades` in "
                "section `reliability`, the least relevant first."
            )
            raise FileFault(self.file.name, problem, remedy)
        low, high = self.scale(columns)
        numbers = self.numbers(columns)
        lines = [f"  scale: {yaml_list((low, high))}   # {self.range(columns)}"]
        if high > 1 and high - low < MOST_GRADES and bool((numbers == np.round(numbers)).all()):
            grades = np.arange(low, high + 1)
            first = next(grade for grade in grades if grade - low > (high - low) / 2)
            lines = [f"  grades: {yaml_list(map(float, grades))}   # the least relevant first; {self.range(columns)}"]
            lines += [f"  relevant_from: {first:g}   # the grade from which a document is relevant"]
        known = f"{yaml_list(map(quoted, people))}   # the others are held against them"
        is_said = 0 < len(people) < n_raters
        return [*lines, f"  people: {known}" if is_said else "  # people: []   # which of them are people"]

    # --- study C ---------------------------------------------------------------------------------------------

    def ratings(self) -> Drafted | None:
        """Ratings of judges next to people's, a column each."""
        judges, people = self.roles("judge"), self.roles("person")
        if not judges or not people:
            return None
        self.refuse_summaries([*judges, *people])
        criteria = self.roles("criterion")
        sources = self.roles("source") or (self.roles("object") if criteria else [])
        texts = self.texts_in([*judges, *people])
        numbers = all(one.are_numbers for one in self.seen if one.name in texts)
        labels = _labels(texts.values())
        self.takes(dict.fromkeys(["a source of errors"]))
        self.meaning |= dict.fromkeys(judges, "a judge: a data set") | dict.fromkeys(people, "a person: the truth")
        few = any(one.different < FEWEST_CLUSTERS for one in self.seen if one.name in sources[:1])
        self.meaning |= dict.fromkeys(sources[:1], "what objects share (cluster)")
        opinions = self._opinions(people)
        self.meaning |= {name: _OPINION_MEANING[ours] for ours, name in opinions.items()}
        groups = [*(sources[:1] if few else ()), *criteria]
        self.meaning |= dict.fromkeys(groups, "a group")
        of_scores = numbers and len(labels) > 2  # two numbers are labels
        what = "their mean counts" if of_scores else "their majority counts; a row without one is left out"
        # Of two people's labels each difference is a tie: they are no majority, and each is held against the judge.
        truths = [[one] for one in people] if not of_scores and len(people) == 2 else [people]
        pairs = [(judge, truth) for judge in judges for truth in truths]
        names = ["-".join(map(_name, (judge, *(truth if len(truths) > 1 else ())))) for judge, truth in pairs]
        for name in criteria:
            command = likely_command(self.found, [str(self.path)], self.found.where)
            self.remarks.append(f"A data set is on all criteria in '{name}'; the verdict on one: {command}")
        if criteria_in_names := self.found.of_names:
            which = listing(criteria_in_names)
            self.remarks.append(
                f"Columns are of several criteria ({which}): data sets are of '{criteria_in_names[0]}'."
            )
        lines = [
            "  inbox: inbox   # a file there is a data set too: next month's by `touchstone verdict ... --save NAME`"
        ]
        lines.append("  datasets:")
        if not of_scores or len(people) > 1:
            named = [part for name in judges for part in ("--judge", name)]
            named += [part for name in people for part in ("--human", name)]
            command = shlex.join([str(self.path), *named])
            study = "is against people's mean" if of_scores else "counts right answers"
            self.remarks.append(f"The study {study}; the verdict first: touchstone verdict {command}")
        for (judge, truth), name in zip(pairs, _different(names), strict=True):
            lines += [f"    {name}:", f"      file: {self.where}"]
            lines += [f"      kind: {'scores' if of_scores else 'answers'}", f"      prediction: {quoted(judge)}"]
            # A list says that these are people, and no key.
            said = quoted(truth[0]) if len(truth) == 1 and of_scores else f"{yaml_list(map(quoted, truth))}   # {what}"
            lines += [f"      truth: {said}"]
            if of_scores:
                lines += [f"      scale: {yaml_list(self.scale(people))}   # {self.range(people)}"]
                lines += ["      higher_is_better: false   # by its name"] if is_reversed(judge) else []
                lines += [f"      {ours}: {quoted(name)}" for ours, name in opinions.items()]
            else:
                lines += [f"      options: {yaml_list(map(quoted, labels))}"]
            if sources and not few:
                lines += [f"      cluster: {quoted(sources[0])}   # one cluster in intervals"]
            if groups:
                breakdowns = ", ".join(f"[{quoted(name)}]" for name in groups)
                why = f"; too few of {quoted(sources[0])} for intervals" if few else ""
                lines += [f"      group_by: [{breakdowns}]   # a breakdown{why}"]
        return self.as_drafted("evaluation", lines)

    def _opinions(self, people: Sequence[str]) -> dict[str, str]:
        """The spread and the number of opinions behind a mean, which a study reads together or not at all."""
        others = [one.name for one in self.seen if one.are_numbers and one.name not in people]
        found = {ours: next(filter(pattern.search, others), "") for ours, pattern in _OPINIONS.items()}
        return found if len(people) == 1 and all(found.values()) else {}


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
    return next((name for name in names if ID.search(name)), names[0])


def _of_words(names: Sequence[str]) -> str:
    return next((name for name in names if not ID.search(name)), names[0])


def _name(column: str) -> str:
    """A name that a data set or a judge may have."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", column).strip("_.-") or "judge"


def _different(names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        same = sum(one == name or one.startswith(f"{name}-") for one in found)
        found.append(f"{name}-{same + 1}" if name in found else name)
    return found


def texts_of(draft: Draft) -> Drafted | None:
    """Texts to judge, such as a chat model's answers; none where the file has none.

    Raises:
        FileFault: No column names the texts.
    """
    document = next((one for one in draft.seen if _ANSWER.search(one.name) and _is_text(one)), None)
    if document is None:
        return None
    query = next((one for one in draft.seen if one != document and _PROMPT.search(one.name) and _is_text(one)), None)
    ids = [one.name for one in draft.seen if one not in (document, query) and ID.search(one.name)]
    if not ids:
        problem = "study A reads texts by an id, and no column holds one."
        raise FileFault(draft.file.name, problem, "Add a column `id` with a name for each text.")
    source = next((one.name for one in draft.seen if _WRITER.search(one.name) and one.are_labels), None)
    named = {"id": ids[0], "query": query.name if query else None, "document": document.name, "source": source}
    # The study reads these by their own names whether they are named or not.
    named |= {ours: named.get(ours) or draft.alike(ours) for ours in ("query", "source", "group")}
    rater = next(iter(draft.roles("rater")), None) or draft.alike("rater", "annotator")
    people = draft.roles("rating") or draft.roles("person")
    people = people or [name for name in (draft.alike("score", "rating", "grade"),) if name is not None]
    draft.takes(named | {"rater": rater})
    draft.leave_out_judges(rater)
    draft.meaning |= dict.fromkeys(people, "a person's score")
    low, high = draft.scale(people) if people else (1.0, 5.0)
    scale, about = yaml_list((low, high)), draft.range(people) if people else "what people's scores run from and to"
    columns = mapping({ours: theirs for ours, theirs in named.items() if theirs is not None and ours != theirs})
    lines = [f"  texts: {{file: {draft.where}, columns: {columns}, scale: {scale}}}   # {about}"]
    if len(people) == 1 and isinstance(draft.file, CsvRecords):
        of_people = {"filename": ids[0], "score": people[0]} | ({"annotator": rater} if rater else {})
        lines.append(f"  columns: {mapping(of_people)}   # people's scores, in the same file")
    else:
        scores = free_path(draft.folder / "people.csv")
        lines += [f"  human_scores: {scores.name}", "  columns: {filename: id, score: score, annotator: annotator}"]
        draft.files.append((scores, _scores(draft, ids[0], people, rater)))
        written = f"{scores.name} in the study's folder has people's scores, a row each."
        draft.remarks.append(written if people else _MISSING.format(name=scores.name))
    prompt = free_path(draft.folder / "grade.txt")
    draft.files.append((prompt, _GRADE.format(query="Question: {query}\n" if query else "", low=low, high=high)))
    task = f"{{prompt: {prompt.name}, scale: {scale}, answer: number, shows: text}}"
    lines += [
        f'  judge: {{kind: model, name: grader, model: "openai:gpt-5.4-mini", task: {task}}}',
        "  #   of any provider (docs/judges.md); the prompt is an example",
    ]
    return draft.as_drafted("fidelity", lines)


def _is_text(one: SeenColumn) -> bool:
    return bool(one.texts) and not one.are_numbers and one.different > min(MOST_LABELS, len(one.texts) // 4)


def _scores(draft: Draft, named: str, people: Sequence[str], rater: str | None) -> str:
    """A CSV with a row for each rating: id, score, who gave it."""
    names = list(dict.fromkeys([named, *people, *([rater] if rater else [])]))
    readers = {name: value_of(name) for name in names}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "score", "annotator"])
    for record in draft.records(names):
        if isinstance(record, Record):
            cells = {name: cell_text(value(record.fields)) for name, value in readers.items()}
            writer.writerows(
                [cells[named], cells[name], cells[rater] if rater else name] for name in people if cells[name]
            )
    return out.getvalue()
