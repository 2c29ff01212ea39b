"""Which failures are sent to the webhook."""

from typing import Final, Literal

from pydantic import Field

from resources.configuration.section import Section

Failure = Literal["failed_runs", "failed_gates", "drift", "advice"]
DRIFT: Final = "drift"  # the table whose checks watch the anchor, and their name here


class Alerts(Section):
    """The section `alerts`."""

    on: tuple[Failure, ...] = Field(
        ("failed_gates", DRIFT),
        description="what is sent: runs that fail, gates that fail, drift of the judge, advice that warns",
    )
