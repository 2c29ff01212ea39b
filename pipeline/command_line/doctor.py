"""`touchstone doctor`: device, database, Dagster's settings, weights, keys (never their values), configuration."""

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import typer
from rich.text import Text

from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.extras import EXTRAS, install_command, missing_modules, require_extra
from resources.runtime.home import CHECKOUT, DATABASE_URL, touchstone_home


def doctor() -> None:
    """Look at what a study needs, bring the ledger's schema up to date; exits 2 when something configured is broken."""
    from resources.alerts.webhook import WEBHOOK
    from resources.judges.openai.access import VARIABLES

    console = terminal()
    home = touchstone_home()
    console.print(f"touchstone {version('touchstone')}, dagster {version('dagster')}", highlight=False)
    console.print(f"home           {home.base}", soft_wrap=True, highlight=False)
    examinations: tuple[tuple[str, Callable[[], str]], ...] = (
        ("configuration", _configuration),
        ("database", _database),
        ("dagster.yaml", _dagster_settings),
        ("extras", _extras),
        ("device", _device),
        ("weights", _weights),
        ("sentences", _sentence_model),
        ("prices", _prices),
        ("ray", _ray),
    )
    broken = 0
    for name, examine in examinations:
        try:
            console.print(f"{name:14} {examine()}", soft_wrap=True, highlight=False)
        except UserError as problem:
            broken += 1
            console.print(
                Text.assemble(f"{name:14} ", ("broken", "red"), f": {problem}"), soft_wrap=True, highlight=False
            )
    for name in (*VARIABLES, DATABASE_URL, WEBHOOK):
        console.print(f"{name:24} {'set' if os.environ.get(name) else 'not set'}", highlight=False)
    if broken:
        raise typer.Exit(2)


def _configuration() -> str:
    from resources.configuration.load import load_configuration
    from resources.configuration.place import configuration_file

    home = touchstone_home()
    path, configuration = configuration_file(home), load_configuration(home)
    words = [f"study '{configuration.study}'"]
    if plan := configuration.fidelity:
        words.append(f"fidelity (judge {plan.judge_name}, {len(plan.partition_keys)} settings, {plan.repeats} repeats)")
    if votes := configuration.pairwise:
        words.append(f"pairwise ({len(votes.methods)} methods, orders {votes.orders}, engine {votes.engine})")
    if configuration.evaluation:
        words.append(f"evaluation ({len(configuration.evaluation.datasets)} named datasets)")
    if agreement := configuration.reliability:
        judges = ", ".join(f"{name}: {judge.kind}" for name, judge in agreement.judges.items())
        words.append(f"reliability ({judges or 'scores come with the input'}; prompt {agreement.prompt_version})")
    return f"{path or 'built in'}: {', '.join(words)}"


def _database() -> str:
    from resources.database.engine import open_engine, refuse_damaged, shown
    from resources.database.migrate import migrate

    engine = open_engine(touchstone_home().database_url)
    migrate(engine)
    refuse_damaged(engine)
    return f"{shown(engine)}: reachable, schema up to date"


def _dagster_settings() -> str:
    import yaml

    from resources.configuration.yaml_text import KeyFaults, values_in_yaml

    path, ours = touchstone_home().dagster / "dagster.yaml", CHECKOUT / "dagster.yaml"
    if not path.exists():
        return "made by the first run"
    try:
        there = _settings(values_in_yaml(path))
    except (yaml.YAMLError, KeyFaults, ValueError) as fault:
        raise UserError(f"{path} is no YAML: {' '.join(str(fault).split())}. Fix it.") from fault
    missing = [name for name in _settings(values_in_yaml(ours)) if name not in there]
    if missing:
        return f"note: {path} says nothing of {', '.join(missing)}. Copy these lines from {ours}."
    return str(path)


def _settings(section: Any, before: str = "") -> list[str]:
    """Names of all settings, those within another after it and a dot."""
    if not isinstance(section, dict):
        return []
    return [name for key, value in section.items() for name in (f"{before}{key}", *_settings(value, f"{before}{key}."))]


def _extras() -> str:
    """Optional parts, a line each: installed, or what it is for and the command that installs it."""
    lines = [
        f"{name}: not installed ({extra.purpose}): {install_command(name)}"
        if missing_modules(name)
        else f"{name}: installed"
        for name, extra in EXTRAS.items()
    ]
    return f"\n{'':15}".join(lines)


def _device() -> str:
    if missing_modules("models"):
        return "the processor; no torch for models (extra `models`)"
    from resources.gpu import GpuResource

    return GpuResource().opened().sentence


def _weights() -> str:
    if missing_modules("models"):
        return "none can be loaded (extra `models`)"
    from resources.photos.weights import weights_found

    return "; ".join(found.sentence for found in weights_found())


def _sentence_model() -> str:
    from resources.configuration.load import load_configuration
    from resources.configuration.place import configuration_file
    from resources.gpu import GpuResource
    from resources.judges.relevance.embedding import MODEL, EmbeddingMeasure

    home = touchstone_home()
    if missing_modules("models") and configuration_file(home) is None:
        return f"{MODEL}: cannot be loaded (extra `models`)"
    study = load_configuration(home).reliability
    asked = study is not None and study.asks_embedding
    try:
        folder = EmbeddingMeasure(GpuResource()).folder
    except UserError:
        if asked:
            raise
        return f"{MODEL}: not on this machine; no study asks for it"
    return f"{MODEL}: {folder}{'' if asked else '; no study asks for it'}"


def _ray() -> str:
    from resources.configuration.load import load_configuration

    study = load_configuration(touchstone_home()).pairwise
    asked = study is not None and study.engine == "ray"
    if asked:
        require_extra("scale", "engine: ray", "Or set engine: local.")
    if missing_modules("scale"):
        return "not installed (extra `scale`); no study asks for it"
    cluster = os.environ.get("RAY_ADDRESS", "a cluster of its own, or one that runs on this machine")
    return f"ray {version('ray')}; cluster: {cluster}{'' if asked else '; no study asks for it'}"


def _prices() -> str:
    from resources.configuration.load import load_configuration
    from resources.configuration.openai_judge import OpenAIJudge
    from resources.configuration.section import Section
    from resources.judges.openai.prices import price_age_gate, price_table

    configuration = load_configuration(touchstone_home())
    judges: list[Section] = (
        [plan.judge for plan, _ in configuration.fidelity.by_judge()] if configuration.fidelity else []
    )
    if plan := configuration.reliability:
        judges += [*plan.judges.values(), *plan.recalibration.judges.values()]
    gates = [price_age_gate(judge) for judge in judges if isinstance(judge, OpenAIJudge)]
    if gates:
        said = (gate.sentence if gate.passed else f"note: {gate.sentence}" for gate in gates)
        return " ".join(dict.fromkeys(said))
    table = price_table()
    days = sorted(row.read_on for row in table.models)
    return f"{table.name}: {len(table.models)} models, read {days[0]} to {days[-1]}; no paid judge is configured"
