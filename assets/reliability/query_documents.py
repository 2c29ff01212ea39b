"""Table `query_documents`: the documents of each query."""

import dagster as dg
import pandas as pd

from assets.judge_pairs import KEY
from resources.errors import UserError
from resources.inputs.relevance import read_relevance
from resources.reliability.records import KeptOtherwise, imported
from resources.study import Study


@dg.asset(group_name="reliability", deps=["queries_file"], kinds={"database"}, code_version="1")
def query_documents(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """Reads queries and documents, and keeps them in the database, where votes and scores refer to them.

    Scores that come with them are kept in the same moment: an input that is refused leaves nothing behind. The database
    keeps what an earlier input had too; the table has what this one has.
    """
    read = read_relevance(study.reliability)
    scores = () if study.reliability.judges else imported(read.scores, context.op_execution_context.run_id)
    try:
        study.queries.add_queries(read.documents, scores)
    except KeptOtherwise as fault:
        place = read.place(fault.query_id, fault.doc_id, fault.judge, fault.prompt_version)
        raise UserError(f"{place}: {fault}") from fault
    kept = study.queries.query_documents()
    frame = kept if len(kept) == len(read.documents) else kept.merge(read.documents[KEY], on=KEY)
    context.add_output_metadata(
        {
            "n_queries": frame["query_id"].nunique(),
            "n_documents": len(frame),
            "n_no_longer_in_the_input": len(kept) - len(frame),
            "n_without_text": int(frame["document"].isna().sum()),
            "source_sha256": read.sha256,
        }
    )
    frame.attrs["about"] = {"input": read.content_sha256}
    return frame
