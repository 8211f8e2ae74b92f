"""Kinds of trouble on a node stand in one list: the engine, scenarios and the page of a node read it."""

import pytest

from dashboard.asking import presets
from lifecycle.engine.kubelet.faults import NODE_FAULTS
from lifecycle.input import scenario_steps
from lifecycle.input.manifests import read_documents
from lifecycle.input.scenario import read_scenario
from tests.engine.kubelet.world import World

SCENARIO = """
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {{name: trouble}}
spec:
  until: 10s
  steps:
  - at: 1s
    fault: {{node: node-1, kind: "{kind}"}}
"""


@pytest.mark.parametrize("kind", NODE_FAULTS)
def test_a_scenario_takes_every_kind(kind: str) -> None:
    (document,) = read_documents(SCENARIO.format(kind=kind))
    (step,) = read_scenario(document).steps
    assert (step.kind, step.payload["kind"]) == ("fault", kind)


@pytest.mark.parametrize("kind", NODE_FAULTS)
def test_the_engine_carries_out_every_kind(kind: str) -> None:
    assert World().to(5).submit("fault", node="node-1", kind=kind, **{"for": "5s"}).ok


def test_the_page_offers_every_kind() -> None:
    assert [name for name, _ in dict(presets.CHOICES)["Single faults"]] == list(NODE_FAULTS)


def test_a_kind_that_is_added_to_the_list_is_known_to_scenarios() -> None:
    assert scenario_steps.NODE_FAULTS is NODE_FAULTS is presets.NODE_FAULTS
