"""A table of study D as it lies in the home, for what looks at it outside a run."""

import pandas as pd

from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import read


def stored_table(study: Study, name: str) -> pd.DataFrame | None:
    """A table of study D as it lies in the home; null where it was never made there.

    Raises:
        UserError: Its file is damaged, or of another version.
    """
    path = study.home.tables / "reliability" / f"{name}.parquet"
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return read(TABLES[name], file, path=path)
