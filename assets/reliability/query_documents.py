"""Table `query_documents`: the documents of each query."""

import dagster as dg
import pandas as pd

from assets.judge_pairs import KEY
from resources.inputs.relevance import read_relevance
from resources.study import Study


@dg.asset(group_name="reliability", deps=["queries_file"], kinds={"database"}, code_version="1")
def query_documents(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """Reads queries and documents, and keeps them in the database, where votes and scores refer to them.

    The database keeps what an earlier input had too; the table has what this one has.
    """
    read = read_relevance(study.reliability)
    study.queries.add_queries(read.documents)
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
    return frame
