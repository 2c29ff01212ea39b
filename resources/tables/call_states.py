"""What became of a judge call: the words of column `state`, and other names that the ledger's rows share."""

ANSWER_STATES = (
    "valid",
    "recovered",
    "invalid_json",
    "schema_error",
    "out_of_range",
    "ambiguous",
    "reasoning_only",
    "cut_off",
    "filtered",
    "refused",
)
FAULT_STATES = ("rate_limited", "timeout", "provider_error")
SCORED_STATES = ("valid", "recovered")
RELEVANCE = "relevance-"  # rubric versions that begin so are of judges of documents
OWN_RUBRIC = "own-"  # and these of tasks that a user wrote, with sub-scores of their own
SUBSCORES = ("color_palette", "material_finish", "texture_identity", "texture_scale_placement")
