"""What study A's calls are known by stays as it is: a paid answer is never asked for again after an upgrade."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from resources.configuration.fidelity import FidelityStudy, RubricWeights
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.configuration.settings import Setting
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.answers import parse_answer
from resources.judges.asking import AskedBy, Took, recorded
from resources.judges.contract import Attempt, Call, JudgedObject, Reply
from resources.judges.judging import Judging
from resources.judges.openai.access import Access
from resources.judges.openai.chat_judge import SharedForm, request_of
from resources.judges.openai_judge import OpenAIJudge
from resources.judges.prompt import build_call, prompt_hash
from resources.tables.call_states import SUBSCORES

# All numbers below were recorded before judges of documents came to use the same client.
JUDGED = JudgedObject("0000000a", "100_tall", "c.png", "cc", ("1.png", "2.png"), ("11", "22"), ("Home", None, 'A "b"'))
CONFIGURATION = Configuration(kind="openai", model="m", price={"input": 2, "output": 8})
JUDGE = OpenAIJudge(CONFIGURATION, RubricWeights(), Access("http://127.0.0.1:1/v1", "m", "k" * 20))


SETTING = Setting(0.2, 0.95)
ANSWER = json.dumps(
    {"item_id": "100_tall", "subscores": dict.fromkeys(SUBSCORES, 50), "score": 50, "rationale": ["a", "b"]}
)


def call() -> Call:
    return build_call(JUDGED, Attempt("chairs", SETTING, JUDGE.identity, 3, 2), RubricWeights())


def test_the_judge_has_the_identity_that_it_had() -> None:
    assert JUDGE.identity.digest == "5cebe32df4ce15a5"


def test_the_prompt_has_the_hash_that_it_had() -> None:
    expected = "54f83f93d66aa6886e3da23e7c4e2e1cc9bc7fbbaa9fd3eec1bd5678cc43ef2b"
    assert prompt_hash(JUDGED, RubricWeights()) == call().prompt_hash == expected


def test_an_answer_under_a_nonce_of_before_is_never_asked_for_again(tmp_path: Path) -> None:
    # Until 0.1 the nonce and the seed followed from the images' hashes too; the ledger's key has neither.
    answers = {(JUDGED.object, 1): "ac2927cd0f98380a", (JUDGED.object, 2): "0123456789abcdef"}
    engine = open_engine(f"sqlite:///{tmp_path / 'touchstone.db'}")
    migrate(engine)
    ledger = Ledger(engine)
    now = datetime.now(UTC)
    for (_, repeat), nonce in answers.items():
        asked = replace(
            build_call(JUDGED, Attempt("chairs", SETTING, JUDGE.identity, repeat), RubricWeights()), run_id=nonce
        )
        read = partial(parse_answer, item_id=JUDGED.item_id, weights=RubricWeights())
        by = AskedBy("chairs", JUDGE.identity, None)
        ledger.record_many([recorded(by, read, asked, Reply(ANSWER), Took(now, 1.0))])
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**files, repeats=5)
    run = Judging("chairs", plan, JUDGE, [JUDGED], [SETTING], ledger)
    assert sorted(key.repeat for key in run.open_calls()) == [3, 4, 5]


def test_a_call_takes_at_most_what_it_took() -> None:
    assert JUDGE.worst_case.tokens(call()) == 5560
    assert JUDGE.worst_case.usd(call()) == 0.01712


def test_the_request_has_the_same_fields_in_the_same_form() -> None:
    form = SharedForm(CONFIGURATION, is_openai=False).now
    parts = [{"type": "text", "text": "GT #1"}]
    request = {"model": "m"} | request_of(call(), parts, CONFIGURATION, form, JUDGE._task.schema)
    assert list(request) == ["model", "messages", "temperature", "max_tokens", "top_p", "seed", "response_format"]
    assert request["response_format"]["json_schema"]["name"] == "appearance_score"
    assert request["response_format"]["json_schema"]["strict"] is True
    assert [part["text"] for part in request["messages"][1]["content"]] == ["GT #1", call().user_message]
