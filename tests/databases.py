"""An empty, migrated SQLite file is made once, and copied by every process and run that needs the same.

What it is made of gives it its name: each migration of each installed app, and Django's version. The real
`migrate` still has a look at every copy, which is quick where nothing is left to do.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType


def find_migrations() -> Iterator[Path]:
    """Every migration of every installed app."""
    for app in apps.get_app_configs():
        yield from sorted(Path(app.path, "migrations").glob("*.py"))


def name_of(migrations: Iterator[Path]) -> str:
    """The name of the file that has had exactly these migrations."""
    made_of = hashlib.sha256(django.get_version().encode())
    for path in migrations:
        made_of.update(b"%s\0%s\0" % (path.name.encode(), path.read_bytes()))
    return f"{made_of.hexdigest()[:16]}.sqlite3"


def keep(database: sqlite3.Connection, kept: Path) -> None:
    """Keep what a database holds now; others may do so at the same time."""
    unfinished = kept.with_suffix(f".{os.getpid()}")
    with sqlite3.connect(unfinished) as copy:
        database.backup(copy)
    copy.close()
    unfinished.replace(kept)


def put_back_permissions() -> ExitStack:
    """While open: a database that was emptied gets as one lot what else each signal of `migrate` makes anew.

    Which kinds of rows there are and who may what with them is the same after each of a thousand tests.
    """
    types, permissions = [*ContentType.objects.all()], [*Permission.objects.all()]

    def put_back(verbosity: int, interactive: bool, db: str, **beside: Any) -> None:
        ContentType.objects.using(db).bulk_create(types)
        Permission.objects.using(db).bulk_create(permissions)

    stack = ExitStack()
    stack.enter_context(patch("django.core.management.commands.flush.emit_post_migrate_signal", put_back))
    return stack
