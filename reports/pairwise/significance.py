"""Which methods can be distinguished: the matrix of all couples with the letters, and every test as a table."""

import re
from typing import Any, Final

from markupsafe import Markup

from reports.pairwise.contents import Contents, say, units
from reports.shared.numbers import NOTHING, number, p_value, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text, joined, same

LETTER: Final = re.compile(r"[A-Za-z]\d*")


def matrix(contents: Contents) -> TableView | None:
    """Each method with its letters and, column by column, by how many points it is right more often than another."""
    names = list(contents.letters)
    if not names:
        return None
    cells = {}
    for row in records(contents.tables["method_significance"]):
        one, two, difference = row["method_1"], row["method_2"], row["difference"]
        points = None if difference is None else 100 * float(difference)
        kinds = ("ahead", "behind") if points is None or points >= 0 else ("behind", "ahead")
        for couple, sign, kind in (((one, two), 1, kinds[0]), ((two, one), -1, kinds[1])):
            value = number(None if points is None else sign * points, 1)
            cells[couple] = _marked(value, kind if row["separated"] else "alike")
    heads = [
        Head(say("head.method"), numeric=False),
        Head(say("head.letters"), numeric=False, term="letters"),
        *(Head(same(place)) for place in range(1, len(names) + 1)),
    ]
    rows: list[list[Part]] = [
        [
            joined([place, one], " "),
            " ".join(LETTER.findall(contents.letters[one])),
            *(NOTHING if one == two else cells[one, two] for two in names),
        ]
        for place, one in enumerate(names, start=1)
    ]
    return TableView(say("matrix.caption"), heads, rows)


def tests_table(contents: Contents) -> TableView | None:
    """Every couple with its tests."""
    heads = [
        Head(say("head.couple"), numeric=False),
        Head(say("head.apart"), numeric=False, term="letters"),
        Head(say("head.difference"), term="series_test"),
        Head(same("z"), term="series_test"),
        Head(say("head.p_holm"), term="holm_methods"),
        Head(say("head.mcnemar"), term="mcnemar"),
        Head(say("head.mcnemar_mid"), term="mcnemar"),
        Head(say("head.note"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = [
        [
            joined([row["method_1"], row["method_2"]], " \u2013 "),
            say("couples.apart" if row["separated"] else "couples.not_apart"),
            number(row["difference"]),
            number(row["z"], 2),
            p_value(row["p_holm"]),
            p_value(row["mcnemar_p"]),
            p_value(row["mcnemar_p_mid"]),
            _note(row["undefined"]),
        ]
        for row in records(contents.tables["method_significance"])
    ]
    return TableView(say("couples.table", units=units(contents)), heads, rows) if rows else None


def said_of_couples(contents: Contents) -> list[Text]:
    """On how many pairs methods are compared, how many couples are distinguishable, and why some are not tested."""
    rows = contents.tables["method_significance"]
    if rows.empty:
        return []
    level = plain_number(round(contents.plan.level, 10))
    counts: dict[str, Any] = {"n": whole(int(rows["separated"].sum())), "total": whole(len(rows))}
    basis = {"pairs": whole(rows["n"].iloc[0]), "clusters": whole(rows["n_clusters"].iloc[0])}
    said = [say("couples.said", level=level, units=units(contents), **counts, **basis)]
    untested = rows.loc[rows["p"].isna(), "undefined"].dropna()
    if len(untested):
        said.append(say("couples.untested", n=whole(len(untested)), why=phrase(untested.iloc[0])))
    if contents.plan.orders == "as_listed":
        said.append(say("couples.as_listed"))
    return said


def _note(undefined: str | None) -> Part:
    """Why a test is lacking or unreliable; that there is no McNemar test of listed orders is said once, above."""
    parts = [part for part in (undefined or "").split("; ") if part and not part.startswith("mcnemar_p:")]
    return joined(map(phrase, parts), "; ") if parts else ""


def _marked(value: Text, kind: str) -> Text:
    """A number in the colour of what it says."""
    html = {language: Markup('<span class="{}">{}</span>').format(kind, one) for language, one in value.html.items()}
    return Text(html, value.value)
