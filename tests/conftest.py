"""Shared by every test: fixed seeds, where browser tests run, the specification report."""

import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.spec_report"]

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
