"""Input of study D, the file of queries and documents: observed, never made."""

from assets.shared.observed_inputs import input_asset

queries_file = input_asset(
    "queries_file",
    "reliability",
    "json",
    "The file of queries and documents (`queries`), with scores where they were judged elsewhere. Its version is "
    "the hash of its bytes; a database table has none.",
)
