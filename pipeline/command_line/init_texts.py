"""`touchstone init --from` a file of texts: study A over texts, with people's scores or still without."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Final

from pipeline.command_line.draft import Draft, Drafted, cell_text, free_path, mapping, yaml_list
from resources.errors import FileFault
from resources.inputs.ratings.likely import MOST_LABELS, SeenColumn
from resources.inputs.record_files import CsvRecords, Record, value_of

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
