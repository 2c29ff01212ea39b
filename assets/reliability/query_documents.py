"""Table `query_documents`: the documents of each query."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import dagster as dg
import pandas as pd

from assets.reliability.logic.judge_pairs import KEY, told_of
from resources.database.reliability.records import JudgmentRecord, KeptOtherwise, imported
from resources.errors import UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.inputs.reliability.relevance_records import RelevanceInput
from resources.study import Study


@dg.asset(group_name="reliability_inputs", deps=["queries_file"], kinds={"database"}, code_version="2")
def query_documents(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """Reads queries and documents, and keeps them in the database, where votes and scores refer to them.

    Scores that come with them are kept in the same moment: an input that is refused leaves nothing behind. The database
    keeps what an earlier input had too; the table has what this one has.
    """
    read = read_relevance(study.reliability)
    with told_by_row(read):
        study.queries.add_queries(read.documents, scores_of(read, study, context.op_execution_context.run_id))
    kept = study.queries.query_documents()
    frame = kept if len(kept) == len(read.documents) else kept.merge(read.documents[KEY], on=KEY)
    context.add_output_metadata(
        {
            "n_queries": frame["query_id"].nunique(),
            "n_documents": len(frame),
            "n_no_longer_in_the_input": len(kept) - len(frame),
            "n_without_text": int(frame["document"].isna().sum()),
            **({"notes": " ".join(read.notes)} if read.notes else {}),
            "source_sha256": read.sha256,
        }
    )
    frame.attrs["about"] = {"input": read.content_sha256}
    if not study.reliability.judges:
        frame.attrs["about"] |= told_of(read, study.queries.withdrawn(read.scores, read.documents))
    return frame


def refuse_changed(read: RelevanceInput, study: Study) -> None:
    """Refuse an input that the table would refuse, before anything is stored.

    Raises:
        UserError: A known query or document has another text now, or a score that is kept another value.
    """
    with told_by_row(read):
        study.queries.refuse_changed(read.documents, scores_of(read, study))


def scores_of(read: RelevanceInput, study: Study, run: str | None = None) -> Iterable[JudgmentRecord]:
    """The scores that are kept with the input: none where judges are asked instead."""
    return () if study.reliability.judges else imported(read.scores, run)


@contextmanager
def told_by_row(read: RelevanceInput) -> Iterator[None]:
    """Tell what is refused with the place in the input where it stands.

    Raises:
        UserError: Something given contradicts what is kept.
    """
    try:
        yield
    except KeptOtherwise as fault:
        place = read.place(fault.query_id, fault.doc_id, fault.judge, fault.prompt_version)
        raise UserError(f"{place}: {fault}") from fault
