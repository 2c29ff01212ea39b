"""What each colour of a chart means, in all studies: chosen so that colour-blind readers tell them apart as well."""

from typing import Final, NamedTuple

# What a chart is about: the judge, the setting to look at, what is significantly better, what is seen.
MAIN: Final = "#2b6cb0"
# What it is compared with, and what is to be taken with care: people, other settings, few products, a prior.
OTHER: Final = "#d97706"
# What has to be reached, and what misses it: limits, significantly worse, not seen.
LIMIT: Final = "#b3123f"
# What is chosen or best.
BEST: Final = "#12491d"
# What is neither: not significant, unknown, lines that only help the eye.
NEUTRAL: Final = "#718096"
# The whole, the baseline, words.
INK: Final = "#1a202c"
# Grounds, and lines that lie behind others.
PALE: Final = "#cbd5e0"
PAPER: Final = "#ffffff"
GRID: Final = "#e2e8f0"
# A share of 0 to a share of 1.
RAMP: Final = ("#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
# Groups that have no meaning of their own: Tol's muted scheme (https://personal.sron.nl/~pault), black last.
GROUPS: Final = (
    "#332288", "#cc6677", "#44aa99", "#ddcc77", "#882255", "#88ccee", "#117733", "#aa4499", "#999933", "#000000",
)  # fmt: skip
# Shapes say the same as colours, for whom no colour does.
SHAPES: Final = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


class WordColour(NamedTuple):
    """The colour of a verdict: on a page and on its pale ground, and on the terminal as Rich names it."""

    ink: str
    ground: str
    terminal: str


# The five states of a verdict. What one person, means or two judges agree on is less than a yes: it has the colour of
# what is good for something.
VERDICTS: Final = {
    "yes": WordColour(BEST, "#eef6f0", "green"),
    "in_part": WordColour(MAIN, "#ebf4fb", "cyan"),
    "not_proven": WordColour("#9c4221", "#fdf6ee", "yellow"),
    "no": WordColour(LIMIT, "#fdf3f2", "red"),
    "cannot_say": WordColour("#4a5568", "#f7fafc", "bright_black"),
}


def verdict_state(word: str) -> str:
    """Which of the five states a verdict's word is, a key of `VERDICTS`."""
    if word in ("yes", "no"):
        return word
    if word in ("not proven", "cannot say"):
        return word.replace(" ", "_")
    return "no" if word.startswith(("do not", "does not")) else "in_part"
