"""The code version of each table: its own, kept by hand, and a digest of the parts of the configuration that it reads.

So `code_version_changed()` of the refresh rule sees a changed judge, prompt, rubric, threshold or weights file when
the code location is loaded, and the UI shows tables of another configuration as out of date.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, assert_never

from resources.configuration.fidelity import FidelityStudy, LocalJudge, ReplayJudge
from resources.configuration.openai_judge import ModelJudge, OpenAIJudge
from resources.configuration.reliability import RecordedJudge, ReliabilityStudy
from resources.configuration.section import Section
from resources.configuration.settings import judge_in
from resources.errors import UserError
from resources.inputs.input_versions import ABSENT, InputVersions
from resources.judges.openai.access import BASE_URL, MODEL
from resources.judges.prompt import RUBRIC_VERSION, SYSTEM_MESSAGE, USER_TEMPLATE
from resources.judges.relevance.prompts import prompt_of
from resources.photos.features.stages import DECODING_VERSION, RULES_VERSION
from resources.study import Study
from resources.tables.all_tables import BY_GROUP, TABLES

# Of a judge behind an endpoint: they bound what it costs and how fast it is asked, and change no answer.
NOT_OF_AN_ANSWER: Final = (
    *("concurrency", "requests_per_minute", "tokens_per_minute", "requests_per_day", "timeout_s", "attempts"),
    *("longest_wait_s", "faults_until_open", "budget_usd", "auto_budget_usd_per_day", "price", "prices"),
    *("name", "key_variable"),
)
BEFORE: Final[Mapping[str, Any]] = {"texts": None, "stopping": None, "pairs_of": "photos", "recorded_judges": []}
_DIGITS: Final = 10


def code_version(study: Study, table: str, own: str | None) -> str:
    """The table's code version, such as ``2-1f0c9a77de``; its own alone where it reads nothing."""
    reads = TABLES[table].reads
    [group] = [group for group, tables in BY_GROUP.items() if table in tables]
    if not reads:
        return str(own)
    facts = {read: fact(study, group, read) for read in reads}
    # Tables keep the version that they had before texts could be judged and repeats could end early.
    facts = {read: said for read, said in facts.items() if said != BEFORE.get(read, ...)}
    text = json.dumps(facts, sort_keys=True, default=str)
    return f"{own}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"


def fact(study: Study, group: str, read: str) -> Any:
    """One thing that a table is made from, as plain data."""
    if read in FACTS:
        return FACTS[read](study)
    section: Section = getattr(study, group)
    return _plain(section if read == "*" else attrgetter(read)(section))


def _plain(value: Any) -> Any:
    if isinstance(value, Section):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return value


def content(study: Study, path: Path | None) -> str | None:
    """The hash of a file or folder that the configuration names; `absent` where it is not there yet."""
    if path is None:
        return None
    try:
        return _version(study, path)
    except OSError as error:
        # The run that needs it says so; the graph can be shown without.
        return f"unreadable: {error.strerror}"


def _version(study: Study, path: Path) -> str:
    # Nothing is written into a home that no study has claimed.
    memory = study.home.local if study.home.holds_a_study() else None
    try:
        return InputVersions(memory).of(path).version
    except UserError:
        # What looks at inputs says that the memory of hashes cannot be used; the graph can be shown without.
        return InputVersions(None).of(path).version


def _asked(judge: Section) -> Any:
    if not isinstance(judge, OpenAIJudge):
        return judge.model_dump(mode="json", exclude={"workers"})
    variables = not isinstance(judge, ModelJudge)
    access = [judge.model or os.environ.get(MODEL), os.environ.get(BASE_URL)] if variables else []
    # Where a task's prompt is stored changes no answer: `_judge` has what it says.
    excluded: dict[str, Any] = {**dict.fromkeys(NOT_OF_AN_ANSWER, True), "task": {"prompt"}}
    return [*access, judge.model_dump(mode="json", exclude=excluded)]


def _recorded(study: Study, judge: RecordedJudge) -> Any:
    answers = content(study, judge.path)
    return answers if "scale" not in judge.model_fields_set else [answers, list(judge.scale)]


def _judge(study: Study) -> Any:
    """Who judges in study A, and by which rubric and prompt; of several each by name, with settings of its own."""
    plan = study.fidelity
    if not plan.judges:
        return _one_judge(study, plan)
    named = {str(judge_in(keys[0])): (one, keys) for one, keys in plan.by_judge()}
    return {name: [_one_judge(study, one), keys] for name, (one, keys) in named.items()}


def _one_judge(study: Study, plan: FidelityStudy) -> Any:
    """A judge; of a recording, what is in it."""
    match plan.judge:
        case ReplayJudge():
            bare = [] if plan.judge.scale is None else [list(plan.judge.scale)]
            return ["replay", content(study, plan.judge.path), plan.rubric_weights.shares, *bare]
        case LocalJudge():
            from resources.judges.local import CODE_VERSION
        case OpenAIJudge():
            from resources.judges.openai.chat_judge import CODE_VERSION
        case _:
            assert_never(plan.judge)
    if isinstance(plan.judge, ModelJudge) and plan.judge.task is not None:
        return [_asked(plan.judge), CODE_VERSION, content(study, plan.judge.task.prompt)]
    prompt = [RUBRIC_VERSION, SYSTEM_MESSAGE, USER_TEMPLATE.template]
    return [_asked(plan.judge), CODE_VERSION, prompt, plan.rubric_weights.shares]


def _price(study: Study) -> Any:
    """What the judge of study A costs, of which nothing but a check reads."""
    prices = [
        [_plain(judge.price), content(study, judge.prices)] if isinstance(judge, OpenAIJudge) else None
        for judge in (one.judge for one, _ in study.fidelity.by_judge())
    ]
    return prices if study.fidelity.judges else prices[0]


def _judges(study: Study) -> Any:
    """Who judges in study D, each with its prompt, recording or calibration."""
    plan = study.reliability
    again = plan.recalibration
    rounds = {plan.prompt_version: plan.judges, again.prompt_version: {**plan.judges, **again.judges}}
    facts: dict[str, Any] = {"calibration": content(study, plan.calibration)}
    for version, judges in rounds.items():
        for name, judge in judges.items():
            own = _recorded(study, judge) if isinstance(judge, RecordedJudge) else _asked(judge)
            facts[f"{version} {name}"] = [own, _prompt(plan, version) if isinstance(judge, OpenAIJudge) else ""]
    return facts


def _prompt(plan: ReliabilityStudy, version: str) -> str:
    try:
        return prompt_of(version, plan.prompts, plan.prompt_scales).sha256
    except UserError:
        # The run that needs it says so; the graph can be shown without.
        return ABSENT


def _scores_come_with_input(study: Study) -> Any:
    """The prompt version of scores that come with the input; null where judges are asked instead."""
    plan = study.reliability
    return None if plan.judges else plan.prompt_version


def _stages(study: Study) -> Any:
    """What is measured on photos, and by which weights."""
    from assets.pairwise.image_features import wanted_stages

    plan = study.pairwise
    weights = [content(study, plan.clip_model.weights), content(study, plan.vit_model.weights)]
    return [sorted(wanted_stages(plan)), weights, DECODING_VERSION, RULES_VERSION]


def _pair_judges(study: Study) -> Any:
    """Who judges pairs in study B, each with what its prompt says."""
    judges = study.pairwise.judges
    return {
        name: [_asked(judge), content(study, judge.task.prompt if judge.task else None)]
        for name, judge in judges.items()
    }


def _stopping(study: Study) -> Any:
    """When an object is known well enough; null where all repeats are asked."""
    plan = study.fidelity
    return plan.stopping and [_plain(plan.stopping), plan.thresholds.ci_half_width, plan.confidence]


def _golden(study: Study) -> Any:
    """The golden set with what the file of own pairs says; without one, as it was before there could be one."""
    said = _plain(study.fidelity.golden)
    pairs = said.pop("pairs")
    return said if pairs is None else said | {"pairs": content(study, Path(pairs))}


FACTS: Final[Mapping[str, Callable[[Study], Any]]] = {
    "golden": _golden,
    "@judge": _judge,
    "stopping": _stopping,
    "@price": _price,
    "@judges": _judges,
    "@scores_come_with_input": _scores_come_with_input,
    "@stages": _stages,
    "@own_methods": lambda study: {name: content(study, path) for name, path in study.pairwise.own_methods.items()},
    "@pair_judges": _pair_judges,
    "@baseline": lambda study: content(study, study.evaluation.baseline),
}
