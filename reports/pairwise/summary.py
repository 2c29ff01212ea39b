"""The summary in plain words: which methods pick what people pick, how precisely, and what could not be measured."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from analysis.messages import made_of
from reports.pairwise.contents import Contents, level, named, say, units
from reports.pairwise.significance import LETTER
from reports.shared.headline import Figure
from reports.shared.numbers import is_number, number, percent, whole
from reports.shared.phrases import phrase
from reports.shared.text import Text, joined, same
from resources.configuration.pairwise import OF_JUDGES
from resources.photos.features.model import NOT_INSTALLED
from resources.photos.weights import NOT_HERE
from resources.tables.pairwise_rows import PLAUSIBLE, chance_of, plausible

# As the tables say them: the model, what is typed with a network, and what is copied without one.


class Lacking(NamedTuple):
    """Methods that could not be measured, why, and how to provide what they lack."""

    methods: Text
    remedy: Text


@dataclass(frozen=True)
class Summary:
    """The first thing that a reader sees; `found` where some method is significantly better than chance."""

    found: bool
    headline: Text
    figures: list[Figure]
    sentences: list[Text]
    lacking: list[Lacking]


def summary(contents: Contents) -> Summary:
    """What the report begins with."""
    lacking = [
        Lacking(say("summary.lacking", n=whole(len(names)), methods=named(names)), remedy(reason))
        for reason, names in contents.unavailable.items()
    ]
    best = contents.best
    if best is None:
        return Summary(False, say(f"summary.{_why_nothing(contents)}"), [], _people(contents), lacking)
    sure = [str(row["method"]) for row in contents.measured if chance_of(row, contents.plan.level) == "better"]
    key = "best" if str(best["method"]) in sure else "best_unsure"
    headline = say(
        f"summary.{key}",
        method=str(best["method"]),
        share=percent(best["accuracy"]),
        n=whole(best["n"]),
        bounds=_bounds(contents, best),
    )
    return Summary(
        bool(sure), headline, _figures(contents, best, sure), [*_methods(contents), *_people(contents)], lacking
    )


def remedy(reason: str) -> Text:
    """Why methods are unavailable and what to do, in words; as the table says it where it says something else."""
    template, values = made_of(reason)
    key = {NOT_HERE: "hub", NOT_INSTALLED: "package"}.get(template)
    if key is None:
        return phrase(reason)
    folder = {"file": say("remedy.folder")} if values.get("file") == "folder" else {}
    return say(f"remedy.{key}", **{name: same(value) for name, value in values.items()} | folder)


def _why_nothing(contents: Contents) -> str:
    metrics = contents.tables["method_metrics"]
    if metrics.empty:
        return "nothing_run"
    if contents.judged.empty:
        return "nothing_judged"
    return "nothing_available" if metrics["unavailable"].notna().all() else "nothing_measured"


def _bounds(contents: Contents, row: dict[str, Any]) -> Text:
    low, high = row["accuracy_low"], row["accuracy_high"]
    if not is_number(low) or not is_number(high):
        return say("summary.no_interval")
    return say("summary.interval", level=level(contents), low=percent(low), high=percent(high))


def _figures(contents: Contents, best: dict[str, Any], sure: list[str]) -> list[Figure]:
    people = contents.people
    basis = say("figure.basis", n=whole(best["n"]), clusters=whole(best["n_clusters"]), units=units(contents))
    of_methods = say("figure.of_methods", n=whole(len(sure)), total=whole(len(contents.measured)))
    both = people.counts["n_shown_in_both_orders"]
    return [
        Figure(say("figure.best"), number(best["accuracy"]), basis, "accuracy"),
        Figure(say("figure.sure"), of_methods, say("figure.holm"), "holm_methods"),
        Figure(say("figure.majority"), number(people.majority_judged), say("figure.judged"), "majority"),
        Figure(
            say("figure.opposite"),
            number(people.counts["n_opposite_winners"] / both if both else None),
            say("figure.both_orders", n=whole(both)),
            "opposite",
        ),
    ]


def _methods(contents: Contents) -> list[Text]:
    """Better than chance, worse, neither; which cannot be distinguished from the best; which were not run."""
    groups: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for row in contents.measured:
        groups[chance_of(row, contents.plan.level)].append(str(row["method"]))
    said = [
        say(f"summary.{kind}", n=whole(len(names)), methods=named(names)) for kind, names in groups.items() if names
    ]
    best = str(contents.measured[0]["method"])
    if best in contents.letters:
        like = contents.like(best)
        letters = joined(LETTER.findall(contents.letters[best]))
        key = "like_best" if like else "alone"
        said.append(say(f"summary.{key}", method=best, n=whole(len(like)), methods=named(like), letters=letters))
    low, high = PLAUSIBLE
    measures = [row for row in contents.measured if not str(row["method"]).startswith(OF_JUDGES)]
    odd = [row for row in measures if not plausible(row["accuracy"])]
    if odd:
        names = joined([joined([row["method"], number(row["accuracy"])], " ") for row in odd[:20]])
        limits = {"low": number(low, 1), "high": number(high, 1)}
        said.append(say("summary.look_twice", n=whole(len(odd)), methods=names, **limits))
    if contents.undefined:
        names = named([str(row["method"]) for row in contents.undefined])
        said.append(say("summary.undefined", n=whole(len(contents.undefined)), methods=names))
    if contents.not_run:
        said.append(say("summary.not_run", n=whole(len(contents.not_run)), methods=named(contents.not_run)))
    return said


def _people(contents: Contents) -> list[Text]:
    """The human ceiling in one sentence or two."""
    people, said = contents.people, []
    if people.majority is not None:
        key = "majority" if people.majority_judged is not None else "majority_all"
        shares = {"judged": percent(people.majority_judged), "all": percent(people.majority)}
        said.append(say(f"summary.{key}", **shares))
    both, opposite = people.counts["n_shown_in_both_orders"], people.counts["n_opposite_winners"]
    if both:
        first = people.position["position_both_orders_share"]
        said.append(
            say(
                "summary.orders",
                n=whole(opposite),
                total=whole(both),
                share=percent(opposite / both),
                first=percent(first),
            )
        )
    if people.accuracy_bound is not None and people.accuracy_bound < 1:
        said.append(say("summary.accuracy_bound", share=percent(people.accuracy_bound)))
    return said
