"""Table `reviewer_agreement`: how well reviewers agree with each other."""

import dagster as dg
import pandas as pd

from resources.study import Study


@dg.asset(group_name="reliability", deps=["disputed_documents"], kinds={"database"}, code_version="1")
def reviewer_agreement(study: dg.ResourceParam[Study]) -> pd.DataFrame:
    """One row per two reviewers who voted on the same document; votes that were withdrawn do not count."""
    return study.reviews.reviewer_agreement()
