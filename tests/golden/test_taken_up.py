"""A cluster that another engine saved has the history it would have had, or lives on as it can."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.cluster import ENGINE_VERSION
from lifecycle.engine.upgrades import Known
from lifecycle.simulation.run import Driver
from tests.golden.histories import NAMES, SavingDriver, live_through, read_hashes
from tests.seeds import one_in

pytestmark = pytest.mark.slow


def known_of(cluster: Cluster, saved: dict[str, Any]) -> Known:
    """What a database would have of a cluster."""
    objects = [found for kind in cluster.kinds() for found in cluster.list(kind)]
    version = saved["resource_version"]
    creations = {found["metadata"]["uid"]: version for found in objects}
    seq = saved["trace"]["seq"]
    return Known(
        cluster.seed, cluster.epoch_ms, cluster.settings, cluster.now_ms, seq, version, objects, creations
    )


class UpgradingDriver(SavingDriver):
    """Upgrades Podline at every step and at every `slice_ms` between."""

    slice_ms = 47_001

    def _settle(self) -> None:
        Driver._settle(self)
        saved = json.loads(json.dumps(self.cluster.save())) | {"engine_version": ENGINE_VERSION - 1}
        self.cluster = self._take_up(known_of(self.cluster, saved), saved)
        Driver._settle(self)

    def _take_up(self, known: Known, saved: dict[str, Any]) -> Cluster:
        taken = Cluster.take_up(known, saved)
        assert list(taken.begun_anew) == []
        return taken


class RebuildingDriver(UpgradingDriver):
    """The same, with nothing but the objects kept. Not at steps: a manifest just put on a node is none."""

    def _take_up(self, known: Known, saved: dict[str, Any]) -> Cluster:
        if known.now_ms == 0 or known.now_ms % self.slice_ms:
            return self.cluster
        return Cluster.take_up(known, None)


@pytest.mark.parametrize("name", one_in(3, NAMES))
def test_what_can_be_read_goes_on_as_if_nothing_had_happened(name):
    found, outcome = live_through(name, "realistic", UpgradingDriver)
    assert not outcome.failures
    version, hashes = read_hashes()
    assert version != ENGINE_VERSION or found == hashes[name]["realistic"]


@pytest.mark.parametrize("name", one_in(3, NAMES))
def test_objects_alone_are_enough_to_live_on(name):
    """Not with the same history: programs begin anew each time, so claims on their times need not hold."""
    _found, outcome = live_through(name, "realistic", RebuildingDriver)
    assert not outcome.refusals
