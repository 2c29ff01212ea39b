"""The tables of study A before statistics: inputs, calls and the scores that they gave."""

from typing import Any

from resources.tables.call_states import ANSWER_STATES, FAULT_STATES
from resources.tables.declare import Column, Table, count, number, text, texts, time, whole

# Keys of the configuration that several tables are made from.
REPEATS = ("max_incomplete_share", "minimum_repeats", "repeats", "stopping")
CALLS = ("@judge", "score_source", "max_missing_share", "repeats", "stopping")
BASELINE = ("settings.baseline_temperature", "settings.baseline_top_p")
CHOOSING = ("recommendation.fewest_products_to_split", "recommendation.method")

SCORE: dict[str, Any] = {"low": 0.0, "high": 1.0}

OBJECT = text("object", "Generated object: the 8 hex digits that its file name ends with.")
ITEM = text("item_id", "Product, or product and variant: what the photos show.")
PRODUCT = text("product_id", "Product; objects of one product are one cluster.")
ALGORITHM = text("algorithm", "What generated the object.")
SETTING = text("setting", "Partition key, such as t0.2_p0.95.")
CATEGORIES = (
    text("category_l1", "Widest category of the product.", nullable=True),
    text("category_l2", "Middle category.", nullable=True),
    text("category_l3", "Narrowest category.", nullable=True),
)

HUMAN_SCORES = Table(
    "human_scores",
    "What people said: one row per generated object and annotator.",
    (
        text("filename", "Object's file as the score file names it."),
        OBJECT,
        ITEM,
        PRODUCT,
        text("variant", "Variant of the product.", nullable=True),
        ALGORITHM,
        text("annotator", "Who scored; a1 where the file names no one."),
        number("score", "Visual fidelity as this person saw it.", "0-1", **SCORE),
        *CATEGORIES,
    ),
    key=("object", "annotator"),
    reads=("algorithms", "columns", "manifest", "scale", "score_max", "texts"),
)

STUDY_OBJECTS = Table(
    "study_objects",
    "What is judged: one row per generated object with its images, excluded ones with the cause.",
    (
        OBJECT,
        text("judged_object", "Object that the render shows; the gate wants it to be the one people scored."),
        ITEM,
        PRODUCT,
        text("variant", "Variant of the product.", nullable=True),
        ALGORITHM,
        *CATEGORIES,
        text("candidate_path", "Address of the render.", nullable=True),
        text("candidate_sha256", "Content hash of the render.", nullable=True),
        texts("reference_paths", "Addresses of the photos, in order."),
        texts("reference_sha256", "Content hashes of the photos, in order."),
        count("n_references", "Photos.", high=5),
        text("excluded", "Cause for which the object is not judged; null where it is.", nullable=True),
        text("exclusion_detail", "The cause in a sentence, with the remedy.", nullable=True),
        count(
            "n_with_background",
            "Its pictures with a background that is neither black nor transparent, which counts as part of the object.",
            optional=True,
        ),
    ),
    key=("object",),
    reads=(
        "algorithms",
        "candidates",
        "columns.filename",
        "golden.items",
        "golden.pairs",
        "manifest",
        "max_missing_share",
        "mismatched_objects",
        "references",
        "texts",
    ),
)

JUDGE_CALLS = Table(
    "judge_calls",
    "Every attempt to get a verdict, whether it worked or not: the ledger's rows of this study.",
    (
        OBJECT,
        ITEM,
        SETTING,
        count("repeat", "Repeat, from 1.", low=1),
        count("attempt", "Attempt at this repeat, from 1; the last one counts.", low=1),
        text("run_id", "Nonce in the prompt, derived from the call's key."),
        text("judge", "Judge: openai or anthropic (the format), local or replay."),
        text("judge_identity", "Digest of judge, model, rubric, parameters and code version."),
        text("model_asked", "Model that was asked for."),
        text("model_answered", "Model that says it answered.", nullable=True),
        text("fingerprint", "The provider's fingerprint of its system.", nullable=True),
        number("temperature", "Sampling temperature.", "unitless", low=0),
        number("top_p", "Nucleus sampling share.", "share", **SCORE),
        whole("seed", "Seed that the judge was given."),
        text("answer_form", "Form that was asked for: json_schema, json_object or plain.", nullable=True),
        text("prompt_hash", "SHA-256 of template, rubric and context, without the nonce."),
        texts("image_hashes", "Content hashes of the images shown: photos, then candidate."),
        time("started_at", "When the call began (UTC)."),
        number("latency_ms", "How long the answer took.", "ms", low=0),
        whole("tokens_in", "Tokens read.", "tokens", nullable=True, low=0),
        whole("tokens_out", "Tokens written.", "tokens", nullable=True, low=0),
        whole("tokens_cached", "Tokens read that a cache served.", "tokens", nullable=True, low=0),
        number("cost_usd", "Price of the call.", "USD", low=0),
        text("state", "What became of it: an answer's state or a fault.", among=(*ANSWER_STATES, *FAULT_STATES)),
        text("fault_message", "The fault, or what was wrong with the answer.", nullable=True),
        number("score", "The verdict; null unless the state is valid or recovered.", "0-1", nullable=True, **SCORE),
        number("score_stated", "Score that the answer states.", "0-1", nullable=True, **SCORE),
        number("score_recomputed", "Weighted sum of the sub-scores.", "0-1", nullable=True, **SCORE),
        number("color_palette", "Sub-score.", "0-1", nullable=True, **SCORE),
        number("material_finish", "Sub-score.", "0-1", nullable=True, **SCORE),
        number("texture_identity", "Sub-score.", "0-1", nullable=True, **SCORE),
        number("texture_scale_placement", "Sub-score.", "0-1", nullable=True, **SCORE),
        texts("rationale", "The judge's reasons."),
        text("raw_answer", "The answer as it came.", nullable=True),
    ),
    key=("object", "setting", "repeat", "attempt"),
    reads=(*CALLS, "@price", "confidence", "thresholds.json_validity"),
)

SCORE_MATRIX = Table(
    "score_matrix",
    "The setting's verdicts as a matrix: one row per object, one column per repeat, missing ones null.",
    (
        SETTING,
        OBJECT,
        ITEM,
        PRODUCT,
        count("n_valid", "Repeats with a score."),
        count("n_planned", "Repeats planned.", low=1),
        Column(r"repeat_\d+", "number", "Verdict of this repeat.", "0-1", nullable=True, pattern=True, **SCORE),
    ),
    key=("setting", "object"),
    reads=(*REPEATS, "max_missing_share"),
)

MATCHED_SCORES = Table(
    "matched_scores",
    "Judge and people side by side: one row per object (or item, as configured) that both scored.",
    (
        SETTING,
        text("match_key", "Object, or item where the study matches by item."),
        ITEM,
        PRODUCT,
        text("algorithm", "What generated the object; null where an item's objects differ.", nullable=True),
        *CATEGORIES,
        number("judge_score", "Mean (or median, as configured) of the valid repeats.", "0-1", **SCORE),
        count("n_judge_scores", "Valid repeats behind it.", low=1),
        number("human_score", "Mean of the ratings; of the objects' means for an item.", "0-1", **SCORE),
        count("n_ratings", "Ratings behind it.", low=1),
        number("difference", "Judge minus people.", "0-1", low=-1.0, high=1.0),
    ),
    key=("setting", "match_key"),
    reads=(*REPEATS, "aggregate", "match_by"),
)
