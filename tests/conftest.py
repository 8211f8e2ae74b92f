"""Shared by every test: fixed seeds, where browser tests run, the specification report."""

import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.spec_report", "tests.tiers"]

# `ci` gives the same examples on every machine; `deep` (make test-deep) looks further, at new ones each time.
_ANY_MACHINE = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, max_examples=50, **_ANY_MACHINE)
settings.register_profile("deep", max_examples=1000, print_blob=True, **_ANY_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs all browser tests: they share a server and a browser."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A SQLite file of this process alone: runs side by side on one machine do not meet."""
    from django.db import connections

    settings_of_default = connections["default"].settings_dict
    if settings_of_default["ENGINE"].endswith("sqlite3"):
        settings_of_default["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "podline.sqlite3")
