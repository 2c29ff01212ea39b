"""The list `judges:` is read once, studies name its judges, and what is wrong in it is one line each."""

from pathlib import Path

import pytest

from resources.configuration.fidelity import LocalJudge
from resources.configuration.load import Configuration, read_configuration
from resources.configuration.openai_judge import ModelJudge
from resources.errors import UserError
from resources.judges.openai.access import Access
from resources.judges.openai_judge import model_judge_of

FIDELITY = "  human_scores: s.csv\n  references: r\n  candidates: c\n"
LIST = """\
judges:
  - {name: gpt, model: "openai:gpt-5.4-mini", concurrency: 4}
  - {name: claude, model: "anthropic:claude-sonnet-5-5", key_variable: TEAM_KEY, budget_usd: 3}
  - {name: own, model: "qwen2.5vl:7b", base_url: "http://127.0.0.1:8000/v1"}
  - {name: baseline, kind: local}
  - {name: words, kind: lexical}
"""


def read(folder: Path, text: str) -> Configuration:
    file = folder / "touchstone.yaml"
    file.write_text(text)
    return read_configuration(file)


def faults(folder: Path, text: str) -> str:
    with pytest.raises(UserError) as raised:
        read(folder, text)
    return str(raised.value)


def test_studies_draw_from_one_list_by_name(tmp_path: Path) -> None:
    reliability = "reliability: {queries: q.csv, calibration: e.csv, judges: [gpt, words]}\n"
    found = read(tmp_path, f"{LIST}fidelity:\n{FIDELITY}  judge: claude\n{reliability}")
    assert list(found.judges) == ["gpt", "claude", "own", "baseline", "words"]
    assert found.fidelity is not None
    assert found.fidelity.judge == found.judges["claude"]
    assert found.reliability is not None
    assert found.reliability.judges == {name: found.judges[name] for name in ("gpt", "words")}


def test_a_mapping_of_judges_may_name_some_and_describe_others(tmp_path: Path) -> None:
    judges = "{first: claude, second: {kind: recorded, path: a.jsonl}}"
    found = read(tmp_path, f"{LIST}reliability: {{queries: q.csv, judges: {judges}}}\n")
    assert found.reliability is not None
    assert isinstance(found.reliability.judges["first"], ModelJudge)
    assert found.reliability.judges["second"].kind == "recorded"


def test_a_judge_that_is_no_model_can_be_named_too(tmp_path: Path) -> None:
    found = read(tmp_path, f"{LIST}fidelity:\n{FIDELITY}  judge: baseline\n")
    assert found.fidelity is not None
    assert found.fidelity.judge == LocalJudge()


def test_a_study_of_texts_names_its_judge(tmp_path: Path) -> None:
    task = "task: {prompt: p.txt, scale: [1, 5], shows: text}"
    judge = f"judges: [{{name: grader, model: 'openai:m', {task}}}]\n"
    found = read(tmp_path, f"{judge}fidelity: {{judge: grader, texts: {{file: a.csv}}}}\n").fidelity
    assert found is not None
    assert found.human_scores == tmp_path / "a.csv"
    assert found.columns.filename == "id"
    assert isinstance(found.judge, ModelJudge)
    assert found.judge.task is not None
    assert found.judge.task.prompt == tmp_path / "p.txt"


@pytest.mark.parametrize("rest", [FIDELITY, "  manifest: {file: m.csv, columns: {score: grade}}\n"])
def test_a_judge_of_images_and_texts_needs_a_manifest_with_a_column_of_texts(tmp_path: Path, rest: str) -> None:
    judge = "judges: [{name: a, model: 'openai:m', task: {prompt: p.txt, scale: [1, 5], shows: both}}]\n"
    message = faults(tmp_path, f"{judge}fidelity:\n  judge: a\n{rest}")
    assert "its task says `shows: both`, and no manifest names a column of texts" in message
    assert len(message.splitlines()) == 2
    named = "  manifest: {file: m.csv, columns: {text: caption}}\n"
    assert read(tmp_path, f"{judge}fidelity:\n  judge: a\n{named}").fidelity is not None


def test_two_versions_of_a_prompt_are_two_judges_of_one_model(tmp_path: Path) -> None:
    judges = "".join(
        f"  - {{name: {name}, model: 'openai:m', task: {{prompt: {name}.txt, scale: [1, 5]}}}}\n"
        for name in ("v1", "v2")
    )
    for name, question in (("v1", "Rate it from 1 to 5."), ("v2", "Rate it from 1 to 5, strictly.")):
        (tmp_path / f"{name}.txt").write_text(f"{{images}} {question}")
    plan = read(tmp_path, f"judges:\n{judges}fidelity:\n{FIDELITY}  judges: [v1, v2]\n").fidelity
    assert plan is not None
    access = Access("http://127.0.0.1:1/v1", "m", "k" * 20)
    versions = [one for one, _ in plan.by_judge()]
    assert [one.judge_name for one in versions] == ["v1", "v2"]
    assert {key.partition("@")[0] for key in plan.partition_keys} == {"v1", "v2"}
    # Each has calls of its own in the ledger.
    assert len({model_judge_of(one.judge, one.rubric_weights, access).identity.digest for one in versions}) == 2


def test_faults_of_the_list_and_of_the_rest_come_together(tmp_path: Path) -> None:
    message = faults(tmp_path, f"judges: [{{name: a, model: m}}]\nfidelity:\n{FIDELITY}  judge: a\n  repeats: 1\n")
    assert "model 'm' has no provider" in message
    assert "fidelity.repeats: Input should be greater than or equal to 2" in message


def test_with_an_address_a_colon_may_be_part_of_the_models_name(tmp_path: Path) -> None:
    judge = read(tmp_path, f"{LIST}fidelity:\n{FIDELITY}").judges["own"]
    assert isinstance(judge, ModelJudge)
    assert judge.asked.model == "qwen2.5vl:7b"


@pytest.mark.parametrize(
    ("model", "asked"), [("mistral:7b", "mistral:7b"), ("openai:m", "openai:m"), ("anthropic:claude", "claude")]
)
def test_at_an_address_of_its_own_only_the_name_of_another_format_is_no_part_of_the_models(
    model: str, asked: str
) -> None:
    assert ModelJudge(kind="model", model=model, base_url="http://127.0.0.1:1/v1").asked.model == asked
    assert ModelJudge(kind="model", model=model).asked.model == model.partition(":")[2]


@pytest.mark.parametrize(
    ("judges", "rest", "said"),
    [
        ("[{name: a, model: 'opnai:gpt-4o'}]", "", "there is no provider 'opnai' (did you mean 'openai'?)"),
        ("[{name: a, model: 'bedrock:m'}]", "", "provider 'bedrock' is reached through a gateway"),
        (
            "[{name: a, model: gpt-4o}]",
            "",
            "model 'gpt-4o' has no provider: write provider:model, or give its `base_url`",
        ),
        ("[{name: a}]", "", "judges.a.model: must be given."),
        ("[{model: 'openai:m'}]", "", "judges: number 1 has no name"),
        ("[{name: a, model: 'openai:m'}, {name: A, kind: local}]", "", "judges: two have the name 'A'"),
        ("[{name: a, model: 'openai:m', key_variable: sk 1}]", "", "judges.a.key_variable"),
        ("[{name: a, model: 'openai:m', key_variable: AIzaSyD0123456789abcdefghij}]", "", "(found '***')"),
        ("[{name: a, model: 'openai:m', key_variable: hunter2-secret}]", "", "(found '***')"),
        ("[{name: a, model: 'anthropic:m', image_detail: low}]", "", "image_detail: Anthropic's format has none"),
        ("[{name: a, model: 'anthropic:m', answer_form: json_object}]", "", "Anthropic's format has no json_object"),
        ("[{name: a, model: 'openai:m', concurency: 2}]", "", "concurency: no such key (did you mean 'concurrency'?)."),
        (
            "[{name: a, model: 'anthropic:m'}]",
            "  judge: a\n  settings: {temperatures: [1.5]}\n",
            "settings: t1.5_p1.0 has a temperature above 1, which Anthropic's format does not take",
        ),
        (
            "[{name: a, kind: local}]",
            "  judges: [a, a]\n",
            "fidelity.judges: 'a' stands there twice. Name each judge once.",
        ),
        (
            "[{name: a, kind: local}, {name: b, kind: local}]",
            "  judge: a\n  judges: [a, b]\n",
            "fidelity: name one judge as `judge`, or several as `judges`, not both.",
        ),
        ("[{name: a, kind: local}]", "  judge: b\n", "fidelity.judge: there is no judge 'b' in the list `judges`"),
        (
            "[{name: a, kind: lexical}]",
            "  judge: a\n",
            "fidelity.judge: needs `kind`: local or replay or openai or model",
        ),
        (
            "[{name: a, model: 'openai:m', budget_usd: -1}]",
            "",
            "judges.a.budget_usd: Input should be greater than 0",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_before_anything_is_asked(
    judges: str, rest: str, said: str, tmp_path: Path
) -> None:
    message = faults(tmp_path, f"judges: {judges}\nfidelity:\n{FIDELITY}{rest}")
    assert said in message
    assert len(message.splitlines()) == 2


def test_several_judges_have_partitions_of_their_own_and_one_has_those_of_old(tmp_path: Path) -> None:
    grids = "  settings: {temperatures: [0.5], top_ps: [1.0]}\n  settings_of: {baseline: {temperatures: []}}\n"
    plan = read(tmp_path, f"{LIST}fidelity:\n{FIDELITY}  judges: [own, baseline]\n{grids}").fidelity
    assert plan is not None
    assert plan.partition_keys == ["own@t0.0_p1.0", "own@t0.5_p1.0", "baseline@t0.0_p1.0"]
    assert plan.asking("baseline@t0.0_p1.0").judge == LocalJudge()
    one, same = (
        read(tmp_path, f"{LIST}fidelity:\n{FIDELITY}  {words}\n").fidelity for words in ("judges: [own]", "judge: own")
    )
    assert one == same
    assert one is not None
    assert one.partition_keys[0] == "t0.0_p1.0"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("judges: [own, clade]", "fidelity.judges.clade: there is no judge 'clade' in the list `judges`"),
        ("judges: [own, words]", "fidelity.judges.words"),
        ("judge: claude\n  judges: [own, gpt]", "name one judge as `judge`, or several as `judges`, not both"),
        ("judges: [own, gpt]\n  settings_of: {claude: {}}", "settings_of.claude: `judges` has own, gpt"),
        ("judge: own\n  settings_of: {own: {}}", "settings_of: it is for several `judges`; write `settings`"),
        ("judges: [own, claude]\n  settings: {temperatures: [1.5]}", "claude@t1.5_p1.0 has a temperature above 1"),
        ("judges: [own, gpt]\n  golden: {setting: t0.2_p1.0}", "is none of the study's settings: own@t0.0_p1.0"),
    ],
)
def test_what_is_wrong_with_several_judges_is_one_line(tmp_path: Path, words: str, fault: str) -> None:
    assert fault in faults(tmp_path, f"{LIST}fidelity:\n{FIDELITY}  {words}\n")
