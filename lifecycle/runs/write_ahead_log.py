"""SQLite's log beside its database: what is committed stands there first.

A log that is damaged loses all that stands in it, so that it is emptied often.
"""

from django.db import connection

# So long whoever reads is waited for, and keeps writers waiting; else it is tried the next time.
PATIENCE_MS = 100


def empty() -> None:
    """Put what the log holds into the database itself; where there is no such log, nothing."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        (usual_ms,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual_ms}")
