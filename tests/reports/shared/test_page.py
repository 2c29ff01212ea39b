"""The page's shell: what it may do, what it looks like, and that the same tables give the same bytes."""

import base64
import gzip
import hashlib
import itertools
import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from reports.fidelity.report import fidelity_page
from reports.pairwise.report import pairwise_page
from reports.shared.page import HERE, STYLES, attribute, environment, source
from reports.shared.table_view import Head, TableView
from reports.shared.text import same
from resources.runtime.provenance import Provenance
from tests.reports.fidelity.made_contents import contents_of_size
from tests.reports.made_size import Size
from tests.reports.pairwise.made_pairwise import contents_of_votes

pytestmark = pytest.mark.usefixtures("drawn_once")

LEAST_CONTRAST = 4.5


@pytest.fixture(scope="module")
def page() -> str:
    return fidelity_page(contents_of_size())


def test_the_policy_allows_what_the_page_carries_and_nothing_else(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1].replace("&#39;", "'")  # type: ignore[index]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in rules["script-src"]
    assert rules["img-src"] == "data:"
    for element, rule in (("script", "script-src"), ("style", "style-src-elem")):
        for body in re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in rules[rule]


def test_the_page_names_no_address_of_the_network(page: str) -> None:
    shell = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href|action)=["'](?!#|data:)[^"']*""", shell)
    assert "@import" not in shell
    assert "url(" not in shell.replace("url(#", "")


def test_the_same_tables_give_the_same_bytes(page: str) -> None:
    assert fidelity_page(contents_of_size()) == page


def test_a_misspelt_name_in_a_template_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ no_such_thing }}").render()


def test_a_column_that_is_empty_in_every_row_is_not_shown() -> None:
    heads = [Head(same(name)) for name in ("method", "value", "note", "label")]
    view = TableView(same("of methods"), heads, [["a", "1", "", ""], ["b", "", "", "x"]])
    assert view.filled == [0, 1, 3]
    assert TableView(same("of none"), heads, []).filled == [0, 1, 2, 3]


def test_what_users_wrote_is_escaped_in_text_and_attributes() -> None:
    written = environment().from_string("{{ one }}").render(one='<img src=x onerror="1">')
    assert "<" not in written
    put = attribute(same('"><script>'), "alt")
    assert isinstance(put, Markup)
    assert "<" not in put
    assert put.count('"') == 8  # four attributes: alt, data-translated, data-en, data-it


def test_every_identifier_is_there_once_and_every_link_leads_somewhere(page: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r'aria-labelledby="([^"]+)"', page))
    assert targets <= set(ids)


def test_every_picture_and_chart_has_words(page: str) -> None:
    assert all('alt="' in tag for tag in re.findall(r"<img[^>]+>", page))
    charts = re.findall(r'<div class="plot"[^>]+>', page)
    assert charts
    assert all('role="img"' in tag and "aria-labelledby" in tag for tag in charts)
    # Within one, a mark without a name would be a picture without words.
    assert "graphics-symbol" not in page


def test_no_heading_skips_a_level(page: str) -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(scheme: str) -> None:
    light, dark = source(STYLES).split("prefers-color-scheme: dark", 1)
    tokens = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark))
    pairs = [(text, "paper") for text in ("ink", "muted", "accent", "pass", "warn", "fail")]
    pairs += [("paper", "accent"), ("ink", "accent-wash"), ("muted", "accent-wash"), ("accent", "accent-wash")]
    pairs += [("muted", "wash"), ("ink", "fail-wash"), ("muted", "fail-wash"), ("fail", "accent-wash")]
    for text, ground in pairs:
        assert contrast(tokens[text], tokens[ground]) >= LEAST_CONTRAST, (text, ground)


def test_contrast_is_that_of_wcag() -> None:
    # Black on white is 21 by definition, a colour on itself 1, and #767676 on white the well-known 4.54.
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#336699", "#336699") == pytest.approx(1)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_motion_and_paper_are_thought_of() -> None:
    styles = source(STYLES)
    assert "prefers-reduced-motion" in styles
    assert "@media print" in styles
    assert ":focus-visible" in styles


def test_static_files_are_short_enough_to_be_read() -> None:
    for path in [*(HERE / "static").iterdir(), *HERE.parent.rglob("*.j2")]:
        assert path.read_text().count("\n") < 300, path.name


@pytest.mark.slow
def test_a_thousand_objects_at_ten_settings_stay_under_six_megabytes() -> None:
    from tests.reports.fidelity.made_contents import KEYS

    page = fidelity_page(contents_of_size(Size(n_objects=1000, keys=KEYS, n_groups=25)))
    # Twenty-eight pictures of 256 px take another 0.5 MB at most.
    assert len(page.encode()) < 5_400_000


@pytest.mark.slow
@pytest.mark.parametrize("report", ["fidelity", "pairwise"])
def test_what_is_made_up_is_said_beside_the_headline_in_both_languages(report: str) -> None:
    made = Provenance(datetime(2026, 11, 29, tzinfo=UTC), made_up=("people",))

    def rendered(provenance: Provenance | None) -> str:
        if report == "pairwise":
            return pairwise_page(replace(contents_of_votes(), provenance=provenance))
        return fidelity_page(replace(contents_of_size(), provenance=provenance))

    summary = rendered(made).partition('<section id="summary"')[2].partition("</section>")[0]
    assert "The people of this study are made up." in summary
    assert "Le persone di questo studio sono inventate." in summary
    assert 'class="made-up"' not in rendered(replace(made, made_up=()))
    assert 'class="made-up"' not in rendered(None)


SUMMARIES = ("fidelity/summary", "pairwise/summary", "reliability/summary", "evaluation/evaluation")


@pytest.mark.parametrize("report", SUMMARIES)
def test_every_report_says_what_is_made_up_right_after_its_headline(report: str) -> None:
    template = (HERE.parent / f"{report}.html.j2").read_text(encoding="utf-8")
    assert re.search(r'<p class="lead">[^\n]*\n({% endfor %}\n)?{% include \'made_up.html.j2\' %}', template)


def test_the_page_says_where_its_numbers_come_from_on_screen_in_print_and_in_the_download() -> None:
    made = Provenance(
        datetime(2026, 11, 29, 3, 41, 5, tzinfo=UTC),
        run_id="0f3c",
        configuration_sha256="c" * 64,
        inputs={"score_file": "a" * 64},
        judges=("local",),
        prompts={"local": "b" * 64},
        seed=42,
        version="9.9.9",
        commit="abc1234",
    )
    page = fidelity_page(replace(contents_of_size(), provenance=made))
    said = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    for part in ("Touchstone 9.9.9 (abc1234)", "2026-11-29 03:41:05 UTC", "0f3c", "42", "c" * 64, "a" * 64, "b" * 64):
        assert part in said
    assert '@bottom-left { content: "Touchstone 9.9.9 (abc1234), 2026-11-29 03:41:05 UTC"; }' in page
    kind, body = re.search(r'<script type="([^"]+)" id="page-data">(.*?)</script>', page, re.DOTALL).groups()  # type: ignore[union-attr]
    data = gzip.decompress(base64.b64decode(body)) if kind == "application/gzip" else body
    assert json.loads(data)["about"]["provenance"] == made.as_json()
