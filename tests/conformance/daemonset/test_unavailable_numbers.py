"""Adapter of daemonset_unavailable_numbers.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.daemon_set.decide.node_state import Rules, decide_node_state
from lifecycle.engine.controllers.daemon_set.decide.sums import Sums
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.daemon_set import DaemonSet
from lifecycle.engine.rules.workloads.daemon_pods import Fit
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("daemonset_unavailable_numbers"))
def test_an_update_has_so_much_room(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    spec = DaemonSet.from_json(given["daemonSet"]).spec
    rules = Rules("hash", None, spec.min_ready_seconds * 1000, spec.allows_surge)
    sums = Sums()
    for number, node in enumerate(given["nodes"]):
        pods = [Pod.from_json(entry) for entry in given["nodeToPods"].get(node, ())]
        sums.put(node, (number, node), decide_node_state(pods, Fit(True, True), rules, 0))
    desired, scheduled = sums.counts[:2]
    surge, unavailable = spec.resolve_room(desired)
    found = {"maxSurge": surge, "maxUnavailable": unavailable, "emptyNodes": desired - scheduled}
    assert found == expect
