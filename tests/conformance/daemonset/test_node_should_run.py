"""Adapter of daemonset_node_should_run.json."""

from typing import Any

import pytest

from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.workloads.daemon_set import DaemonSet
from lifecycle.engine.rules.workloads.daemon_pods import decide_fit, tolerate_trouble
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("daemonset_node_should_run"))
def test_a_node_fits_or_not(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    template = tolerate_trouble(DaemonSet.from_json(given["daemonSet"]).spec.template)
    fit = decide_fit(template, Node.from_json(given["node"]))
    assert {"shouldRun": fit.should_run, "shouldContinueRunning": fit.should_continue} == expect
