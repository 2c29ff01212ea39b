"""Table `reviewer_agreement`: how well reviewers agree with each other."""

import dagster as dg
import pandas as pd

from assets.shared.partitions import metadata_value, readable
from resources.study import Study


@dg.asset(group_name="reliability_people", deps=["disputed_documents"], kinds={"database"}, code_version="1")
def reviewer_agreement(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """One row per two reviewers who voted on the same document; votes that were withdrawn do not count."""
    frame = study.reviews.reviewer_agreement()
    numbers = {"n_pairs": len(frame), "lowest_agreement": metadata_value(frame["percent_agreement"].min())}
    context.add_output_metadata(readable(numbers))
    return frame
