"""Triggers with which the database itself refuses to change or delete facts, and to change runs after their end.

They fire on UPDATE and DELETE only, so that appending is as fast as without them. Their names are in existing stores.
"""

from __future__ import annotations

_FACTS = "facts are never changed or deleted"
_RUNS = "a run is never deleted, nor changed once it is over"

SQLITE = (
    f"CREATE TRIGGER facts_stay BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, '{_FACTS}'); END",
    f"CREATE TRIGGER facts_remain BEFORE DELETE ON facts BEGIN SELECT RAISE(ABORT, '{_FACTS}'); END",
    "CREATE TRIGGER runs_stay BEFORE UPDATE ON runs WHEN old.status <> 'running' "
    f"BEGIN SELECT RAISE(ABORT, '{_RUNS}'); END",
    f"CREATE TRIGGER runs_remain BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, '{_RUNS}'); END",
)
POSTGRESQL = (
    "CREATE FUNCTION groupsim_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RAISE EXCEPTION USING MESSAGE = TG_ARGV[0]; END'",
    "CREATE TRIGGER facts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON facts "
    f"FOR EACH STATEMENT EXECUTE FUNCTION groupsim_refuse('{_FACTS}')",
    "CREATE TRIGGER runs_stay BEFORE UPDATE ON runs FOR EACH ROW WHEN (old.status <> 'running') "
    f"EXECUTE FUNCTION groupsim_refuse('{_RUNS}')",
    "CREATE TRIGGER runs_remain BEFORE DELETE OR TRUNCATE ON runs "
    f"FOR EACH STATEMENT EXECUTE FUNCTION groupsim_refuse('{_RUNS}')",
)
