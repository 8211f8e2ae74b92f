"""`eviction_order.json`: pods, their usage and what they are compared by, to who is evicted first."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.objects.quantity import whole
from lifecycle.engine.rules.nodes.eviction import Candidate, order_by, sort_thresholds
from lifecycle.engine.rules.nodes.eviction_settings import Threshold
from lifecycle.engine.rules.pods.grace import HARD
from tests.conformance.cases import Case, load_cases

# The key, and the resource it looks at, by the name a case gives it.
KEYS = {
    "priority": ("priority", ""),
    "exceedMemoryRequests": ("exceeds", "memory"),
    "memory": ("amount", "memory"),
    "exceedDiskRequests": ("exceeds", "ephemeral-storage"),
    "disk": ("amount", "ephemeral-storage"),
    "process": ("amount", "process"),
}


def make_candidate(pod: Any, resource: str, number: int) -> Candidate:
    usage = pod["usage"] or {}
    parts = {"memory": ("memory",), "ephemeral-storage": ("rootfs", "logs", "localVolumes")}
    spec = PodSpec.from_json(pod["spec"])
    return Candidate(
        pod["metadata"]["name"],
        spec.priority,
        sum(whole(usage.get(part) or 0) for part in parts.get(resource, (resource,))),
        sum(container.requests.get(resource, 0) for container in spec.containers),
        number,
    )


@pytest.mark.parametrize("case", load_cases("eviction_order"))
def test_eviction_order(case: Case) -> None:
    given, expected = case["input"], case["expect"]["order"]
    if "thresholds" in given:
        thresholds = sort_thresholds(Threshold(signal, HARD, "1") for signal in given["thresholds"])
        assert [one.signal for one in thresholds] == expected
        return
    keys = [KEYS[name] for name in given["sortKeys"]]
    resource = next((resource for _, resource in keys if resource), "")
    pods = [make_candidate(pod, resource, number) for number, pod in enumerate(given["pods"])]
    assert [one.uid for one in order_by(pods, [key for key, _ in keys])] == expected
