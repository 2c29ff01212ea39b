"""The `limits` section: how large a user's files may be, so that none of them fills a machine's memory or time."""

from typing import Final

from pydantic import Field

from resources.configuration.section import Section

MOST_RESAMPLES: Final = 1_000_000  # more of them change no digit that is shown, and take a machine's memory
_MOST_BYTES: Final = 2**60  # more than any file has, and than can be asked of the system


class Limits(Section):
    """What one file may hold at most; each can be raised."""

    yaml_bytes: int = Field(262_144, ge=1, le=_MOST_BYTES, description="size of a YAML file")
    yaml_depth: int = Field(50, ge=1, le=200, description="levels of a YAML file")
    yaml_values: int = Field(100_000, ge=1, description="values of a YAML file, those behind each alias counted again")
    columns: int = Field(10_000, ge=1, description="columns of a CSV file, fields of a JSONL file")
    line_bytes: int = Field(
        16 * 2**20, ge=1, le=_MOST_BYTES, description="one line of a CSV or JSONL file, or a whole JSON file"
    )
    parquet_bytes: int = Field(
        4 * 2**30,
        ge=1,
        le=_MOST_BYTES,
        description="a Parquet file once it is decompressed, texts that rows share counted for each",
    )


DEFAULTS = Limits()


def raise_it(key: str, needed: int | None = None) -> str:
    """The remedy's last words: which key lets a file through that is as it should be."""
    value = f" to {needed} or more" if needed is not None else ""
    return f"or raise `{key}` under `limits:` in touchstone.yaml{value}, where it is meant to be so."
