"""PostgreSQL: the engine, the creation of the tables, and COPY."""

from __future__ import annotations

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, inspect

from groupsim.storage import schema
from groupsim.storage.codec import COLUMNS, Row
from groupsim.storage.errors import NewerStore, NoStore, StoreError

ERRORS = psycopg.Error
WAIT_S = 10
"""How long to wait for a server that does not answer; `connect_timeout` in the URL overrides it."""
LOCK = 0x67727370
"""The advisory lock for creating the tables (`grsp`): of two processes with a new database, one waits."""

_TABLE = "groupsim"  # one row: the schema version
_COPY = f"COPY facts (run, {', '.join(COLUMNS)}) FROM STDIN"


def place(url: URL) -> str:
    """`postgresql://host:port/database`: no user, no password, no options."""
    shown = URL.create("postgresql", host=url.host, port=url.port, database=url.database)
    return shown.render_as_string()


def engine(url: URL) -> Engine:
    """An engine with default settings: the second of two writers of a row waits."""
    timeout = {} if "connect_timeout" in url.query else {"connect_timeout": WAIT_S}
    return create_engine(url, connect_args=timeout)


def prepare(made: Engine, place: str, create: bool) -> None:
    """Create the tables in a database (or schema) without them. Raises StoreError for other tables with these names."""
    with made.begin() as connection:
        if _number(connection, place) == schema.SCHEMA_VERSION:
            return
    with made.begin() as connection:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
        number = _number(connection, place)  # again: another process may have been faster
        if number == schema.SCHEMA_VERSION:
            return
        if number is None and not create:
            raise NoStore(f"there is no store at {place}")
        if number is None:
            connection.exec_driver_sql(f"CREATE TABLE {_TABLE} (number INTEGER NOT NULL)")
            connection.exec_driver_sql(f"INSERT INTO {_TABLE} VALUES ({schema.SCHEMA_VERSION})")
        for statement in schema.statements(made.dialect) if number is None else schema.steps(number, place):
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(f"UPDATE {_TABLE} SET number = {schema.SCHEMA_VERSION}")


def _number(connection: Connection, place: str) -> int | None:
    """The schema version of the store, None if it has no tables yet. Raises NewerStore."""
    tables = set(inspect(connection).get_table_names())
    if _TABLE not in tables:
        others = sorted(tables & set(schema.METADATA.tables))
        if others:
            raise StoreError(
                f"{place} has a table {others[0]} of another program; use another database, "
                "or a schema with ?options=-csearch_path%3Dname"
            )
        return None
    number: int = connection.exec_driver_sql(f"SELECT number FROM {_TABLE}").scalar_one()
    if number > schema.SCHEMA_VERSION:
        raise NewerStore(schema.newer(place, number))
    return number


def insert(connection: Connection, key: int, rows: list[Row]) -> None:
    """Insert rows of one run into facts with COPY."""
    cursor = connection.connection.cursor()
    with cursor.copy(_COPY) as copy:
        for row in rows:
            copy.write_row((key, *row))


def damage(connection: Connection) -> str | None:
    """None: servers have their own checks (data checksums, amcheck)."""
    return None


def is_duplicate_key(error: object) -> bool:
    """Whether a unique key exists already."""
    return isinstance(error, psycopg.errors.UniqueViolation)


def sentence(error: object) -> str:
    """The first line of the message of server or driver: `FATAL: database "x" does not exist`."""
    return str(error).partition("\n")[0].strip()
