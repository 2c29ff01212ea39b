"""Inputs of study B, votes and photos: observed, never made."""

from assets.shared.observed_inputs import input_asset

votes_file = input_asset(
    "votes_file",
    "pairwise",
    "csv",
    "The file of people's votes (`pairs_csv`). Its version is the hash of its bytes.",
)
photos = input_asset(
    "photos",
    "pairwise",
    "image",
    "The folder of photos (`image_root`). Its version is one hash over the paths and bytes of all files in it.",
)
