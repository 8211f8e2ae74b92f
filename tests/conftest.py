"""Shared by every test: fixed seeds, where browser tests run, the specification report."""

import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as examples
from hypothesis.internal.conjecture import providers
from pytest_django import DjangoDbBlocker
from whitenoise.middleware import WhiteNoiseMiddleware

from lifecycle.check import processes
from lifecycle.runs import collector
from tests import databases

pytest_plugins = ["tests.spec_report", "tests.tiers", "tests.tables", "tests.sharing"]

# `ci` gives the same examples on every machine; `deep` (make test-deep) looks further, at new ones each time.
_ANY_MACHINE = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
examples.register_profile("ci", derandomize=True, max_examples=25, **_ANY_MACHINE)
examples.register_profile("deep", max_examples=1000, print_blob=True, **_ANY_MACHINE)
examples.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Tests make whole clusters and let them go: looking for garbage after each 700 objects is a sixth of a run,
# after each 20,000 a tenth of it.
_GARBAGE_THRESHOLDS = (200_000, 10, 10)

# What pytest-django makes for every test, for the sake of marks, cases and mails that no test here has:
# a millisecond of each of thousands.
NEVER_MEANT = frozenset(
    {
        "_dj_autoclear_mailbox",
        "_django_clear_site_cache",
        "_django_isolate_apps",
        "_django_set_urlconf",
        "_django_setup_unittest",
        "_fail_for_invalid_template_variable",
        "_live_server_helper",
        "_template_string_if_invalid_marker",
    }
)
OF_A_DATABASE = frozenset({"_django_db_marker"})


def pytest_configure() -> None:
    gc.set_threshold(*_GARBAGE_THRESHOLDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        unmeant = NEVER_MEANT if item.get_closest_marker("django_db") else NEVER_MEANT | OF_A_DATABASE
        names: list[str] = getattr(item, "fixturenames", [])
        if not unmeant.isdisjoint(names):
            names[:] = [name for name in names if name not in unmeant]


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Iterator[None]:
    """What was read until now stays to the end: nobody is to look for garbage in it again and again."""
    gc.freeze()
    return (yield)


def pytest_sessionstart() -> None:
    # Who serves engines looks through all it holds now and then: here that is every test there is.
    collector.out_of_sight = nullcontext
    collector.settle = lambda: None
    # So does who begins processes: what is taken out of sight for them is not put back either.
    processes.kept_shared = _taken_out_of_sight
    if examples.get_current_profile_name() == "ci":
        # Hypothesis reads the syntax of every module that is loaded, for numbers and words to try: seconds of
        # each process, and other examples wherever other files were read before.
        providers.is_local_module_file = lambda path: False
    # As production does, but for the million rounds that are to keep somebody busy for long.
    PBKDF2PasswordHasher.iterations = 1
    _list_static_files_once()


@contextmanager
def _taken_out_of_sight() -> Iterator[None]:
    gc.freeze()
    yield


def _list_static_files_once() -> None:
    """Each test's client begins with all middleware, one of which looks up two hundred files."""
    add, listed = WhiteNoiseMiddleware.add_files_from_finders, dict[object, dict[str, object]]()

    def add_known(self: WhiteNoiseMiddleware) -> None:
        key = settings.DEBUG, str(settings.STATIC_ROOT)
        if key not in listed:
            add(self)
            listed[key] = dict(self.files)
        self.files.update(listed[key])

    WhiteNoiseMiddleware.add_files_from_finders = add_known


@pytest.fixture(scope="session")
def kept_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an empty, migrated SQLite file is kept: from run to run, where pytest may keep things."""
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    folder = cache.mkdir("databases") if cache else tmp_path_factory.mktemp("databases")
    return folder / databases.name_of(databases.find_migrations())


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    tmp_path_factory: pytest.TempPathFactory,
    kept_database: Path,
) -> None:
    """A SQLite file of this process alone: runs side by side on one machine do not meet."""
    if is_sqlite():
        mine = tmp_path_factory.mktemp("database") / "podline.sqlite3"
        if kept_database.exists():
            shutil.copy(kept_database, mine)
        connection.settings_dict["TEST"]["NAME"] = str(mine)


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest) -> bool:
    """Whether a database that is there is used as it is: the copy of this process is."""
    return is_sqlite() or request.config.getvalue("reuse_db")


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, kept_database: Path
) -> Iterator[None]:
    """As Django makes it; what it made is kept for others."""
    with django_db_blocker.unblock():
        if is_sqlite() and not kept_database.exists():
            connection.ensure_connection()
            databases.keep(connection.connection, kept_database)
        kept = databases.put_back_permissions()
    with kept:
        yield


def is_sqlite() -> bool:
    return connection.vendor == "sqlite"
