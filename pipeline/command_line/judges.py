"""`touchstone judges test NAME`: one call to one judge, and all that came of it."""

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from pipeline.command_line.given_once import Application
from pipeline.command_line.terminal import terminal
from resources.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from resources.configuration.openai_judge import ModelJudge
    from resources.inputs.fidelity.texts import Text
    from resources.judges.answers import Parsed
    from resources.judges.contract import Call, JudgedObject
    from resources.judges.openai.chat_judge import ChatJudge
    from resources.study import Study

application = Application(help="The judges of the list `judges` in touchstone.yaml.", no_args_is_help=True)
SHOWN_CHARACTERS = 1_000
SIDE_PX = 64
QUESTION, ANSWERS = "What colour is the sky on a clear day?", ("It is blue.", "It is made of cheese.")
PICTURE = "A red square."


@application.callback()
def judges() -> None:  # a group even with a single command
    """The judges of the list `judges` in touchstone.yaml."""


@application.command("test")
def test(name: Annotated[str, typer.Argument(help="The judge's name in the list.")]) -> None:
    """Make one call about a made-up object: request, answer, score, tokens, price. It is kept in no table."""
    from resources.configuration.openai_judge import ModelJudge
    from resources.study import study_from_environment

    study, console = study_from_environment(), terminal()
    judge = study.judges.get(name)
    if judge is None:
        known = ", ".join(study.judges) or "none; docs/judges.md shows how to write one"
        raise UserError(f"The list `judges` has no '{name}'{did_you_mean(name, study.judges)}. It has {known}.")
    if not isinstance(judge, ModelJudge):
        raise UserError(f"The judge {name} is `kind: {judge.kind}`: it calls nothing, so there is nothing to test.")
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with tempfile.TemporaryDirectory() as folder:
        of_pair = judge.task is not None and judge.task.object == "pair"
        asked, call, read = (_about_a_pair if of_pair else _about_one)(study, judge, Path(folder))
        asked.begin(study.ledger.spent(study.name, midnight))
        _say(console, "Request", _request(asked, call))
        with console.status("Asking"):
            reply = asked.reply(call)
    if reply.raw_answer is None:
        raise UserError(reply.stops_run or f"No answer: {reply.fault_message}")
    _say(console, "Answer", reply.raw_answer)
    parsed = read(reply.raw_answer)
    state = reply.answer_state or parsed.state
    score = "no score" if parsed.score is None else f"score {parsed.score:g} on 0-1"
    if of_pair and parsed.score is not None:
        score = {1.0: "A", 0.0: "B"}.get(parsed.score, "tie")
    problem = reply.fault_message or parsed.problem
    _say(console, "Read as", f"{state}, {score}{f': {problem}' if problem else ''}")
    counts = [f"{n} {word}" for n, word in ((reply.tokens_in, "in"), (reply.tokens_out, "out")) if n is not None]
    _say(console, "Tokens", f"{', '.join(counts) or 'not counted by the server'}, {reply.latency_ms or 0:,.0f} ms")
    _say(console, "Price", f"{reply.cost_usd:.6f} USD. {asked.price.sentence}.")
    _say(console, "Model", reply.model_answered or "not named by the server")


Tested = tuple["ChatJudge", "Call", Callable[[str], "Parsed"]]


def _about_one(study: "Study", judge: "ModelJudge", folder: Path) -> Tested:
    """The judge, a call about one made-up object, and how the answer is read."""
    from resources.configuration.fidelity import FidelityStudy, shown_to
    from resources.inputs.fidelity.texts import Text
    from resources.judges.contract import Attempt
    from resources.judges.openai.access import access_of
    from resources.judges.openai_judge import model_judge_of
    from resources.judges.question import question_of

    files = dict.fromkeys(("human_scores", "references", "candidates"), Path())
    shows = shown_to(judge)
    text = Text("test", QUESTION, PICTURE if shows == "both" else ANSWERS[0], "", "")
    plan = (study.fidelity_section or FidelityStudy(**files)).model_copy(update={"judge": judge, "texts": None})
    asked = model_judge_of(judge, plan.rubric_weights, access_of(judge))
    judged = _made_up(folder, text if shows == "text" else None)
    question = question_of(plan, {judged.object: text})
    call = question.call(judged, Attempt(study.name, plan.settings.baseline, asked.identity))
    return asked, call, lambda raw: question.read(raw, judged.item_id)


def _about_a_pair(study: "Study", judge: "ModelJudge", folder: Path) -> Tested:
    """The same about two: a right answer and a wrong one, or the same picture twice."""
    from resources.judges.contract import Attempt
    from resources.judges.openai.access import access_of
    from resources.judges.pairs import SETTING, Shown, ShownPair, pair_judge, pair_task

    task = pair_task(judge)
    asked = pair_judge(judge, task, access_of(judge))
    if judge.task and judge.task.shows == "text":
        one, two = (Shown(f"text {place}", text, "") for place, text in enumerate(ANSWERS, start=1))
        pair = ShownPair(one, two, QUESTION)
    else:
        picture = _made_up(folder, None)
        shown = Shown("square", picture.candidate_path, picture.candidate_sha256)
        pair = ShownPair(shown, shown)
    return asked, task.call(pair, Attempt(study.name, SETTING, asked.identity)), task.read


def _made_up(folder: Path, text: "Text | None") -> "JudgedObject":
    """The text, or a red square as photo and as candidate, which any judge that sees should score high."""
    import cv2
    import numpy as np

    from resources.judges.contract import JudgedObject
    from resources.runtime.file_hash import sha256_of_file

    if text is not None:
        return JudgedObject(text.object, text.id, "", text.sha256, (), ())
    picture = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    picture[8:-8, 8:-8] = (40, 40, 200)
    path = folder / "square.png"
    cv2.imwrite(str(path), picture)
    sha256 = sha256_of_file(path) or ""
    return JudgedObject("test", "red-square", str(path), sha256, (str(path),), (sha256,))


def _request(judge: Any, call: Any) -> str:
    """What is sent, pictures by their size alone."""
    body = judge.request(call)
    return json.dumps(_short(body), indent=1, ensure_ascii=False)


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_short(one) for one in value]
    if isinstance(value, str) and len(value) > SHOWN_CHARACTERS:
        return f"{value[:40]}... ({len(value):,} characters)"
    return value


def _say(console: Console, heading: str, words: str) -> None:
    console.print(heading, style="bold", highlight=False)
    console.print(words, soft_wrap=True, highlight=False, markup=False)
