"""Validations so far: read from the database, and drawn."""

from typing import Any

import pandas as pd
import sqlalchemy as sa
import streamlit as st

from resources.database.engine import usable
from resources.database.reliability_models import ValidationResult

COLUMNS = ("timestamp", "kappa_macro", "kappa_micro", "status", "total_queries")
COLOURS = {"kappa_macro": "#2b6cb0", "kappa_micro": "#9c4221"}


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
    long = numbered.melt(
        id_vars=["validation", "day", "status"], value_vars=list(COLOURS), var_name="statistic", value_name="kappa"
    )
    lowest = min(0.0, float(long["kappa"].min()))
    places = alt.Axis(values=list(range(1, len(found) + 1)), format="d", grid=False)
    axis = alt.X("validation:Q", title="validation", axis=places, scale=alt.Scale(domain=[0.5, len(found) + 0.5]))
    lines = (
        alt.Chart(long)
        .mark_line(point=alt.OverlayMarkDef(size=60))
        .encode(
            x=axis,
            y=alt.Y("kappa:Q", title=None, scale=alt.Scale(domain=[lowest, 1.0])),
            color=alt.Color(
                "statistic:N",
                title=None,
                scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=["statistic:N", alt.Tooltip("kappa:Q", format=".3f"), "day:N", "status:N"],
        )
    )
    limits = pd.DataFrame({"limit": sorted({min_macro, min_micro})})
    gate = alt.Chart(limits).mark_rule(strokeDash=[5, 4], color="#4a5568").encode(y="limit:Q")
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
        f"Validation {len(found)}, over {last.total_queries} queries: {at_last}. Dashed: the gate at {limit}. "
        "Votes never change kappa."
    )
