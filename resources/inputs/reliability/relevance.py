"""Reads the input of the reliability study into frames, each query with its documents and scores."""

from dataclasses import replace

from resources.configuration.reliability import ReliabilityStudy
from resources.errors import FileFault
from resources.inputs.reliability.relevance_records import Asked, RelevanceInput
from resources.inputs.reliability.relevance_rows import read_relevance_file
from resources.runtime.file_hash import sha256_of_file


def read_relevance(plan: ReliabilityStudy) -> RelevanceInput:
    """What the study's configuration names as its input.

    Raises:
        UserError: It cannot be read, something in it is wrong, or it has scores of fewer than two judges and the
            configuration names no judges. Nothing is loaded then.
    """
    asked = Asked(plan.scale, plan.prompt_version, plan.grades, plan.people)
    if plan.postgres is not None:
        # Most studies read files and need no database library.
        from resources.inputs.reliability.relevance_table import read_relevance_table

        read = read_relevance_table(plan.postgres, plan.columns, asked)
    elif plan.queries is not None:
        read = read_relevance_file(plan.queries, plan.columns, asked)
        read = replace(read, sha256=sha256_of_file(plan.queries))
    else:
        raise ValueError("the study has no input")
    _refuse_few_judges(read, plan)
    if not plan.judges:
        plan.people_among(read.judges)
    return read


def _refuse_few_judges(read: RelevanceInput, plan: ReliabilityStudy) -> None:
    if plan.judges or len(read.judges) >= 2:
        return
    there = f"only judge '{read.judges[0]}' has scores" if read.judges else "there are no scores"
    raise FileFault(
        read.name,
        f"{there}, and agreement takes two judges.",
        "Add the other judge's scores, or configure `judges` in touchstone.yaml.",
    )
