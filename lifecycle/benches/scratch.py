"""A database for benches: a scratch one beside the configured one, dropped at the end."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.contrib.auth import get_user_model
from django.db import connection

from lifecycle.models import Cluster


@contextmanager
def database() -> Iterator[None]:
    """Everything inside happens in an empty, migrated database of the configured kind, ours alone."""
    name, tests = connection.settings_dict["NAME"], connection.settings_dict["TEST"]
    with tempfile.TemporaryDirectory(prefix="podline-bench-") as folder:
        is_file = connection.vendor == "sqlite"
        kept, scratch = tests.get("NAME"), f"podline_bench_{os.getpid()}"
        tests["NAME"] = str(Path(folder) / f"{scratch}.sqlite3") if is_file else scratch
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)
            tests["NAME"] = kept


def make_cluster(name: str) -> Cluster:
    """A cluster nobody serves."""
    user, _ = get_user_model().objects.get_or_create(username="bench")
    return Cluster.objects.create(owner=user, name=name)
