"""The columns of a study's verdict: one table of the same form in every study."""

from typing import Final, get_args

from analysis.verdict.rule import State, Word
from resources.tables.declare import Table, count, flag, number, text, texts, whole

VERDICT, CONDITION, PERSON = "verdict", "condition", "person"
PEOPLE_ALL: Final = "all people"


def trust_verdict_table(study: str, judges: str, reads: tuple[str, ...]) -> Table:
    """The declaration of `{study}_trust_verdict`."""
    return Table(
        f"{study}_trust_verdict",
        f"May the judge stand in for people? The verdict on each {judges}, then its conditions and the people by the "
        "same statistic.",
        (
            text("judge", "Judge, method or data set; two judges where they are held against each other."),
            text("place", "Setting of the judge; empty where there is none."),
            text("row", "What the row is of.", among=(VERDICT, CONDITION, PERSON)),
            text("name", "Of the judge, the condition or the person."),
            flag("leading", "It answers the study's question."),
            text("word", "The verdict; null in other rows.", nullable=True, among=get_args(Word)),
            text("against", "Whom the judge is held against.", nullable=True),
            texts("reasons", "Why; empty in other rows."),
            texts("not_covered", "What the verdict does not speak of; empty in other rows."),
            text("state", "Of a condition.", nullable=True, among=get_args(State)),
            flag("required", "A verdict of yes needs the condition.", nullable=True),
            number("estimate", "The condition's number, or the person's agreement with the others.", nullable=True),
            number("low", "Lower bound of it.", nullable=True),
            number("high", "Upper bound of it.", nullable=True),
            text("needed", "What the condition asks for.", nullable=True),
            number("limit", "The number in it.", nullable=True),
            number("judge_estimate", "The judge's agreement in the person's place.", nullable=True),
            count("n", "What it rests on.", nullable=True),
            count("n_clusters", "Clusters of it.", nullable=True),
            text("counted", "What n counts.", nullable=True),
            text("clusters", "What the clusters are.", nullable=True),
            text("gate", "The condition's check in code.", nullable=True),
            text("why", "What else is to be said of it.", nullable=True),
            number("margin", "How far behind people the judge may stay.", nullable=True),
            whole("n_needed", "Objects that would give the verdict `n_for`, if the estimates held.", nullable=True),
            text("n_for", "That verdict.", nullable=True),
        ),
        key=("judge", "place", "row", "name"),
        reads=reads,
    )
