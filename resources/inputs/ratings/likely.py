"""What the columns of a file of ratings are likely to be, by their names and by what they hold."""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from analysis.spelling import one_spelling
from analysis.verdict.findings import on_one_scale, on_the_same_steps
from analysis.verdict.people import Floats
from resources.errors import SHOWN, FileFault
from resources.inputs.ratings.criteria import are_criteria, criteria_of_names, names_a_criterion, shares_words
from resources.inputs.ratings.other_columns import are_clusters
from resources.inputs.ratings.seen_columns import A_LIST, MOST_LABELS, NEARLY_ALL, OddCell, SeenColumn, seen_columns
from resources.inputs.record_files import (
    RecordFile,
    refuse_unreadable,
)

Role = Literal["judge", "person", "object", "source", "rater", "rating", "criterion", "other"]

_PERSON: Final = re.compile(
    r"human|^(my|our|own)$|(^|[_\s.-])(my|our|own)[_\s.-]?(rating|grade|label|vote|verdict)|"
    r"(^|[_\s.-])(anno|anno?([_\s.-]?\d+|[_\s.-][a-e]))([_\s.-]|$)|annot|teacher|doctor|physician|clinician|nurse|radiolog|editor|"
    r"moderator|user[_\s.-]?(feedback|rat|scor|vot|label|grad|verdict)|pr\u00fcfer|lehrer|gutachter|\bmensch|umano|persona\b|"
    r"esperto|valutatore|insegnante|docente|revisore|rater|expert|crowd|worker|person|people|reviewer|assessor|grader|coder|subject|opinion|\bd?mos\b|gold|"
    r"ground.?truth|label(er|ed|s)?\b|manual|majority|consensus|^responses\..+\.value$|"
    r"\u4eba\u5de5|\u4eba\u7c7b|\u4e13\u5bb6|\u6807\u6ce8",  # of hand, human, expert, annotation
    re.IGNORECASE,
)
_JUDGE: Final = re.compile(
    r"judge|giudice|gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|\bllm|\bvlm|\bai\b|model|auto|pred|metric|clip|"
    r"bleu|rouge|bert|comet|ssim|psnr|lpips|dists|vmaf|niqe|brisque|similarity|score|^suggestions?\b|"
    r"\u6a21\u578b|\u673a\u5668|\u81ea\u52a8",  # model, machine, automatic
    re.IGNORECASE,
)
_LIKE_A_MODEL: Final = re.compile(
    r"gpt|claude|gemini|gemma|llama|vicuna|mistral|mixtral|qwen|deepseek|grok|\bpalm|\bo[134]-(mini|preview|pro)|"
    r"(^|[_\s-])(llm|vlm|(ai|ki|ia)([_\s-]|$))",
    re.IGNORECASE,
)
# A programme that does a person's work: autograder, grader model, predicted_label.
_PROGRAMME: Final = re.compile(
    r"auto(mat(ic|ed))?[_\s-]?(annot|eval|grad|judg|label|mark|rat|review|scor)|(^|[_\s-])model([_\s-]|$)|(^|[_\s-])pred",
    re.IGNORECASE,
)
# A person's rating of what a model made: outputs.gpt-4.human.
_PERSONS_FIELD: Final = re.compile(
    r"\.(human|person|people|expert|annotator|crowd|worker)s?"
    r"([_\s-]?(\d+|[a-e]|score|rating|grade|label|vote|verdict)s?)*$",
    re.IGNORECASE,
)
# What is said about a rating or a person is none.
_ABOUT: Final = re.compile(
    r"confidence|(^|[_\s.])(n|num|count|age|time(stamp)?|date|duration|comment|reason|rationale|explanation|name)([_\s]|$)|"
    r"threshold|(?-i:[a-z](Date|Time)$)|"
    r"worker_?id",
    re.IGNORECASE,
)
_OF_OBJECTS: Final = (
    r"id|item|object|sample|image|file|key|uid|docno|question|example|render|reply|ticket|nr|oggetto|immagine|campione"
)
_OBJECT: Final = re.compile(rf"(^|[_\s.-])({_OF_OBJECTS})\b|id$", re.IGNORECASE)
_TEXTUAL: Final = re.compile(r"text|answer|respon[sc]e|prompt|output|body|content|summary|translation", re.IGNORECASE)
# By such a whole name a column names objects though it repeats: user_id and model_id do not.
_ONLY_OBJECT: Final = re.compile(rf"({_OF_OBJECTS})([_\s.-]?(id|no|nr|key|name|number))?", re.IGNORECASE)
_SOURCE: Final = re.compile(
    r"group|cluster|product|query|topic|scene|source|series|(^|[_\s])doc(ument)?s?([_\s.-]|$)|(^|[_\s])ref|reference|system|conversation|"
    r"riferimento|gruppo|prodotto|argomento",
    re.IGNORECASE,
)
_LOWER: Final = re.compile(
    r"lpips|dists|niqe|brisque|\bfid\b|rmse|\bmae\b|\bmse\b|error|distance|distortion|\bwer\b|loss", re.IGNORECASE
)
# What a programme computes has a unit of its own, wherever its numbers are.
_OWN_UNIT: Final = re.compile(
    rf"{_LOWER.pattern}|psnr|ssim|vmaf|bleu|rouge|bert.?score|comet|meteor|chrf|\bcider\b|similarity|cosine|\bclip\b|"
    r"log.?(lik|prob|p\b)|\bnll\b|perplex|\bppl\b|entropy|logit",
    re.IGNORECASE,
)
_RATER: Final = re.compile(
    r"^(rater|annotator|judge|worker|user|coder|assessor|reviewer|who|by)([_\s-]?(id|name))?$", re.I
)
_RATING: Final = re.compile(r"^(score|rating|label|grade|value|vote|verdict|relevance|answer)s?$", re.IGNORECASE)
# Who made what is rated may be called like a judge.
_MADE_IT: Final = re.compile(
    r"model|system|candidate|generat|source|writer|author|bots?([_\s-]|$)|llm|assistant|agent|method|version|answered",
    re.IGNORECASE,
)
LONGEST_NAME: Final = 60
NOBODY: Final = "Which columns hold a judge's ratings, and which people's?"
TRANSPOSE: Final = (
    "There are more columns of ratings than rows: where a row is a rater and a column an object, transpose the table, "
    "so that each rater has a column (in a spreadsheet: copy, then paste special, transpose)."
)
# So large a share of the rows has a name that another row has too where a column says what rows share.
GROUPED: Final = 0.8


class LikelyColumn(NamedTuple):
    """A column, what it is taken for, what it holds in a few words, and whether a value comes twice.

    `odd` is a cell of a column of numbers that is none; null where all are. `clusters`: enough values come again.
    """

    name: str
    role: Role
    holds: str
    repeats: bool = False
    odd: OddCell | None = None
    clusters: bool = False


@dataclass(frozen=True)
class LikelyColumns:
    """What a file's columns are taken for; `question` where that is not clear.

    `models` are raters of a file with a row for each rating whose names are hardly a person's; `criteria` what the
    column of criteria holds; `alike` are columns that are nothing else and hold the same steps as a judge;
    `of_names` criteria that columns of judges and people have in their names, of which those of the first are taken;
    `who` a column of a file with a column a rater that may say whose rating a row holds.
    """

    columns: tuple[LikelyColumn, ...]
    question: str | None
    models: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    of_names: tuple[str, ...] = ()
    who: str | None = None

    def names(self, role: Role) -> list[str]:
        """The columns of one role."""
        return [column.name for column in self.columns if column.role == role]

    def options(self, role: Role) -> list[str]:
        """The columns of one role that the command names: sources only where they make enough clusters."""
        return [column.name for column in self.columns if column.role == role and (role != "source" or column.clusters)]

    @property
    def where(self) -> tuple[tuple[str, str], ...]:
        """The first of several criteria, as its column and value."""
        return tuple((name, self.criteria[0]) for name in self.names("criterion"))

    @property
    def odd(self) -> list[str]:
        """A sentence on each column of ratings with cells that are no numbers while the others are."""
        blank = "Correct it, or add `--blank {}` if it stands for no rating."
        return [f"{odd.sentence} {blank.format(shlex.quote(odd.texts[0]))}" for odd in self._odd]

    @property
    def blanks(self) -> list[str]:
        """What stands for no rating in the command: cells of columns of ratings that are no numbers."""
        return list(dict.fromkeys(text for odd in self._odd for text in odd.texts))[:SHOWN]

    @property
    def _odd(self) -> list[OddCell]:
        return [one.odd for one in self.columns if one.odd and one.role in ("judge", "person", "rating")]


def likely_columns(
    file: RecordFile,
    *,
    whole: bool = True,
    given: Mapping[str, Role] | None = None,
    blank: Collection[str] = (),
) -> LikelyColumns:
    """What each column of a file is likely to be, from its name and its first 1,000 rows.

    Args:
        file: It is read further where a column has a criterion's name, as criteria may follow each other.
        whole: Whether it is.
        given: Roles that columns have whatever they look like; but for judges no other column has one of these.
        blank: What is written where there is no rating.

    Raises:
        FileFault: There is no row.
    """
    columns = seen_columns(file, whole=whole, blank=blank)
    if not columns:
        refuse_unreadable(file)
        raise FileFault(file.name, "there is no row.", "Export it again with its rows.")
    roles = _roles(columns, given or {})
    named = [[name for name, role in roles.items() if role == one] for one in ("judge", "person")]
    by_criterion = {} if given else criteria_of_names(*named)
    later = [name for names in list(by_criterion.values())[1:] for name in names]
    roles |= dict.fromkeys(later, "other")
    found = tuple(
        LikelyColumn(one.name, roles[one.name], one.holds, _repeats(one), one.odd, are_clusters(one.texts))
        for one in columns
    )
    raters = [text for column in columns if roles[column.name] == "rater" for text in dict.fromkeys(column.texts)]
    models, _ = models_among(raters)
    criteria = [text for column in columns if roles[column.name] == "criterion" for text in column.texts]
    question = None if models else _question(found)
    if question == NOBODY and sum(map(_rates, columns)) > 2 * max(column.n for column in columns):
        question = f"{TRANSPOSE} {NOBODY}"
    judges = [column for column in columns if roles[column.name] == "judge"]
    others = [column for column in columns if roles[column.name] == "other" and column.name not in later]
    alike = tuple(column.name for column in others if _same_steps(column, judges))
    raters = [column.name for column in others if _RATER.search(column.name.strip("_ ")) and _repeats(column)]
    who = next(iter(raters), None)
    return LikelyColumns(found, question, models, tuple(dict.fromkeys(criteria)), alike, tuple(by_criterion), who)


def names_objects(name: str) -> bool:
    """Whether a column's name is that of objects."""
    return bool(_OBJECT.search(name))


def names_objects_only(name: str) -> bool:
    """Whether a column's whole name is that of objects, so that it names them though it repeats."""
    return bool(_ONLY_OBJECT.fullmatch(name.strip()))


def is_model(name: str) -> bool:
    """Whether a column's name looks like that of a model, not of a person: gpt4_label, judge."""
    if _PERSONS_FIELD.search(name):
        return False
    return "judge" in name.casefold() or bool(_PROGRAMME.search(name)) or looks_like_a_model(name)


def models_among(raters: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The raters that are judges and no people, and those of which only the user knows."""
    given = tuple(raters)
    models, named = tuple(filter(looks_like_a_model, given)), tuple(filter(is_model, given))
    if not models and len(named) == 1:
        models = named  # the only one called a judge; of several they may be people
    return (models, ()) if models else ((), named)


def looks_like_a_model(name: str) -> bool:
    """Whether a rater's name is hardly a person's; `judge_2` may be one's."""
    return bool(_LIKE_A_MODEL.search(name))


def is_reversed(name: str) -> bool:
    """Whether a judge's name is that of a distortion, of which less is better."""
    return bool(_LOWER.search(name))


def has_peoples_unit(name: str, scores: Floats, persons: Floats) -> bool:
    """Whether a judge's scores are in people's unit: as both are spread, and not by the name of a metric.

    The name of a metric is believed unless both sides give the same steps. Scores have shape ``(n,)``, people's that or
    ``(n, people)``, NaN where there is none.
    """
    return on_one_scale(scores, persons) and (not names_a_metric(name) or on_the_same_steps(scores, persons))


def names_a_metric(name: str) -> bool:
    """Whether a column has the name of a metric with a unit of its own."""
    return bool(_OWN_UNIT.search(name.replace("_", " ")))


def _roles(columns: Sequence[SeenColumn], given: Mapping[str, Role]) -> dict[str, Role]:
    """Each column's role; in a file with a row for each rating only rater, rating and object have one."""
    decided = {*given.values()} - {"judge"}

    def of_role(role: Role, likely: Callable[[SeenColumn], bool]) -> list[SeenColumn]:
        if role in decided:
            return [column for column in columns if given.get(column.name) == role]
        return [column for column in columns if column.name not in given and likely(column)]

    rater = of_role("rater", lambda column: bool(_RATER.search(column.name.strip("_ "))) and _repeats(column))
    rating = of_role(
        "rating", lambda column: bool(_RATING.search(column.name)) and _rates(column) and column.different > 1
    )
    one_each = len(rater) == 1 and len(rating) == 1 and not {"judge", "person"} & {*given.values()}
    no_raters = [column for column in columns if column not in rater]
    criteria = [column for column in no_raters if column.name not in given and _is_criterion(column, no_raters)][:1]
    criterion: dict[str, Role] = {column.name: "criterion" for column in criteria}
    # In a wide file `judge` and `label` hold the same words.
    is_long = one_each and not {*rater[0].texts} & {*rating[0].texts} - _numbers(rater[0])
    if is_long or (one_each and "rater" in decided):
        likely = {column.name: _long_role(column, rater[0].name, rating[0].name) for column in columns}
        if "object" not in likely.values():
            likely |= {column.name: "object" for column in _rated_once_each(columns, rater[0], rating[0])[:1]}
        undecided: dict[str, Role] = {name: "other" if role in decided else role for name, role in likely.items()}
        return undecided | criterion | {**given}
    roles: dict[str, Role] = {}
    named = [column for column in columns if not (_ABOUT.search(column.name) or column in criteria)]
    # One that repeats is taken too, so that the reader names the objects that come twice.
    objects = of_role("object", lambda column: column in named and _is_object(column))
    named = [column for column in named if column.name not in given]
    objects = objects or [column for column in named if any(_once_each(column, one) for one in criteria)]
    objects = objects or sorted(filter(_repeats_objects, named), key=lambda column: -column.different)
    objects = objects or [column for column in named if _looks_like_names(column)]
    for column in columns:
        if column.name in given:
            roles[column.name] = given[column.name]
        elif column in criteria:
            roles |= criterion
        elif _ABOUT.search(column.name):
            roles[column.name] = "other"
        elif column in objects[:1]:
            roles[column.name] = "object"
        elif _rates(column) and is_model(column.name):
            roles[column.name] = "judge"
        elif _rates(column) and _PERSON.search(column.name) and not _OBJECT.search(column.name):
            roles[column.name] = "other" if "person" in decided else "person"
        elif _rates(column) and _JUDGE.search(column.name):
            roles[column.name] = "judge"
        elif _SOURCE.search(column.name) and _repeats(column) and "source" not in {*roles.values(), *decided}:
            roles[column.name] = "source"
        else:
            roles[column.name] = "other"
    # Given names say nothing: a column that holds a judge's words is another rater's.
    judges = [column for column in columns if roles[column.name] == "judge"]
    same = [column for column in columns if roles[column.name] == "other" and _same_words(column, judges)]
    roles |= {column.name: "person" for column in same if "person" not in decided}
    people = [column for column in columns if roles[column.name] == "person"]
    for column in columns:
        is_alike = not people or column.name in given or any(_alike(column, person) for person in people)
        if roles[column.name] == "judge" and not is_alike:
            roles[column.name] = "source" if _SOURCE.search(column.name) and "source" not in roles.values() else "other"
    if not {"judge", "person"} <= {*roles.values()} and not given and (rows := _rows_of_raters(columns)):
        others: dict[str, Role] = {name: "source" if role == "source" else "other" for name, role in roles.items()}
        return others | criterion | rows
    sources = [column for column in columns if roles[column.name] == "source"]
    if not sources or not (are_clusters(sources[0].texts) or sources[0].name in given):
        groups = [column for column in columns if roles[column.name] == "other" and _groups_objects(column)]
        # Ratings that could not be read are no sources.
        is_clear = {"judge", "person"} <= {*roles.values()}
        groups = [column for column in groups if is_clear or not _names_a_rater(column.name)]
        groups.sort(key=lambda column: (_names_a_rater(column.name), column.different))
        for column in (*sources, *groups[:1]) if groups else ():
            roles[column.name] = "source" if column is groups[0] else "other"
    return roles


def _rows_of_raters(columns: Sequence[SeenColumn]) -> dict[str, Role] | None:
    """The three columns of a file with a row for each rating whose names do not say so; null where it is none.

    One names several people and models, each once for an object, and one other column holds ratings.
    """
    for rater in columns:
        models = {*filter(looks_like_a_model, rater.texts)}
        if not models or len({*rater.texts} - models) < 2 or not _repeats(rater) or _MADE_IT.search(rater.name):
            continue
        rating = [one for one in columns if one is not rater and _rates(one) and one.different > 1]
        rating = [one for one in rating if not (_ABOUT.search(one.name) or _SOURCE.search(one.name))]
        rating = [one for one in rating if re.search(r"rating|score|grade", one.name, re.IGNORECASE)] or rating
        objects = _rated_once_each(columns, rater, rating[0]) if len(rating) == 1 else []
        if objects:
            return {rater.name: "rater", rating[0].name: "rating", objects[0].name: "object"}
    return None


def _rated_once_each(columns: Iterable[SeenColumn], rater: SeenColumn, rating: SeenColumn) -> list[SeenColumn]:
    """The columns whose names come again, once for each rater: those that are called like objects or texts first."""
    others = [column for column in columns if column not in (rater, rating) and not _ABOUT.search(column.name)]
    found = [one for one in others if _in_groups(one) and _once_each(one, rater)]
    found = [one for one in found if not one.are_numbers or all(text.isdigit() for text in one.texts)]
    return sorted(found, key=lambda one: not (_OBJECT.search(one.name) or _TEXTUAL.search(one.name)))


def _is_criterion(column: SeenColumn, columns: Iterable[SeenColumn]) -> bool:
    """Whether it says for what an object is rated, and there are several."""
    others = (one.texts for one in columns if one.are_labels and not (one.are_numbers or names_a_criterion(one.name)))
    return names_a_criterion(column.name) and are_criteria(column.name, Counter(column.texts), others)


def _once_each(column: SeenColumn, other: SeenColumn) -> bool:
    """Whether names come again, and once for each criterion or rater."""
    of_row = dict(zip(other.rows, other.texts, strict=True))
    pairs = {(text, of_row.get(row)) for row, text in zip(column.rows, column.texts, strict=True)}
    return len(pairs) == column.n and _repeats(column) and not column.are_labels


def _groups_objects(column: SeenColumn) -> bool:
    """Whether names come again in groups, whatever the column is called: documents, prompts, ids."""
    few = column.different <= MOST_LABELS and not _SOURCE.search(column.name)
    if _ABOUT.search(column.name) or not are_clusters(column.texts) or few:
        return False
    return _in_groups(column) and (not column.are_numbers or bool(_OBJECT.search(column.name)))


def _in_groups(column: SeenColumn) -> bool:
    """Whether nearly all rows have a name that another row has too."""
    return sum(n for n in Counter(column.texts).values() if n > 1) >= GROUPED * len(column.texts) > 0


def _names_a_rater(name: str) -> bool:
    return (is_model(name) or bool(_PERSON.search(name))) and not _OBJECT.search(name)


def _alike(judge: SeenColumn, person: SeenColumn) -> bool:
    """Whether both hold numbers, or some of the same labels."""
    if judge.are_numbers or person.are_numbers:
        return judge.are_numbers and person.are_numbers
    labels = {one_spelling(text) for text in judge.texts}
    return any(one_spelling(text) in labels for text in person.texts)


def _same_words(column: SeenColumn, judges: Sequence[SeenColumn]) -> bool:
    """Whether a column holds labels that are words, most of which a judge gives too, and no remarks about them."""
    are_words = not column.are_numbers and column.different > 1 and not _ABOUT.search(column.name)
    n_by_text = Counter(column.texts)
    return are_words and column.are_labels and any(shares_words(n_by_text, judge.texts) for judge in judges)


def _same_steps(column: SeenColumn, judges: Sequence[SeenColumn]) -> bool:
    """Whether a column holds the few numbers that a judge gives too, whatever it is called."""
    no_name = not any(pattern.search(column.name) for pattern in (_ABOUT, _OBJECT, _SOURCE))
    are_steps = no_name and column.are_numbers and column.are_labels
    n_by_text = Counter(column.texts)
    return are_steps and any(judge.are_labels and shares_words(n_by_text, judge.texts) for judge in judges)


def _numbers(column: SeenColumn) -> set[str]:
    """The values of a column of numbers, which may name raters and be ratings as well."""
    return set(column.texts) if column.are_numbers and column.name.casefold() not in ("judge", "by") else set()


def _long_role(column: SeenColumn, rater: str, rating: str) -> Role:
    if column.name == rater:
        return "rater"
    if column.name == rating:
        return "rating"
    if _OBJECT.search(column.name) or re.search(r"doc|passage|text|response|output", column.name, re.IGNORECASE):
        return "object"
    return "source" if _SOURCE.search(column.name) and _repeats(column) else "other"


def _is_object(column: SeenColumn) -> bool:
    return bool(_OBJECT.search(column.name)) and column.different == len(column.texts) == column.n


def _looks_like_names(column: SeenColumn) -> bool:
    """Whether it holds another short name without a space in every row, whatever it is called."""
    words = sum(" " not in text and len(text) <= LONGEST_NAME for text in column.texts)
    all_differ = column.different == len(column.texts) == column.n > MOST_LABELS
    is_text = _TEXTUAL.search(column.name)
    return all_differ and not (column.are_numbers or is_text) and words >= NEARLY_ALL * len(column.texts)


def _repeats_objects(column: SeenColumn) -> bool:
    return _repeats(column) and not column.are_labels and names_objects_only(column.name)


def _repeats(column: SeenColumn) -> bool:
    return 1 < column.different < len(column.texts)


def _rates(column: SeenColumn) -> bool:
    return (column.are_numbers or column.are_labels) and A_LIST not in column.texts


def _question(columns: Iterable[LikelyColumn]) -> str | None:
    by_role: dict[Role, list[str]] = {}
    for column in columns:
        by_role.setdefault(column.role, []).append(column.name)
    if "rater" in by_role:
        return f"Which names in '{by_role['rater'][0]}' are judges? Name each by `--judge`; all others are people."
    if "judge" not in by_role and "person" not in by_role:
        return NOBODY
    if "judge" not in by_role:
        return "Which column holds the judge's ratings?"
    if "person" not in by_role:
        return "Which columns hold people's ratings?"
    return None
