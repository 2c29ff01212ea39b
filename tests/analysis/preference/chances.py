"""The chances of a vote's outcomes as the papers print them, from worths instead of log strengths."""

import numpy as np


def outcome_chances(model, difference, parameter):
    """Shape ``(n, 3)``: the first wins, the second wins, a tie; no parameter: half wins."""
    worth = np.exp(difference)
    if parameter is None:
        return np.column_stack([worth / (worth + 1), 1 / (worth + 1), np.zeros_like(worth)])
    if model == "davidson":
        parts = np.column_stack([worth, np.ones_like(worth), parameter * np.sqrt(worth)])
        return parts / parts.sum(axis=1, keepdims=True)
    first, second = worth / (worth + parameter), 1 / (1 + parameter * worth)
    return np.column_stack([first, second, 1 - first - second])


def fitted_chances(fit, first, second):
    return outcome_chances(fit.tie_model, fit.strength_differences(first, second), fit.tie_parameter)
