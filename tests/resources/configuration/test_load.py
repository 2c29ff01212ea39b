"""Reading the configuration: which file counts, and all its faults in one message."""

from pathlib import Path

import pytest

from resources.configuration.evaluation import EvaluationStudy
from resources.configuration.fidelity import FidelityStudy, LocalJudge, ReplayJudge
from resources.configuration.load import load_configuration, read_configuration
from resources.configuration.place import configuration_file
from resources.errors import UserError
from resources.runtime.home import touchstone_home

SMALLEST = """\
study: shoes
fidelity:
  human_scores: scores.csv
  references: photos
  candidates: renders
"""


def written(folder: Path, text: str, name: str = "touchstone.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def faults_of(folder: Path, text: str) -> str:
    with pytest.raises(UserError) as refused:
        read_configuration(written(folder, text))
    return str(refused.value)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_smallest_file_names_three_inputs_and_gets_the_defaults(tmp_path: Path) -> None:
    read = read_configuration(written(tmp_path, SMALLEST))
    assert read.study == "shoes"
    assert read.fidelity.judge == LocalJudge()
    assert (read.fidelity.repeats, read.fidelity.minimum_repeats) == (5, 3)
    assert len(read.fidelity.settings.settings) == 10
    assert read.fidelity.thresholds.icc == 0.85


@pytest.mark.parametrize("line", ["alerts: {on: [drift, advice]}\n", "alerts:\n  'on': [drift, advice]\n"])
def test_what_is_alerted_of_is_a_list_under_on_which_yaml_takes_for_true(tmp_path: Path, line: str) -> None:
    assert read_configuration(written(tmp_path, SMALLEST)).alerts.on == ("failed_gates", "drift")
    assert read_configuration(written(tmp_path, SMALLEST + line)).alerts.on == ("drift", "advice")
    said = faults_of(tmp_path, SMALLEST + "alerts: {on: [gates]}\n")
    assert "alerts.on.0: Input should be 'failed_runs', 'failed_gates', 'drift' or 'advice' (found 'gates')." in said


def test_relative_paths_are_taken_from_the_files_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    text = SMALLEST + "  catalogue: lists/database.csv\n  judge: {kind: replay, path: ../calls.jsonl}\n"
    read = read_configuration(written(tmp_path / "study", text)).fidelity
    assert read.human_scores == tmp_path / "study" / "scores.csv"
    assert read.catalogue == tmp_path / "study" / "lists" / "database.csv"
    assert isinstance(read.judge, ReplayJudge)
    assert read.judge.path.resolve() == tmp_path / "calls.jsonl"
    assert read.selected_objects is None


def test_absolute_paths_and_the_users_folder_stay_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    text = SMALLEST.replace("scores.csv", "~/scores.csv").replace("photos", "/data/photos")
    read = read_configuration(written(tmp_path, text)).fidelity
    assert read.human_scores == tmp_path / "user" / "scores.csv"
    assert read.references == Path("/data/photos")


def test_all_faults_stand_in_one_message(tmp_path: Path) -> None:
    text = SMALLEST.replace("study: shoes", "study: My Shoes").replace("  candidates: renders\n", "")
    message = faults_of(tmp_path, text + "  repeats: 1\n  thresholds: {json_validity: 98}\n  confidense: 0.9\n")
    lines = message.splitlines()
    assert lines[0] == f"{tmp_path / 'touchstone.yaml'} has faults:"
    assert len(lines) == 6
    for part in (
        "study: String should match pattern",
        "(found 'My Shoes')",
        "fidelity.candidates: must be given.",
        "fidelity.repeats: Input should be greater than or equal to 2 (found 1).",
        "fidelity.thresholds.json_validity: Input should be less than or equal to 1 (found 98).",
        "fidelity.confidense: no such key (did you mean 'confidence'?).",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  repeat: 5\n", "fidelity.repeat: no such key (did you mean 'repeats'?)."),
        ("  thresholds: {icc_: 0.9}\n", "fidelity.thresholds.icc_: no such key (did you mean 'icc'?)."),
        ("  settings: {temperature: [0.1]}\n", "settings.temperature: no such key (did you mean 'temperatures'?)."),
        ("  judge: {kind: local, worker: 2}\n", "worker: no such key (did you mean 'workers'?)."),
        ("  judge: {kind: replay, paths: a}\n", "paths: no such key (did you mean 'path'?)."),
        ("  zzz: 1\n", "fidelity.zzz: no such key."),
        ("fidelty: {}\n", "fidelty: no such key (did you mean 'fidelity'?)."),
    ],
)
def test_an_unknown_key_is_a_fault_with_the_nearest_known_one(tmp_path: Path, line: str, said: str) -> None:
    assert said in faults_of(tmp_path, SMALLEST + line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  minimum_repeats: 6\n", "minimum_repeats 6 is above repeats 5"),
        ("  repeats: {at_least: 3}\n", "say how many an object gets `at_most`"),
        ("  repeats: {at_least: 5, at_most: 5}\n", "at_least 5 has to be below at_most 5"),
        ("  repeats: {at_least: 2, at_most: 5}\n", "at_least"),
        ("  repeats: {at_least: 3, at_most: 5, stop: luck}\n", "half_width"),
        ("  repeats: {at_least: 3, at_most: 5, until: luck}\n", "until"),
        (
            "  judge: {kind: oracle}\n",
            "fidelity.judge: needs `kind`: local or replay or openai or model (found 'oracle').",
        ),
        ("  judge: {path: calls.jsonl}\n", "fidelity.judge: needs `kind`: local or replay or openai or model."),
        ("  judge: replay\n", "fidelity.judge: needs `kind`: local or replay or openai or model (found 'replay')."),
        ("  algorithms: rodin_multi\n", "fidelity.algorithms: must be a list (found 'rodin_multi')."),
        ("  settings: {top_ps: 0.9}\n", "fidelity.settings.top_ps: must be a list (found 0.9)."),
        ("  settings: 0.9\n", "fidelity.settings: must be a mapping of keys to values (found 0.9)."),
        (
            "  catalogue: ~nosuchuser/x.csv\n",
            "fidelity.catalogue: '~nosuchuser/x.csv' begins with the folder of a user",
        ),
        ("  rubric_weights: {color_palette: 0, material_finish: 0, texture_identity: 0, texture_scale_placement: 0}\n",)
        + ("at least one weight must be above 0",),
        ("  match_by: product\n", "fidelity.match_by: "),
        ("  settings: {top_ps: [0.9, 1.2]}\n", "fidelity.settings.top_ps.1: "),
        ("  score_max: 0\n", "fidelity.score_max: "),
        ("  golden: {texture_scale: [1.5, 0.5]}\n", "fidelity.golden.texture_scale.1: "),
        ("  golden: {texture_scale: [1]}\n", "fidelity.golden.texture_scale.0: "),
    ],
)
def test_a_wrong_value_is_named_with_its_place(tmp_path: Path, line: str, said: str) -> None:
    assert said in faults_of(tmp_path, SMALLEST + line)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no settings. `touchstone init` writes"),
        ("- a\n- b\n", "holds no settings"),
        ("study: [", "is not readable YAML"),
        ("study: shoes\n", "no study is configured"),
        ("1: shoes\n", "has faults:\n  line 1: key 1 is no text. Correct it, or put it in quotation marks."),
        (SMALLEST + "  thresholds: {yes: 1, null: 2}\n", "line 6: key yes is no text"),
        (SMALLEST + "study: boots\n", "has faults:\n  line 6: key 'study' stands in line 1 already. Keep one."),
        (SMALLEST + "  repeats: 5\n  seed: 1\n  repeats: 6\n", "line 8: key 'repeats' stands in line 6 already."),
        (SMALLEST + "  judge: {kind: local, kind: replay}\n", "line 6: key 'kind' stands in line 6 already."),
        (SMALLEST + "  seed: 2024-13-45\n", "is not readable YAML: month must be in 1..12"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert said in faults_of(tmp_path, text)


def test_all_keys_that_stand_twice_are_named(tmp_path: Path) -> None:
    message = faults_of(tmp_path, SMALLEST + "  seed: 1\n  seed: 2\n  candidates: b\n1: a\n")
    assert [line.split(":")[0] for line in message.splitlines()[1:]] == ["  line 7", "  line 8", "  line 9"]


def test_a_merged_mapping_may_be_overridden(tmp_path: Path) -> None:
    text = SMALLEST + "  thresholds: &usual {icc: 0.8, mae: 0.2}\n"
    text += "evaluation:\n  datasets:\n    a: &a {prediction: x, truth: y}\n    b: {<<: *a, truth: z}\n"
    read = read_configuration(written(tmp_path, text)).evaluation
    assert [(read.datasets[name].prediction, read.datasets[name].truth) for name in "ab"] == [("x", "y"), ("x", "z")]


def test_the_folder_of_an_unknown_user_is_refused_wherever_it_stands(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CONFIG", "~nosuchuser/touchstone.yaml")
    with pytest.raises(UserError, match="TOUCHSTONE_CONFIG: '~nosuchuser/touchstone.yaml' begins with the folder"):
        load_configuration()
    monkeypatch.setenv("TOUCHSTONE_HOME", "~nosuchuser/home")
    with pytest.raises(UserError, match="TOUCHSTONE_HOME: '~nosuchuser/home' begins with the folder"):
        touchstone_home()


def test_a_file_that_may_not_be_read_is_a_user_error(tmp_path: Path) -> None:
    # A folder in its place, because an administrator may read any file.
    with pytest.raises(UserError, match="it is a folder"):
        read_configuration(tmp_path)


def test_a_file_in_another_encoding_is_refused_and_one_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_bytes("study: schöne_schuhe\n".encode("latin-1"))
    with pytest.raises(UserError, match="is not readable YAML"):
        read_configuration(path)
    path.write_text(SMALLEST, encoding="utf-8-sig")
    assert read_configuration(path).study == "shoes"


def test_a_replay_judge_needs_its_recording(tmp_path: Path) -> None:
    assert "judge.replay.path: must be given." in faults_of(tmp_path, SMALLEST + "  judge: {kind: replay}\n")


def test_values_cannot_be_changed_after_reading(tmp_path: Path) -> None:
    study: FidelityStudy = read_configuration(written(tmp_path, SMALLEST)).fidelity
    with pytest.raises(ValueError, match="frozen"):
        study.repeats = 7  # type: ignore[misc]


def test_the_named_file_counts_before_the_one_in_the_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(home, SMALLEST.replace("shoes", "at_home"))
    assert load_configuration().study == "at_home"
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(written(tmp_path, SMALLEST, "mine.yaml")))
    assert load_configuration().study == "shoes"


def test_without_a_file_the_sample_study_runs(home: Path) -> None:
    assert configuration_file(touchstone_home()) is None
    read = load_configuration()
    assert read.study == "sample"
    assert read.fidelity.candidates == home / "samples" / "fidelity" / "candidates"


def test_a_folder_or_a_broken_link_for_the_file_is_an_error_not_the_sample_study(home: Path, tmp_path: Path) -> None:
    place = home / "touchstone.yaml"
    place.mkdir(parents=True)
    with pytest.raises(UserError, match=r"touchstone\.yaml is no file: a folder"):
        load_configuration()
    place.rmdir()
    place.symlink_to(tmp_path / "gone.yaml")
    with pytest.raises(UserError, match=r"touchstone\.yaml is no file: .* broken link"):
        load_configuration()


def test_a_named_file_that_is_not_there_is_an_error_not_the_sample_study(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(home / "nowhere.yaml"))
    with pytest.raises(UserError, match=r"TOUCHSTONE_CONFIG names .*nowhere\.yaml, which is no file"):
        load_configuration()


def test_a_stray_variable_of_the_environment_changes_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDY", "stray")
    monkeypatch.setenv("FIDELITY", '{"repeats": 9}')
    assert read_configuration(written(tmp_path, SMALLEST)).fidelity.repeats == 5
    assert load_configuration().study == "sample"


def test_a_section_with_nothing_under_it_has_all_defaults_and_a_missing_one_stays_missing(tmp_path: Path) -> None:
    assert read_configuration(written(tmp_path, "study: s\nevaluation:\n")).evaluation == EvaluationStudy()
    assert read_configuration(written(tmp_path, SMALLEST)).evaluation is None


def test_every_section_and_mapping_may_have_nothing_under_it(tmp_path: Path) -> None:
    plain = read_configuration(written(tmp_path, SMALLEST + "pairwise: {pairs_csv: a.csv, image_root: b}\n"))
    top = "".join(f"{name}:\n" for name in ("alerts", "limits", "made_up"))
    inner = "".join(
        f"  {name}:\n" for name in ("columns", "settings", "thresholds", "recommendation", "golden", "anchor")
    )
    pairwise = "pairwise:\n  pairs_csv: a.csv\n  image_root: b\n  columns:\n  clip_model:\n  composites:\n"
    assert read_configuration(written(tmp_path, SMALLEST + inner + top + pairwise)) == plain


@pytest.mark.parametrize("line", ["  repeats:\n", "  algorithms:\n", "  human_scores:\n"])
def test_a_value_with_nothing_after_it_is_refused(tmp_path: Path, line: str) -> None:
    text = SMALLEST if "human" not in line else "study: s\nfidelity:\n  references: b\n  candidates: c\n"
    assert f"fidelity.{line.strip()} " in faults_of(tmp_path, text + line)


@pytest.mark.parametrize(("given", "lacking"), [("opinion_sd", "votes"), ("votes", "opinion_sd")])
def test_half_of_the_opinions_is_refused(tmp_path: Path, given: str, lacking: str) -> None:
    told = faults_of(tmp_path, f"study: s\nevaluation:\n  datasets:\n    dssim: {{file: a.csv, {given}: x}}\n")
    assert f"evaluation.datasets.dssim: `{given}` needs `{lacking}` next to it: give both or neither." in told


@pytest.mark.parametrize("key", ["sk-short", "sk-proj-Ab_12345678901234567890", "0123456789abcdef0123456789abcdef"])
@pytest.mark.parametrize("place", ["judge: {{kind: openai, model: [gpt-4o, {}]}}", "judge: {}", "judge: {}]"])
def test_what_looks_like_a_key_is_not_shown(key: str, place: str, tmp_path: Path) -> None:
    said = faults_of(tmp_path, f"{SMALLEST}  {place.format(key)}\n")
    assert key not in said
    assert "***" in said


def test_a_wrong_value_that_is_no_key_is_shown(tmp_path: Path) -> None:
    said = faults_of(tmp_path, f"{SMALLEST}  repeats: a-rather-long-word-without-any-space\n")
    assert "(found 'a-rather-long-word-without-any-space')" in said


@pytest.mark.parametrize("value", ['"a\\0b.csv"', '"a\\ud83d.csv"'])
def test_a_text_that_no_file_can_be_named_by_is_refused_with_its_line(value: str, tmp_path: Path) -> None:
    said = faults_of(tmp_path, SMALLEST.replace("scores.csv", value))
    assert "line 3: 'a\\" in said
    assert "holds NUL or half a letter. Remove it." in said


def test_a_message_has_the_beginning_of_a_long_value_and_the_first_of_many_faults(tmp_path: Path) -> None:
    many = "  settings: {temperatures: [" + "hot, " * 5000 + "]}\n"
    said = faults_of(tmp_path, SMALLEST + f"  repeats: {'x' * 100_000}\n" + many)
    assert said.count("\n") == 51
    assert said.endswith("and 4951 more.")
    assert len(said) < 10_000


def test_more_resamples_than_a_machine_can_draw_are_a_fault(tmp_path: Path) -> None:
    said = faults_of(tmp_path, SMALLEST + f"  bootstrap_resamples: {10**30}\n")
    assert "fidelity.bootstrap_resamples: Input should be less than or equal to 1000000" in said
