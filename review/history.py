"""Validations so far: read from the database, and drawn."""

from typing import Any

import pandas as pd
import sqlalchemy as sa
import streamlit as st

from analysis.words import queries
from resources.database.engine import usable
from resources.database.reliability.models import ValidationResult

COLUMNS = ("timestamp", "kappa_macro", "kappa_micro", "status", "total_queries")
WORDS = {"kappa_macro": "macro", "kappa_micro": "micro"}
# On a light page and on a dark one.
COLOURS = ("#3d85cc", "#c05621")


def validations(engine: sa.Engine, study: str) -> pd.DataFrame:
    """Every validation of the study, the first one first.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    table = ValidationResult
    question = sa.select(*(getattr(table, name) for name in COLUMNS)).where(table.study == study).order_by(table.id)
    with usable(engine), engine.connect() as connection:
        rows = [tuple(row) for row in connection.execute(question)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def chart(found: pd.DataFrame, min_macro: float, min_micro: float) -> Any:
    """Kappa over validations, with the limit of the gate."""
    import altair as alt

    numbered = found.assign(
        validation=range(1, len(found) + 1), day=[f"{moment:%Y-%m-%d %H:%M} UTC" for moment in found["timestamp"]]
    )
    long = numbered.rename(columns=WORDS).melt(
        id_vars=["validation", "day", "status"], value_vars=list(WORDS.values()), var_name="of", value_name="kappa"
    )
    long["status"] = long["status"].str.replace("_", " ")
    lowest = min(0.0, float(long["kappa"].min()))
    places = alt.Axis(values=list(range(1, len(found) + 1)), format="d", grid=False)
    axis = alt.X("validation:Q", title="validation", axis=places, scale=alt.Scale(domain=[0.5, len(found) + 0.5]))
    # The page's theme writes labels above their lines.
    heights = alt.Axis(format=".1f", labelBaseline="middle", labelOffset=0)
    lines = (
        alt.Chart(long)
        .mark_line(point=alt.OverlayMarkDef(size=60))
        .encode(
            x=axis,
            y=alt.Y("kappa:Q", title="kappa", axis=heights, scale=alt.Scale(domain=[lowest, 1.0])),
            color=alt.Color(
                "of:N",
                title=None,
                scale=alt.Scale(domain=list(WORDS.values()), range=list(COLOURS)),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=["of:N", alt.Tooltip("kappa:Q", format=".3f"), "day:N", "status:N"],
        )
    )
    limits = pd.DataFrame({"limit": sorted({min_macro, min_micro})})
    gate = alt.Chart(limits).mark_rule(strokeDash=[5, 4], color="#718096").encode(y="limit:Q")
    return (gate + lines).properties(height=220)


def show(drawn: Any, found: pd.DataFrame, min_macro: float, min_micro: float) -> None:
    """The chart with what it says in words."""
    last = found.iloc[-1]
    at_last = f"macro {last.kappa_macro:.2f}, micro {last.kappa_micro:.2f}"
    st.altair_chart(
        drawn,
        alt=f"Kappa over {len(found)} validations; at the last {at_last}",
    )
    limit = f"{min_macro:.2f}" if min_macro == min_micro else f"{min_macro:.2f} (macro) and {min_micro:.2f} (micro)"
    st.caption(
        f"Validation {len(found)}, over {queries(last.total_queries)}: {at_last}. Dashed: the gate at {limit}. "
        "Votes never change kappa."
    )
