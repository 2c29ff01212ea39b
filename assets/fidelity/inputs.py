"""Inputs of study A, scores, catalogue, selection and pictures: observed, never made."""

from assets.shared.observed_inputs import input_asset

score_file = input_asset(
    "score_file",
    "fidelity",
    "csv",
    "The file of human scores (`human_scores` in touchstone.yaml). Its version is the hash of its bytes.",
)
catalogue_file = input_asset(
    "catalogue_file",
    "fidelity",
    "json",
    "The catalogue of generated objects (`catalogue`), which a study need not have. Its version is the hash of "
    "its bytes.",
)
selection_file = input_asset(
    "selection_file",
    "fidelity",
    "csv",
    "The list of objects to judge (`selected_objects`), which a study need not have. Its version is the hash of "
    "its bytes.",
)
reference_images = input_asset(
    "reference_images",
    "fidelity",
    "image",
    "The folder of products' photos (`references`). Its version is one hash over the paths and bytes of all "
    "files in it.",
)
candidate_images = input_asset(
    "candidate_images",
    "fidelity",
    "image",
    "The folder of renders to judge (`candidates`). Its version is one hash over the paths and bytes of all "
    "files in it.",
)
