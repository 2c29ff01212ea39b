"""What a model is asked, in the configuration: a prompt of one's own, its rubric, scale and form of the answer."""

from math import inf
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator

from resources.configuration.section import Section

RubricName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=60)]
Shows = Literal["images", "text", "both"]
SCORE = "score"
FIRST, SECOND, TIE = "A", "B", "tie"
PICKS: Final = (FIRST, SECOND, TIE)


class Task(Section):
    """A prompt with places such as `{item_id}`, and how its answers are read.

    `scale` is the lowest and the highest number, or labels from the worst to the best; scores are stored on 0-1. With
    `answer: json` the rubric's names are fields of the answer, each on the scale, and `score`, where the answer has it,
    counts; their weighted mean where it has none. `shows` is what the judge sees of an object; `both` is its images and
    its text. With `object: pair` the judge sees two things, A and B, and picks one: `scale` is `[A, B, tie]` or
    `[A, B]`, the answer a label, or JSON with the field `winner`.
    """

    prompt: Path
    scale: tuple[float, float] | Annotated[tuple[str, ...], Field(min_length=2)]
    answer: Literal["number", "label", "json"] = "number"
    rubric: dict[RubricName, Annotated[float, Field(ge=0)]] = {}
    shows: Shows = "images"
    object: Literal["one", "pair"] = "one"

    @model_validator(mode="before")
    @classmethod
    def picks(cls, values: Any) -> Any:
        """A judge of pairs picks A, B or tie where nothing else is said."""
        if isinstance(values, dict) and values.get("object") == "pair":
            return {"scale": PICKS, "answer": "label"} | values
        return values

    @model_validator(mode="after")
    def parts_that_fit(self) -> "Task":
        """Refuse a scale that does not rise, labels without an answer in labels, and a rubric that is not read."""
        if self.object == "pair":
            return self._of_pairs()
        if (self.labels is not None) != (self.answer == "label"):
            given = "labels" if self.labels is not None else "numbers"
            raise ValueError(f"answer '{self.answer}' does not go with a scale of {given}: labels take `answer: label`")
        if self.labels is None:
            low, high = self.range
            if not low < high:
                raise ValueError(f"scale [{low:g}, {high:g}] must rise")
        elif len({label.casefold() for label in self.labels}) < len(self.labels):
            raise ValueError("scale: two labels differ only in the case of their letters, or not at all")
        if self.rubric and self.answer != "json":
            raise ValueError(f"rubric: its names are fields of an answer in JSON, and answer is '{self.answer}'")
        if self.rubric and not 0 < sum(self.rubric.values()) < inf:
            raise ValueError("rubric: at least one weight must be above 0, and their sum finite")
        if SCORE in self.rubric:
            raise ValueError("rubric: `score` is the name of the whole; call the part otherwise")
        return self

    def _of_pairs(self) -> "Task":
        known = {pick.casefold() for pick in PICKS}
        for label in self.labels or ("a number",):
            if label.casefold() not in known:
                raise ValueError(f"scale: a judge of pairs answers A, B or tie, and {label!r} is none of them")
        given = [label.casefold() for label in self.labels or ()]
        if not {FIRST.casefold(), SECOND.casefold()} <= set(given) or len(set(given)) < len(given):
            raise ValueError("scale: a judge of pairs needs both A and B, each once; write [A, B, tie] or [A, B]")
        if self.answer == "number":
            raise ValueError("answer: a judge of pairs gives a label, or JSON with the field `winner`, and no number")
        if self.rubric:
            raise ValueError("rubric: a judge of pairs picks one of two and gives no parts; leave `rubric` out")
        if self.shows == "both":
            raise ValueError("shows: a judge of pairs is shown photos or texts, and not both; write `images` or `text`")
        return self

    @property
    def labels(self) -> tuple[str, ...] | None:
        """From the worst to the best; null on a scale of numbers."""
        return None if isinstance(self.scale[0], float) else tuple(str(label) for label in self.scale)

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest number of an answer; labels count from 0."""
        if self.labels is not None:
            return 0.0, float(len(self.labels) - 1)
        return float(self.scale[0]), float(self.scale[1])

    @property
    def shares(self) -> dict[str, float]:
        """Each rubric part's share by name; they sum to 1."""
        total = sum(self.rubric.values())
        return {name: weight / total for name, weight in self.rubric.items()}
