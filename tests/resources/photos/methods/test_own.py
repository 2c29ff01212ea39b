"""Methods that a user adds: the documented ones work, and a file that is wrong is refused in a sentence."""

import re
import sys
from pathlib import Path
from textwrap import dedent

import cv2
import numpy as np
import pytest

from analysis.undefined import UndefinedStatistic
from resources.configuration.load import read_configuration
from resources.errors import UserError
from resources.photos.methods.features import Features
from resources.photos.methods.own import needs_written_in, own_method
from resources.photos.methods.registry import builders, method_of
from resources.photos.methods.scoring import Folds, pair_scores_of
from tests.resources.photos.methods.made_features import features_of, side_by_side

DOCS = Path(__file__).resolve().parents[4] / "docs" / "new-method.md"
CODE = re.findall(r"```python\n(.*?)```", DOCS.read_text(), flags=re.DOTALL)
GOOD = """
    class Made:
        name = "made"
        needs = ("rules",)

        def score(self, features):
            return features.numbers("exposure")

    method = Made()
"""


def written(folder: Path, code: str, name: str = "made.py") -> Path:
    path = folder / name
    path.write_text(dedent(code))
    return path


def test_the_documented_file_picks_the_warmer_photo(tmp_path: Path) -> None:
    for name, blue_green_red in (("cold.png", (200, 10, 10)), ("warm.png", (10, 10, 200))):
        assert cv2.imwrite(str(tmp_path / name), np.full((32, 32, 3), blue_green_red, np.uint8))
    method = own_method("warmth", written(tmp_path, CODE[0]))
    frame = features_of(3)._frame
    features = Features(frame, [str(tmp_path / name) for name in ("cold.png", "warm.png", "gone.png")], lambda _: None)  # type: ignore[arg-type, return-value]
    scores = method.score(features)  # type: ignore[union-attr]
    assert scores[:2].tolist() == [-190.0, 190.0]
    assert np.isnan(scores[2])


def test_the_documented_method_that_learns_is_cross_fitted(tmp_path: Path) -> None:
    method = own_method("rule_probe", written(tmp_path, CODE[1]))
    random = np.random.default_rng(1)
    features = features_of(80, sharpness=random.random(80), exposure=random.random(80))
    pairs = side_by_side(40)
    wins = features.numbers("exposure")[pairs.first] > features.numbers("exposure")[pairs.second]
    series = np.array([f"s{number}" for number in range(40)], dtype=object)
    found = pair_scores_of(method, features, pairs._replace(winner=np.where(wins, 1, 2)), Folds(series, 5, 1))
    assert np.mean((found.score_1 > found.score_2) == wins) > 0.8


@pytest.mark.parametrize("code", CODE)
def test_every_documented_file_is_a_method_as_printed(tmp_path: Path, code: str) -> None:
    # The configuration's key is the name that the file gives its method.
    name = re.findall(r'^    name = "(\w+)"$', code, flags=re.MULTILINE)[0]
    assert own_method(name, written(tmp_path, code)).name == name


def test_a_file_that_imports_what_was_documented_before_works_and_is_shown_the_new_name(tmp_path: Path) -> None:
    before = CODE[1].replace("analysis.preference.head", "analysis.preference_head")
    with pytest.warns(FutureWarning, match="analysis.preference_head, which is now analysis.preference.head"):
        assert own_method("rule_probe", written(tmp_path, before)).name == "rule_probe"


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", DOCS.read_text(), flags=re.DOTALL))
def test_every_documented_entry_of_the_configuration_adds_a_method_as_printed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "touchstone.yaml"
    # Below the two keys that every study needs.
    file.write_text(text.replace("pairwise:", "study: mine\npairwise:\n  pairs_csv: p.csv\n  image_root: i", 1))
    study = read_configuration(file).pairwise
    assert study is not None
    assert {"clip_calm", "crisp_color", "warmth"} & set(study.methods)


def test_a_file_and_a_mixture_of_the_configuration_become_methods(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    file = tmp_path / "touchstone.yaml"
    file.write_text(
        "study: mine\npairwise:\n  pairs_csv: pairs.csv\n  image_root: images\n  dl_methods: []\n"
        "  own_methods: {made: made.py}\n  composites:\n    crisp: {sharpness: 1, exposure: 3}\n"
    )
    study = read_configuration(file).pairwise
    assert study is not None
    assert study.methods[-2:] == ("crisp", "made") == tuple(builders(study))[-2:]
    assert tuple(builders(study)) == study.methods
    features = features_of(1, sharpness=[1000.0], exposure=[0.7])
    # (1 * 0.5 + 3 * 0.7) / 4 = 0.65.
    assert method_of(study, "crisp").score(features) == pytest.approx([0.65])  # type: ignore[union-attr]
    assert method_of(study, "made").score(features) == pytest.approx([0.7])  # type: ignore[union-attr]


def test_no_file_is_run_before_its_method_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "touchstone.yaml"
    written(tmp_path, "raise SystemError('ran')")
    file.write_text("study: mine\npairwise:\n  pairs_csv: p.csv\n  image_root: i\n  own_methods: {made: made.py}\n")
    study = read_configuration(file).pairwise
    assert study is not None
    assert method_of(study, "sharpness_only").name == "sharpness_only"
    with pytest.raises(UserError, match=r"own_methods\.made: .*made\.py fails when it is loaded \(SystemError: ran\)"):
        method_of(study, "made")


def test_a_dataclass_with_postponed_annotations_works(tmp_path: Path) -> None:
    code = GOOD.replace("class Made:\n        name =", "class Made:\n        name: str =")
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n\n@dataclass"
    assert own_method("made", written(tmp_path, f"{head}{dedent(code)}")).name == "made"


def test_a_file_takes_no_modules_place(tmp_path: Path) -> None:
    own_method("made", written(tmp_path, GOOD, "numpy.py"))
    assert sys.modules["numpy"] is np
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1", "defines no `method`"),
        ("def f(:", r"fails when it is loaded \(SyntaxError"),
        ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
        (GOOD.replace("Made()", "Made"), r"as a class\. Make one of it: `method = Made\(\)`"),
        (GOOD.replace('needs = ("rules",)', ""), "lacks `name`, `needs`"),
        (GOOD.replace("def score", "def points"), "one of `score` and `pair_scores`"),
        (GOOD.replace('"made"', '"mine"'), r"`method\.name` is 'mine'\. Call it 'made'"),
        (GOOD.replace('("rules",)', '("rule",)'), r"needs` is \('rule',\) \(did you mean 'rules'\?\)"),
        (GOOD.replace('("rules",)', "None"), r"needs` is None\. Write a tuple of stages"),
        (GOOD.replace('("rules",)', "(3, 'vit')"), r"needs` is \(3, 'vit'\)\. Write a tuple of stages"),
        ("import sys\n\nsys.exit(0)", r"fails when it is loaded \(SystemExit: 0\) at line 3"),
        (
            GOOD.replace('name = "made"', "name = property(lambda self: 1 / 0)"),
            r"loaded \(ZeroDivisionError: .* at line 3",
        ),
        (GOOD.replace('("rules",)', '"rules"'), "Write a tuple of stages out of rules, clip, vit, efficientnet"),
    ],
)
def test_a_file_that_is_no_method_is_refused_with_the_remedy(tmp_path: Path, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        own_method("made", written(tmp_path, code))


def test_a_file_that_is_not_there_or_not_python_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.py", written(tmp_path, GOOD, "made.txt"), tmp_path):
        with pytest.raises(UserError, match="is no Python file on this machine"):
            own_method("made", path)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", r"\(ZeroDivisionError: division by zero\) at line 7\. Fix it"),
        ("raise FileNotFoundError('model.bin')", r"\(FileNotFoundError: model\.bin\) at line 7"),
        ("raise SystemExit(0)", r"\(SystemExit: 0\) at line 7"),
        ("features.numbers('exposure')[:] = 1", r"\(ValueError: assignment destination is read-only\) at line 7"),
        ("features.vectors('vit')[:] = 1", r"\(ValueError: assignment destination is read-only\) at line 7"),
        (
            "return features.numbers('exposur')",
            r"\(Features have no 'exposur' \(did you mean 'exposure'\?\).*\) at line 7",
        ),
        ("import json; return json.loads('{')", r"\(JSONDecodeError: .*\) at line 7"),
    ],
)
def test_what_a_file_does_wrong_while_it_scores_is_one_sentence(tmp_path: Path, body: str, words: str) -> None:
    path = written(tmp_path, GOOD.replace('return features.numbers("exposure")', body))
    features = features_of(2, exposure=[0.1, 0.2], vit=[[1.0], [2.0]])
    with pytest.raises(UserError, match=rf"^own_methods\.made: {re.escape(str(path))} fails in `score` {words}"):
        pair_scores_of(own_method("made", path), features, side_by_side(1), Folds(np.array(["s"]), 2, 1))


def test_the_line_is_told_of_a_relative_path_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "\n\n1 / 0")
    (tmp_path / "study").mkdir()
    for folder, path in ((tmp_path, "made.py"), (tmp_path / "study", "../made.py")):
        monkeypatch.chdir(folder)
        with pytest.raises(UserError, match=r"\(ZeroDivisionError: division by zero\) at line 3\."):
            own_method("made", Path(path))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return [1.0]", r"gives scores of shape \(1,\); it must give one per image"),
        ("return [1j, 2j]", "gives scores that are no numbers .they are complex"),
        ("return [10**400, 1]", "gives scores that are no numbers"),
        ("import torch; return torch.ones(2, requires_grad=True)", "gives scores that are no numbers .*requires grad"),
    ],
)
def test_scores_of_another_form_are_told_with_the_file_that_gives_them(tmp_path: Path, body: str, words: str) -> None:
    path = written(tmp_path, GOOD.replace('return features.numbers("exposure")', body))
    with pytest.raises(UserError, match=rf"^own_methods\.made: {re.escape(str(path))} {words}"):
        pair_scores_of(own_method("made", path), features_of(2), side_by_side(1), Folds(np.array(["s"]), 2, 1))


def test_scores_of_pairs_of_another_form_are_told_with_the_file_that_gives_them(tmp_path: Path) -> None:
    code = GOOD.replace("def score(self, features)", "def pair_scores(self, *asked)")
    wrong = {"return [1.0]": "gives list for pairs", "return [1.0], []": "it must give one per pair"}
    for number, (body, words) in enumerate(wrong.items()):
        path = written(tmp_path, code.replace('return features.numbers("exposure")', body), f"pairs{number}.py")
        with pytest.raises(UserError, match=rf"^own_methods\.made: {re.escape(str(path))} .*{words}"):
            pair_scores_of(own_method("made", path), features_of(2), side_by_side(1), Folds(np.array(["s"]), 2, 1))


def test_what_fails_in_a_method_that_learns_is_told_too(tmp_path: Path) -> None:
    code = GOOD.replace("def score(self, features)", "def pair_scores(self, *asked)").replace("features.", "self.")
    path = written(tmp_path, code)
    with pytest.raises(UserError, match=r"in `pair_scores` \(AttributeError: .*no attribute 'numbers'\) at line 7"):
        pair_scores_of(own_method("made", path), features_of(2), side_by_side(1), Folds(np.array(["s"]), 2, 1))


def test_an_interruption_and_an_undefined_score_pass_through(tmp_path: Path) -> None:
    for number, error in enumerate((KeyboardInterrupt, UndefinedStatistic)):
        raising = f"from analysis.undefined import UndefinedStatistic; raise {error.__name__}('stop')"
        path = written(tmp_path, GOOD.replace('return features.numbers("exposure")', raising), f"made{number}.py")
        with pytest.raises(error):
            own_method("made", path).score(features_of(1))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ('class M:\n    needs = ("rules",)\n', ("rules",)),
        (
            'class M:\n    needs: tuple[str, ...] = ("rules", "clip")\nclass N:\n    needs = ["rules"]\n',
            ("clip", "rules"),
        ),
        ("class M:\n    needs = ()\n", ()),
        ('class M:\n    needs = tuple(x for x in ("rules",))\n', None),
        ('class M:\n    needs = ("rules",)\nm = M()\nm.needs = other()\n', None),
        ('class M:\n    @property\n    def needs(self):\n        return ("clip",)\n', None),
        ('class M:\n    needs = ("pixels",)\n', None),
        ('class M:\n    needs = ("rules",)\nsetattr(M, "needs", ("vit",))\n', None),
        ("class M:\n    pass\n", None),
        ("class M(:\n", None),
    ],
)
def test_needs_are_read_off_a_users_file_without_running_it(tmp_path, text, needs):
    path = tmp_path / "own.py"
    path.write_text(text)
    assert needs_written_in(path) == needs
