"""Migrations make what the models say, once, and never touch a database that is ahead."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from resources.database.call_records import CallRecord
from resources.database.engine import open_engine, writing
from resources.database.ledger import Ledger
from resources.database.migrate import VERSION_TABLE, configuration, migrate, newest
from resources.database.models import Base
from resources.database.reliability.models import Query, Tiebreak
from resources.errors import UserError

pytestmark = pytest.mark.usefixtures("by_every_migration")


@pytest.fixture
def engine(database_url: str) -> Iterator[sa.Engine]:
    """An empty database of each kind."""
    engine = open_engine(database_url)
    yield engine
    engine.dispose()


def test_models_and_migrations_agree(engine: sa.Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        options = {"version_table": VERSION_TABLE, "compare_server_default": True}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata) == []


def test_check_constraints_of_models_and_migrations_agree(engine: sa.Engine) -> None:
    # Alembic does not compare them.
    migrate(engine)
    made = {table: sa.inspect(engine).get_check_constraints(table) for table in Base.metadata.tables}
    declared = {
        table.name: {check.name for check in table.constraints if isinstance(check, sa.CheckConstraint)}
        for table in Base.metadata.tables.values()
    }
    assert {name: {check["name"] for check in checks} for name, checks in made.items()} == declared


def test_migrating_twice_changes_nothing(engine: sa.Engine) -> None:
    migrate(engine)
    migrate(engine)
    assert set(sa.inspect(engine).get_table_names()) == {*Base.metadata.tables, VERSION_TABLE}


def test_a_database_of_a_newer_touchstone_is_refused_and_left_alone(engine: sa.Engine) -> None:
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(UserError, match=f"version 9999, which a newer Touchstone made; this one knows {newest()}"):
        migrate(engine)
    with engine.connect() as connection:
        assert connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")) == "9999"


def test_several_that_start_at_once_make_the_tables_once(database_url: str) -> None:
    engines = [open_engine(database_url) for _ in range(6)]
    faults: list[BaseException] = []
    barrier = threading.Barrier(len(engines))

    def start(engine: sa.Engine) -> None:
        barrier.wait()
        try:
            migrate(engine)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=start, args=[engine]) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert "judge_calls" in sa.inspect(engines[0]).get_table_names()
    for engine in engines:
        engine.dispose()


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade = command.upgrade

    def interrupted(*arguments: object) -> None:
        upgrade(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "upgrade", interrupted)
    with pytest.raises(KeyboardInterrupt):
        migrate(engine)
    assert sa.inspect(engine).get_table_names() == []


def test_a_database_of_an_earlier_version_keeps_its_rows(engine: sa.Engine, attempt: Callable[..., CallRecord]) -> None:
    with writing(engine).begin() as connection:
        command.upgrade(configuration(connection), "0002")
    Ledger(engine).record_many([attempt()])
    before = Ledger(engine).rows("shoes", "5e1f")
    migrate(engine)
    assert Ledger(engine).rows("shoes", "5e1f").equals(before)
    assert sa.inspect(engine).has_table(Query.__tablename__)


def test_somebody_elses_table_of_a_needed_name_is_refused_and_left_alone(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE ground_truth (id INTEGER, judge1_score TEXT)"))
        connection.execute(sa.text("INSERT INTO ground_truth VALUES (7, 'kept')"))
    with pytest.raises(UserError, match="did not make, .* ground_truth. Nothing was changed. .* a database of its own"):
        migrate(engine)
    assert sa.inspect(engine).get_table_names() == ["ground_truth"]
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT * FROM ground_truth")).all() == [(7, "kept")]


def test_a_schema_of_its_own_is_enough(postgres_url: str) -> None:
    owner = open_engine(postgres_url)
    with owner.begin() as connection:
        connection.execute(sa.text("CREATE TABLE ground_truth (id INTEGER)"))
        connection.execute(sa.text("CREATE SCHEMA touchstone"))
    own = open_engine(f"{postgres_url}?options=-csearch_path%3Dtouchstone")
    migrate(own)
    assert set(sa.inspect(own).get_table_names("touchstone")) == {*Base.metadata.tables, VERSION_TABLE}
    assert sa.inspect(owner).get_table_names("public") == ["ground_truth"]
    own.dispose()
    owner.dispose()


def test_a_migration_interrupted_between_two_tables_leaves_the_version_before(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic.operations import Operations

    with writing(engine).begin() as connection:
        command.upgrade(configuration(connection), "0002")
    create = Operations.create_table

    def interrupted(self: Operations, name: str, *parts: object, **options: object) -> object:
        if name == "tiebreaks":
            raise KeyboardInterrupt
        return create(self, name, *parts, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Operations, "create_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        migrate(engine)
    assert sorted(sa.inspect(engine).get_table_names()) == ["judge_calls", VERSION_TABLE]
    monkeypatch.undo()
    migrate(engine)
    assert set(sa.inspect(engine).get_table_names()) == {*Base.metadata.tables, VERSION_TABLE}


def test_the_last_migration_can_be_undone(engine: sa.Engine) -> None:
    migrate(engine)
    with writing(engine).begin() as connection:
        command.downgrade(configuration(connection), "base")
    assert sa.inspect(engine).get_table_names() == [VERSION_TABLE]


def test_an_account_that_may_not_make_tables_is_a_user_error(postgres_url: str) -> None:
    owner = open_engine(postgres_url)
    role = f"guest_{uuid4().hex}"
    with owner.begin() as connection:
        connection.execute(sa.text(f"CREATE ROLE {role} LOGIN"))
        connection.execute(sa.text("REVOKE CREATE ON SCHEMA public FROM PUBLIC"))
    guest = open_engine(owner.url.set(username=role).render_as_string(hide_password=False))
    with pytest.raises(UserError, match="permission denied for schema public"):
        migrate(guest)
    guest.dispose()
    with owner.begin() as connection:
        connection.execute(sa.text(f"DROP ROLE {role}"))
    owner.dispose()


def test_the_database_itself_refuses_a_score_outside_its_range(
    engine: sa.Engine, ledger: Ledger, attempt: Callable[..., CallRecord]
) -> None:
    migrate(engine)
    row = attempt()
    object.__setattr__(row, "score", 1.5)
    with pytest.raises(sa.exc.IntegrityError, match="ck_judge_calls_score"):
        ledger.record_many([row])


def test_resuming_is_answered_from_the_key_index(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'touchstone.db'}")
    migrate(engine)
    asked: list[tuple[str, tuple[str, ...]]] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *seen: asked.append((seen[2], seen[3])))
    Ledger(engine).progress("shoes", "5e1f", ["t0.2_p0.95", "t0.0_p1.0"])
    question, values = asked[-1]
    with engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {question}", values).fetchall()
    assert "study=? AND judge_identity=? AND setting=?" in plan[0][-1]
    assert not any("TEMP B-TREE" in step[-1] for step in plan)


@pytest.mark.parametrize("state", ["cut_off", "filtered", "reasoning_only", "ambiguous"])
def test_a_ledger_of_an_earlier_version_takes_the_new_states_and_keeps_its_rows(
    engine: sa.Engine, attempt: Callable[..., CallRecord], state: str
) -> None:
    with writing(engine).begin() as connection:
        command.upgrade(configuration(connection), "0003")
    refused = attempt(attempt=2, state=state, score=None, score_stated=None, score_recomputed=None)
    Ledger(engine).record_many([attempt()])
    with pytest.raises(sa.exc.IntegrityError, match="ck_judge_calls_state"):
        Ledger(engine).record_many([refused])
    migrate(engine)
    Ledger(engine).record_many([refused])
    assert Ledger(engine).rows("shoes", "5e1f")["state"].tolist() == ["valid", state]
    with writing(engine).begin() as connection:
        command.downgrade(configuration(connection), "0003")
    assert (
        Ledger(engine).rows("shoes", "5e1f")["state"].isin(["valid", "invalid_json", "refused", "schema_error"]).all()
    )


def test_votes_of_an_earlier_version_say_nothing_of_what_was_on_the_screen(engine: sa.Engine) -> None:
    with writing(engine).begin() as connection:
        command.upgrade(configuration(connection), "0003")
        connection.execute(sa.text("INSERT INTO queries VALUES (1, 'a study', 'q1', 'which shoes?', 0)"))
        connection.execute(sa.text("INSERT INTO documents VALUES (1, 1, 'd1', 'boots', 0)"))
        connection.execute(
            sa.text(
                "INSERT INTO tiebreaks VALUES (1, 1, 1, 'ada', true, NULL, NULL, 's1', '2026-01-01 00:00:00', NULL)"
            )
        )
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(sa.select(Tiebreak.reviewer, Tiebreak.blind)).all() == [("ada", None)]
