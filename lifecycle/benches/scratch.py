"""A database for benches: a scratch one beside the configured one, dropped at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth import get_user_model
from django.db import connection

from lifecycle.models import Cluster


@contextmanager
def database() -> Iterator[None]:
    """Everything inside happens in an empty, migrated database of the configured kind."""
    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def make_cluster(name: str) -> Cluster:
    """A cluster nobody serves."""
    user, _ = get_user_model().objects.get_or_create(username="bench")
    return Cluster.objects.create(owner=user, name=name)
