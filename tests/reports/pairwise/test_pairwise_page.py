"""What the pairwise report says in its summary, what it hands out, and that both languages say the same."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.messages import message
from assets.pairwise.pairwise_report import contents_of
from assets.shared.gate import Kind
from pipeline.gate_list import gates as every_gate
from reports.pairwise import people, ranking, report, speed, strengths
from reports.pairwise.contents import WORDS, Contents
from reports.pairwise.report import (
    TERMS,
    about,
    caption_of_pairs,
    downloads,
    facts,
    gates,
    pairwise_page,
    said_of_gates,
)
from reports.pairwise.summary import remedy, summary
from reports.shared.charts import Chart
from reports.shared.embedded import strict_json
from reports.shared.numbers import percent
from reports.shared.table_view import records
from reports.shared.text import LANGUAGES, Text, read_words
from resources.photos.features.model import NOT_INSTALLED
from resources.photos.weights import Weights
from tests.assets.pairwise.made_photo_pairs import plan
from tests.reports.fidelity.test_fidelity_page import without, words
from tests.reports.pairwise.made_pairwise import LACKS_CLIP, contents_of_votes, nothing_measured

pytestmark = pytest.mark.usefixtures("drawn_once")


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_of_votes()


@pytest.fixture(scope="module")
def page(contents: Contents) -> str:
    return pairwise_page(contents)


def plain(sentences: list[Text], language: str = "en") -> str:
    return " ".join(sentence.plain(language) for sentence in sentences)


def changed(contents: Contents, table: str, **columns: Any) -> Contents:
    frames = dict(contents.tables) | {table: contents.tables[table].assign(**columns)}
    return contents_of(contents.study, contents.plan, frames)


def test_the_summary_names_the_best_with_interval_and_n(contents: Contents) -> None:
    said = summary(contents)
    row = contents.tables["method_metrics"].set_index("method").loc["composite_balanced"]
    share, low, high = (f"{100 * row[name]:.1f} %" for name in ("accuracy", "accuracy_low", "accuracy_high"))
    expected = f"composite_balanced agrees with people most often: it picks their choice in {share} of 96 pairs"
    assert said.found
    headline = said.headline.plain("en")
    assert headline == f"{expected} (95 % interval: {low} to {high})."
    assert [figure.value.plain("it") for figure in said.figures[:2]] == ["0,969", "2 su 4"]


def test_better_worse_and_not_apart_are_told_apart_in_words(contents: Contents) -> None:
    text = plain(summary(contents).sentences)
    assert "2 methods are significantly better than a coin after Holm: composite_balanced, sharpness_only." in text
    assert "One method is significantly worse than a coin: exposure_only." in text
    assert "One method is not significantly different from a coin: own." in text
    assert "One method cannot be distinguished from composite_balanced by these pairs: sharpness_only." in text
    assert "does not show that they are equally good" in text
    assert "12 methods of the configuration have not been run" in text


def test_an_accuracy_outside_the_usual_range_is_to_be_looked_at_twice(contents: Contents) -> None:
    assert "exposure_only 0.125" in plain(summary(contents).sentences)
    assert "own 0." not in plain(summary(contents).sentences)


def test_no_method_surely_better_is_said_in_the_headline(contents: Contents) -> None:
    said = summary(changed(contents, "method_metrics", p_chance_holm=0.05))
    assert not said.found
    assert said.headline.plain("en").startswith("No method is significantly better than a coin.")


def test_what_is_unavailable_says_how_to_provide_it_in_both_languages() -> None:
    said = remedy(LACKS_CLIP)
    assert 'With a network, run: python -c "import open_clip; open_clip.create_model(' in said.plain("en")
    assert "copiare qui open_clip_model.safetensors e impostare clip_model.weights" in said.plain("it")
    vit = Weights("ViT a", None, "hf download a").lacking("folder", "v.w")
    assert (
        vit
        == "ViT a: not on this machine (with a network: hf download a); without one, copy its folder here and set `v.w`"
    )
    assert "copiare qui la sua cartella e impostare v.w" in remedy(vit).plain("it")
    package = remedy(message(NOT_INSTALLED, model="EfficientNet-Lite0", command="pip install efficientnet==1"))
    assert package.plain("it") == "EfficientNet-Lite0 non è installato. Eseguire: pip install efficientnet==1."
    assert remedy("The moon was full.").plain("it") == "The moon was full."


def test_the_forms_of_the_remedies_are_those_of_the_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from resources.configuration.pairwise import VitModel
    from resources.gpu import GpuResource
    from resources.photos.features.model import Unavailable
    from resources.photos.features.vit import VitEmbedding

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(Unavailable) as raised:
        VitEmbedding(VitModel(), GpuResource(device="cpu"))
    assert "non è su questa macchina" in remedy(str(raised.value)).plain("it")


def test_the_gates_are_those_of_the_checks_by_code_name(contents: Contents, page: str) -> None:
    counted, advice = gates(contents)
    assert [row.name for row in counted] == ["photos_are_there", "some_pairs_are_judged", "strengths_rest_on_all_votes"]
    assert {row.name for row in advice} == {
        "no_photo_is_missing",
        "all_methods_are_available",
        "some_method_beats_chance_for_sure",
        "accuracies_are_plausible",
        "pairs_have_predictions",
    }
    known = {one.name: one.kind for one in every_gate() if one.study == "pairwise"}
    assert all(known[row.name] == Kind.ADVICE for row in advice)
    assert not [row.name for row in counted if known[row.name] == Kind.ADVICE]
    assert "No gate that counts fails." in words(page)
    assert "Nessuna soglia che conta è mancata." in words(page, "it")
    assert '<code class="small">some_<wbr>pairs_<wbr>are_<wbr>judged</code>' in page
    assert about(contents)["failing"] == {}


def test_a_gate_that_fails_is_named_in_the_page_and_the_data(contents: Contents) -> None:
    left_out = changed(contents, "photo_pairs", excluded="low_agreement")
    assert about(left_out)["failing"] == {"some_pairs_are_judged": ["study"]}
    assert said_of_gates(left_out).plain("en") == "1 gate fails: some_pairs_are_judged."
    assert said_of_gates(left_out).plain("it") == "1 soglia non è rispettata: some_pairs_are_judged."


def test_nothing_measured_is_a_page_that_says_so_with_the_remedy() -> None:
    contents = contents_of("empty", plan(), nothing_measured(plan()))
    said = summary(contents)
    assert said.headline.plain("en") == "No method could be measured, because the weights of all are lacking."
    assert said.lacking[0].methods.plain("en") == "2 methods: clip_color, clip_probe"
    page = pairwise_page(contents)
    assert "no method has an accuracy" in words(page)
    assert "perché nessun metodo ha" in words(page, "it")


def test_nothing_at_all_is_a_page_that_says_so(contents: Contents) -> None:
    empty = {name: frame.iloc[:0] for name, frame in contents.tables.items()}
    page = pairwise_page(contents_of("empty", plan(), empty))
    assert "No method has been run yet." in words(page)
    assert "Non ci sono forze, perché nessuna coppia ha un voto." in words(page, "it")


def test_downloads_hold_no_address_and_one_row_a_judged_pair(contents: Contents) -> None:
    tables = downloads(contents)
    assert not [name for frame in tables.values() for name in frame.columns if "path" in str(name)]
    predictions = tables["predictions"]
    assert predictions["pair_idx"].tolist() == contents.judged["pair_idx"].tolist()
    row = predictions.set_index("pair_idx").loc[120]
    assert (row["winner"], row["predicted_own"], row["predicted_sharpness_only"]) == (1, 1, 2)


def test_photos_of_the_pairs_that_most_methods_miss_are_pictured_first(
    contents: Contents, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {row[f"image_{side}"]: row[f"path_{side}"] for row in records(contents.judged) for side in (1, 2)}
    assert contents.photos == named
    three = contents.judged.head(3).assign(
        image_1=["a", "c", "a"], image_2=["b", "d", "e"], path_1=["a.png", "c.png", "a.png"], path_2=["b", "d", "e"]
    )
    pairs = three["pair_idx"].tolist()
    # Mean credit of two methods: 1 of the first pair, 1/2 of the second, 0 of the third.
    results = pd.DataFrame({"pair_idx": pairs * 2, "credit": [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]})
    made = replace(contents, tables={**contents.tables, "photo_pairs": three, "pairwise_results": results})
    assert list(made.photos.items()) == [("a", "a.png"), ("e", "e"), ("c", "c.png"), ("d", "d"), ("b", "b")]
    assert caption_of_pairs(contents).plain("en") == "Every row, to search and sort"
    monkeypatch.setattr(report, "MOST_IN_ROWS", 5)
    assert f". Of {len(named)} photos, the 5 in the pairs" in caption_of_pairs(contents).plain("en")


def test_tables_that_are_too_long_are_left_out_and_named(contents: Contents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MOST_ROWS", 100)
    assert set(downloads(contents)) == {
        *("pairwise_trust_verdict", "method_metrics", "method_significance", "predictions")
    }
    assert "tables: photo_pairs, bradley_terry." in words(pairwise_page(contents))


def test_facts_count_pairs_series_photos_and_votes(contents: Contents) -> None:
    named = {name.plain("en"): value for name, value in facts(contents)}
    assert named["Pairs judged"].plain("en") == "96 of 122"  # type: ignore[union-attr]
    assert named["Methods measured"].plain("it") == "4 su 18"  # type: ignore[union-attr]
    assert named["Level of intervals"].plain("en") == "95 %"  # type: ignore[union-attr]
    assert percent(0.7305).plain("it") == "73,0 %"


def test_both_languages_carry_the_same_numbers(page: str) -> None:
    values = {
        language: re.findall(r'<data value="([^"]+)"', without(page, "it" if language == "en" else "en"))
        for language in LANGUAGES
    }
    assert len(values["en"]) > 250
    assert sorted(values["en"]) == sorted(values["it"])


def test_the_same_tables_give_the_same_bytes(contents: Contents, page: str) -> None:
    assert pairwise_page(contents) == page


def test_every_identifier_is_there_once_and_every_link_leads_somewhere(page: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r'aria-labelledby="([^"]+)"', page))
    assert targets <= set(ids)


def test_every_chart_is_strict_json_and_every_term_is_in_the_help(contents: Contents) -> None:
    charts: list[Chart] = [ranking.accuracy_chart(contents), ranking.bands_chart(contents), speed.speed_chart(contents)]
    charts += [
        people.agreement_chart(contents),
        strengths.strengths_chart(contents),
        *strengths.likelihood_charts(contents),
    ]
    assert all(strict_json(chart.drawing.for_page()) for chart in charts)
    assert all(chart.empty is None for chart in charts)
    for term in TERMS:
        assert all(WORDS.has(f"glossary.{term}.{part}") for part in ("name", "meaning", "reading", "source"))
    own = {key.split(".")[1] for key in read_words("pairwise/glossary", "en")}
    assert own == set(TERMS) - {"interval", "undefined"}
