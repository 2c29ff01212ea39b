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
BLACK: Final = "#000000"
GRID: Final = "#e2e8f0"
# Lines of axes.
AXIS: Final = "#a0aec0"
# Bars that lie behind others.
BAR: Final = "#90b4d9"
# A share of 0 to a share of 1.
RAMP: Final = ("#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
# Groups that have no meaning of their own: Tol's muted scheme (https://personal.sron.nl/~pault), black last.
GROUPS: Final = (
    "#332288", "#cc6677", "#44aa99", "#ddcc77", "#882255", "#88ccee", "#117733", "#aa4499", "#999933", "#000000",
)  # fmt: skip
# Shapes say the same as colours, for whom no colour does.
SHAPES: Final = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


# What a chart's colours become on a page that is read in the dark; those of cells and of groups that are seen there
# too stay.
DARK: Final = {
    MAIN: "#63a9ec",
    OTHER: "#f2b04a",
    LIMIT: "#ff4f6d",
    BEST: "#9fe6b8",
    NEUTRAL: "#97a3b6",
    INK: "#f1f5f9",
    PALE: "#4a5568",
    PAPER: "#14181f",
    GRID: "#2d3644",
    AXIS: "#5b6879",
    BAR: "#4a6f9c",
    "#332288": "#8d7fe6",
    "#882255": "#d45c9a",
    "#117733": "#2f9e57",
    "#aa4499": "#cf74c0",
    BLACK: "#f1f5f9",
}


class WordColour(NamedTuple):
    """The colour of a verdict: on a page and on its pale ground, on the terminal as Rich names it, and in the dark."""

    ink: str
    ground: str
    terminal: str
    dark_ink: str
    dark_ground: str


# The five states of a verdict. What one person, means or two judges agree on is less than a yes: it has the colour of
# what is good for something.
VERDICTS: Final = {
    "yes": WordColour(BEST, "#eef6f0", "green", DARK[BEST], "#16291d"),
    "in_part": WordColour(MAIN, "#ebf4fb", "cyan", DARK[MAIN], "#17283b"),
    "not_proven": WordColour("#9c4221", "#fdf6ee", "yellow", "#f0a868", "#2e2318"),
    "no": WordColour(LIMIT, "#fdf3f2", "red", "#ff7f93", "#321c22"),
    "cannot_say": WordColour("#4a5568", "#f7fafc", "bright_black", "#a9b4c4", "#1b212b"),
}


def verdict_state(word: str) -> str:
    """Which of the five states a verdict's word is, a key of `VERDICTS`."""
    if word in ("yes", "no"):
        return word
    if word in ("not proven", "cannot say"):
        return word.replace(" ", "_")
    return "no" if word.startswith(("do not", "does not")) else "in_part"


def charts_in_the_dark() -> str:
    """Style that gives charts the colours of `DARK`: those that are drawn and those that are pictures in the page.

    Words in cells keep the black or white that is read on their cell, and words' grounds become dark.
    """
    # Vega writes the ground of what it draws on the element itself.
    rules = [f".plot svg {{ background-color: {DARK[PAPER]} !important; }}"]
    for light, dark in DARK.items():
        shapes = ":not(text)" if light in (PAPER, BLACK) else ""
        rules.append(f'.plot svg [fill="{light}"]{shapes} {{ fill: {dark}; }}')
        rules.append(f'.plot svg [stroke="{light}"] {{ stroke: {dark}; }}')
    rules.append(f'.plot svg text[stroke="{PAPER}"] {{ fill: {DARK[PAPER]}; }}')
    return "\n".join(rules)
