"""`pdb.json`: a budget, the pods of its namespace and their controllers, to the budget's status.

Without controllers of the API's kinds the given ones are asked for their size as the scale sub-resource is.
`event` in a case is one that must be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lifecycle.engine.controllers.disruption.decide import Seen, decide
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.objects.workloads.disruption_budget import DisruptionBudget, DisruptionBudgetStatus
from lifecycle.engine.rules.actions import RecordEvent, Update
from lifecycle.engine.rules.workloads.disruption_budgets import needs_scale
from tests.conformance.cases import load_cases

Json = Mapping[str, Any]


def sizes_of(controllers: Sequence[Json]) -> dict[str, tuple[str, int]]:
    """By a controller's uid: whose size counts, its own or that of the Deployment above it, and the size."""
    own = {one["metadata"]["uid"]: (one["spec"].get("replicas") or 0) for one in controllers}
    sizes = {}
    for one in controllers:
        uid = one["metadata"]["uid"]
        above = [
            owner["uid"] for owner in one["metadata"].get("ownerReferences") or () if owner["uid"] in own
        ]
        counted = above[0] if above else uid
        sizes[uid] = counted, own[counted]
    return sizes


def see(given: Json) -> Seen:
    """What the controller would see, the pods being all there are."""
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    budget = DisruptionBudget.from_json({**head, **given["pdb"]})
    pods = [Pod.from_json({"apiVersion": "v1", "kind": "Pod", **one}) for one in given["pods"]]
    pods = [one for one in pods if budget.spec.selector.matches(one.meta.labels)]
    owners = {one.meta.controller.uid for one in pods if one.meta.controller is not None}
    sizes = sizes_of(given["controllers"])
    lost = [one for one in pods if one.meta.controller and one.meta.controller.uid not in sizes]
    by_name = {one.meta.name: one for one in pods}
    return Seen(
        budget,
        len(pods),
        sum(one.is_ready and one.meta.deletion_ms is None for one in pods),
        has_unmanaged=any(one.meta.controller is None for one in pods),
        scale=sum(dict(sizes[uid] for uid in owners if uid in sizes).values()),
        problem=f'found no controllers for pod "{lost[0].meta.name}"'
        if lost and needs_scale(budget.spec)
        else "",
        disrupted={name: by_name.get(name) for name in budget.status.disrupted_pods},
    )


@pytest.mark.spec("PDB-02", "PDB-03", "PDB-14", "PDB-15")
@pytest.mark.parametrize("case", load_cases("pdb"))
def test_a_budgets_status(case: Json) -> None:
    given, expect = case["input"], case["expect"]
    seen = see(given)
    now_ms = parse_utc_ms(given["now"])
    actions = decide(seen, now_ms).actions
    written = [one.new.status for one in actions if isinstance(one, Update)]
    status = written[-1] if written else seen.budget.status
    assert isinstance(status, DisruptionBudgetStatus)
    shown = status.to_json()
    assert {name: shown.get(name) for name in expect["status"]} == expect["status"]
    told = {one.reason for one in actions if isinstance(one, RecordEvent)}
    assert expect.get("event", "") in {*told, ""}
