"""Dagster's instance in the home: the one that the UI, the command line and schedules share."""

import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import dagster as dg
import sqlalchemy as sa
import yaml
from sqlalchemy.engine import URL

from resources.configuration.load import load_configuration
from resources.database.engine import is_of_the_database, open_engine, refuse_damaged, remedy_of, unreachable, usable
from resources.database.locks import turn
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, DAGSTER_POSTGRES_URL, Home, with_users_folder

PROC = Path("/proc")
_BOOT, _TABLE = PROC / "sys/kernel/random/boot_id", PROC / "self/ns/pid"
_STATE, _TICKS = 0, 19  # of the fields of /proc/N/stat that follow the name in brackets
_DEAD = ("Z", "X")  # a killed process that its parent did not collect has a number still
# The UI hides tags that begin so: they say nothing to people.
HOST, PROCESS, START = ".dagster/touchstone_host", ".dagster/touchstone_process", ".dagster/touchstone_process_start"
SETTINGS_FILE = "TOUCHSTONE_DAGSTER_YAML"
DAEMON = "the daemon of a Dagster instance"
LEFT_BEHIND = (
    "What a killed `touchstone serve` or `dev` had started lives on: `pgrep -af dagster` shows it, `kill` with the "
    "numbers of its web UI, daemon and code server ends it."
)
KILLED = "The process of this run was killed. Run again: finished calls are kept."
_MOVE_AWAY = "It is damaged. Move that folder away: tables and ledger are not in it, and the next run makes it anew."
_MAKE_ROOM = "Make room and see to its rights, or set TOUCHSTONE_HOME to another disk. Finished calls are kept."
LONGEST_FAULT = 300  # characters of Dagster's own words
# Dagster's daemon starts a run again that an infrastructure fault ended, but none with this tag.
NOT_AGAIN = {"dagster/max_retries": "0"}
UNDER_WAY = [dg.DagsterRunStatus[name] for name in ("STARTING", "STARTED", "CANCELING")]
UNFINISHED = [dg.DagsterRunStatus[name] for name in ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")]


def start_of_this_process() -> str:
    """When it began, unlike for any other that had or will have its number; empty where the system does not say.

    On Linux: the boot, the container (its table of processes) and the clock ticks since the boot. Elsewhere: what `ps`
    says, to the second.
    """
    return _start(os.getpid()) or ""


def still_lives(process: int, start: str) -> bool | None:
    """Whether the process that began then lives; null where it is of another container, whose processes are not seen.

    Args:
        process: Its number.
        start: As `start_of_this_process` said there; empty where it was not noted.
    """
    parts, ours = start.split(), start_of_this_process().split()
    if len(parts) == len(ours) == 3 and parts[0] == ours[0] and parts[1] != ours[1]:
        return None
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    now = _start(process)
    if now is None:
        return True  # the system hides when it began
    return now != "" and (not start or now == start)


def _start(process: int) -> str | None:
    """Null where it cannot be read, empty where the process is over."""
    if not PROC.joinpath("self/stat").exists():
        said = subprocess.run(["ps", "-o", "lstart=", "-p", str(process)], capture_output=True, text=True, check=False)
        return said.stdout.strip()
    try:
        fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
        boot, table = _BOOT.read_text().strip(), str(_TABLE.readlink())
    except OSError:
        return None
    return "" if fields[_STATE] in _DEAD else f"{boot} {table} {fields[_TICKS]}"


def as_dagster_takes_it(folder: Path) -> Path:
    """The folder, or a link to it: Dagster reads dagster.yaml by a pattern, in which `[v2]` is one of two letters.

    It would find no such file, and run with telemetry on and retries off.

    Raises:
        UserError: The link cannot be made.
    """
    if glob.escape(str(folder)) == str(folder):
        return folder
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    link = Path(tempfile.gettempdir()) / f"touchstone-{user}-{sha256(str(folder).encode()).hexdigest()[:16]}"
    if glob.escape(str(link)) != str(link):
        raise UserError(f"Dagster takes no *, ? or [ in a path. Set TOUCHSTONE_HOME to another folder than {folder}.")
    new = link.with_name(f"{link.name}.{uuid4().hex}")
    try:
        # Another user's link of this name would lead elsewhere; it cannot be replaced in a folder of temporary files.
        if not (link.is_symlink() and link.lstat().st_uid == os.getuid() and link.readlink() == folder):
            new.symlink_to(folder, target_is_directory=True)
            new.replace(link)
    except OSError as problem:
        new.unlink(missing_ok=True)
        raise UserError(
            f"Dagster takes no *, ? or [ in a path, and {link}, which would lead to {folder}, cannot be made "
            f"({problem.strerror}). Set TOUCHSTONE_HOME to a folder without them."
        ) from problem
    return link


def prepare_instance(home: Home) -> None:
    """Make DAGSTER_HOME with its dagster.yaml and name it to this process and its children.

    The root's dagster.yaml is copied there once and is the user's from then on; one that `TOUCHSTONE_DAGSTER_YAML`
    names stays where it is and is copied whenever it differs.

    Raises:
        UserError: The home holds another study, the file is not there, or names Postgres where no address is set.
    """
    if set(str(home.dagster)) & set("?#%"):
        raise UserError(
            f"Dagster cannot keep its state below {home.local}: choose a home without ?, # and % in its path."
        )
    home.claim(load_configuration(home).study)
    home.dagster.mkdir(parents=True, exist_ok=True)
    _place_settings(home.dagster / "dagster.yaml")
    _name_postgres(home)
    os.environ["DAGSTER_HOME"] = str(as_dagster_takes_it(home.dagster))


def _place_settings(place: Path) -> None:
    named = os.environ.get(SETTINGS_FILE)
    source = with_users_folder(Path(named), SETTINGS_FILE).absolute() if named else CHECKOUT / "dagster.yaml"
    if not source.is_file():
        raise UserError(
            f"{SETTINGS_FILE} names {source}, which is no file. Name one like deploy/postgres/dagster.yaml."
        )
    if place.exists() and (not named or place.read_bytes() == source.read_bytes()):
        return
    if place.exists():
        # Perhaps with settings that the user wrote.
        shutil.copyfile(place, place.with_name("dagster.yaml.before"))
    # Next to its place first: a daemon may read it at any moment.
    written = place.with_name(f"dagster.yaml.{uuid4().hex}.new")
    shutil.copyfile(source, written)
    written.replace(place)


def _name_postgres(home: Home) -> None:
    """Dagster takes the ledger's database where its dagster.yaml asks for an address and none is set."""
    if not home.asks_for_postgres:
        return
    engine = open_engine(os.environ.get(DAGSTER_POSTGRES_URL) or home.database_url)
    if engine.dialect.name != "postgresql":
        raise UserError(
            f"{home.dagster / 'dagster.yaml'} keeps Dagster's state on Postgres. Set TOUCHSTONE_DATABASE_URL to its "
            "address, or remove that file to keep it in the home."
        )
    # Dagster would try for half a minute, and then not say which server it was.
    refuse_damaged(engine)
    os.environ[DAGSTER_POSTGRES_URL] = engine.url.render_as_string(hide_password=False)
    engine.dispose()


@contextmanager
def open_instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """The instance of this home.

    Raises:
        UserError: As `prepare_instance`; or the database of Dagster's state is damaged, held, full or gone, meanwhile
            too.
    """
    prepare_instance(home)
    with _usable_state(home), _configured_instance(home) as instance:
        report_killed_runs(instance)
        yield instance


def _configured_instance(home: Home) -> dg.DagsterInstance:
    try:
        return dg.DagsterInstance.get()
    except (yaml.YAMLError, ValueError, dg.DagsterInvalidConfigError) as problem:
        words = " ".join(str(problem).split())[:LONGEST_FAULT]
        raise UserError(
            f"{home.dagster / 'dagster.yaml'} is not as Dagster takes it ({words}). Correct it, or remove it: the next "
            "command writes it anew."
        ) from problem


@contextmanager
def _usable_state(home: Home) -> Iterator[None]:
    if home.asks_for_postgres:
        from dagster_postgres.utils import DagsterPostgresException

        engine = open_engine(os.environ[DAGSTER_POSTGRES_URL])
        try:
            with usable(engine):
                yield
        except DagsterPostgresException as problem:
            # It tried for seconds, and says nothing of the server.
            if not isinstance(problem.__cause__, sa.exc.DBAPIError):
                raise
            raise unreachable(engine, problem.__cause__) from None
        return
    try:
        yield
    except sa.exc.DatabaseError as problem:
        if not is_of_the_database(problem):
            raise
        remedy = remedy_of(problem, restore=_MOVE_AWAY, otherwise=_MAKE_ROOM)
        raise UserError(f"Dagster's own state in {home.dagster} cannot be used: {problem.orig}. {remedy}") from problem


@contextmanager
def only_daemon(home: Home) -> Iterator[list[int]]:
    """Hold the place of the one daemon of this home's instance: two would start the same run twice.

    On Postgres the instance is also that of the database, whatever home it is asked from. Runs that the queue started
    before and that are not over are ended: their code server is gone.

    Yields:
        Open files: the place in the home is held as long as any process lives that inherited them. The one in Postgres
        is given up when this process ends.

    Raises:
        UserError: Another daemon holds it.
    """
    engines = [sa.create_engine(URL.create("sqlite", database=str(home.dagster / "daemon")))]
    if home.asks_for_postgres:
        engines.append(open_engine(os.environ[DAGSTER_POSTGRES_URL]))
    with ExitStack() as held:
        files: list[int] = []
        for engine in engines:
            ours = held.enter_context(turn(engine, [DAEMON], f"touchstone on {socket.gethostname()}"))
            if not ours.take():
                raise UserError(
                    f"There is a daemon for {home.local} already: {ours.holder()}. Two would start the same run twice. "
                    f"Stop the other one, or use its web UI. {LEFT_BEHIND}"
                )
            files += ours.files()
        with open_instance(home) as instance:
            report_lost_runs(instance)
        yield files


def this_process() -> dict[str, str]:
    """Run tags by which a later process can see whether this one still lives; the daemon cannot start it again."""
    return {HOST: socket.gethostname(), PROCESS: str(os.getpid()), START: start_of_this_process(), **NOT_AGAIN}


def has_a_process(run: dg.DagsterRun) -> bool:
    """Whether a command line runs it, perhaps on another machine, and not a code server."""
    # The UI copies the tags of a run that it executes again, but not its process.
    return PROCESS in run.tags and run.parent_run_id is None


def lives(run: dg.DagsterRun) -> bool | None:
    """Whether the process of a run lives; null where that cannot be seen from here.

    Seen are processes of this host and container; a number that another process has by now is not the run's.
    """
    if not has_a_process(run) or run.tags.get(HOST) != socket.gethostname():
        return None
    return still_lives(int(run.tags[PROCESS]), run.tags.get(START, ""))


def report_killed_runs(instance: dg.DagsterInstance) -> None:
    """Mark runs whose process was killed as failed: Dagster cannot see it and would count them as running for ever.

    Places in pools that ended runs did not give back are free again: a step would wait for them for ever.
    """
    started = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED], tags={HOST: socket.gethostname()})
    for run in instance.get_runs(started):
        if lives(run) is False:
            instance.report_run_failed(run, KILLED)
    _free_places(instance)


def report_lost_runs(instance: dg.DagsterInstance) -> None:
    """End the runs that a code server started which was killed; the daemon starts those that failed again.

    Only where no code server of this instance lives: Dagster leaves it to the server to see how its runs end, and would
    count them as running for ever.
    """
    for run in instance.get_runs(dg.RunsFilter(statuses=UNDER_WAY)):
        if has_a_process(run):
            continue
        if run.status == dg.DagsterRunStatus.CANCELING:
            instance.report_run_canceled(run)
        else:
            instance.report_run_failed(run, "The code server of this run was killed. Finished calls are kept.")
    _free_places(instance)


def _free_places(instance: dg.DagsterInstance) -> None:
    """Give back the places in pools of runs that are over."""
    for run_id in instance.event_log_storage.get_concurrency_run_ids():
        holder = instance.get_run_by_id(run_id)
        if holder is None or holder.is_finished:
            instance.event_log_storage.free_concurrency_slots_for_run(run_id)


def end_unfinished_runs(instance: dg.DagsterInstance, reason: str) -> int:
    """End every run that Dagster takes for queued or running, and free its places in pools; how many there were.

    Only where no process of theirs can live: a restored instance would start the queued ones and wait for the others.
    """
    runs = instance.get_runs(dg.RunsFilter(statuses=UNFINISHED))
    for run in runs:
        end_run(instance, run, reason)
    return len(runs)


def end_run(instance: dg.DagsterInstance, run: dg.DagsterRun, reason: str) -> None:
    """Mark a run as failed that nothing starts again, and give back its places in pools."""
    instance.add_run_tags(run.run_id, NOT_AGAIN)
    instance.report_run_failed(run, reason)
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)


def end_unfinished_backfills(instance: dg.DagsterInstance) -> int:
    """Cancel every backfill that is not over: the daemon of a restored instance would go on launching its runs.

    Returns:
        How many there were.
    """
    from resources.runtime.dagster_internals import BULK_ACTION_TERMINAL_STATUSES, BulkActionsFilter, BulkActionStatus

    unfinished = [status for status in BulkActionStatus if status not in BULK_ACTION_TERMINAL_STATUSES]
    backfills = instance.get_backfills(BulkActionsFilter(statuses=unfinished))
    for backfill in backfills:
        canceled = backfill.with_status(BulkActionStatus.CANCELED).with_end_timestamp(time.time())
        instance.update_backfill(canceled)
    return len(backfills)
