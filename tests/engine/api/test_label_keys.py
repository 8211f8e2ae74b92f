"""What the API server writes into the selectors of new pods that name keys of their own labels."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.placement.label_keys import merge_label_keys
from tests.engine.controllers.door import Door

Json = dict[str, Any]
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
LABELS = {"app": "web", "rev": "1"}


def term(**fields: Any) -> Json:
    return {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "web"}}, **fields}


def expression(operator: str = "In", key: str = "rev", value: str = "1") -> Json:
    return {"key": key, "operator": operator, "values": [value]}


@pytest.mark.parametrize(
    "given, added",
    [
        pytest.param({"matchLabelKeys": ["rev"]}, [expression()], id="a key"),
        pytest.param({"mismatchLabelKeys": ["rev"]}, [expression("NotIn")], id="a key that must differ"),
        pytest.param(
            {"matchLabelKeys": ["rev"], "mismatchLabelKeys": ["app"]},
            [expression(), expression("NotIn", "app", "web")], id="both, in this order",
        ),
        pytest.param({"matchLabelKeys": ["absent", "rev"]}, [expression()], id="a key that the pod has not"),
        pytest.param({}, None, id="none"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("side", ["podAffinity", "podAntiAffinity"])
@pytest.mark.parametrize("is_preferred", [False, True])
def test_terms_get_the_pods_own_values(given: Json, added: Any, side: str, is_preferred: bool):
    rules = {PREFERRED: [{"weight": 1, "podAffinityTerm": term(**given)}]}
    affinity = {side: rules if is_preferred else {REQUIRED: [term(**given)]}}
    merged = merge_label_keys({"affinity": affinity}, LABELS)["affinity"][side]
    found = merged[PREFERRED][0]["podAffinityTerm"] if is_preferred else merged[REQUIRED][0]
    assert found["labelSelector"].get("matchExpressions") == added


def test_a_selector_of_nobody_stays_one_and_what_is_there_is_kept():
    nobody = {"topologyKey": HOST, "maxSkew": 1, "matchLabelKeys": ["rev"]}
    own = {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}
    spec = {"topologySpreadConstraints": [nobody, {**nobody, "labelSelector": own}]}
    first, second = merge_label_keys(spec, LABELS)["topologySpreadConstraints"]
    assert first == nobody
    assert second["labelSelector"]["matchExpressions"] == [*own["matchExpressions"], expression()]
    assert own == {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}


def make_spec() -> Json:
    constraint = {
        **term(matchLabelKeys=["pod-template-hash"]),
        "maxSkew": 1,
        "whenUnsatisfiable": "ScheduleAnyway",
    }
    return {
        "containers": [{"name": "app", "image": "nginx:1"}],
        "topologySpreadConstraints": [constraint],
        "affinity": {
            "podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": term(matchLabelKeys=["rev"])}]}
        },
    }


def tell(pod: Json) -> tuple[Any, Any]:
    """What the selectors of its constraint and of its term say beside the app."""
    (constraint,) = pod["spec"]["topologySpreadConstraints"]
    (preferred,) = pod["spec"]["affinity"]["podAntiAffinity"][PREFERRED]
    selectors = constraint["labelSelector"], preferred["podAffinityTerm"]["labelSelector"]
    return tuple(one.get("matchExpressions") for one in selectors)  # type: ignore[return-value]


def workload(kind: str) -> Json:
    template = {"metadata": {"labels": LABELS}, "spec": make_spec()}
    spec: Json = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": spec}


def test_a_pod_by_itself():
    door = Door()
    meta = {"name": "web", "labels": LABELS}
    door.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": make_spec()})
    assert tell(door.get("Pod")) == (None, [expression()])


def test_each_revision_of_a_deployment_by_its_own_hash():
    door = Door()
    door.apply(workload("Deployment") | {"spec": {**workload("Deployment")["spec"], "replicas": 3}})
    for hashes in (1, 2):
        door.run(60)
        found = {pod["metadata"]["labels"]["pod-template-hash"]: tell(pod) for pod in door.pods()}
        ((own, told),) = found.items()
        assert told == ([expression(key="pod-template-hash", value=own)], [expression()]), hashes
        done = door.change(
            "patch", type="merge", patch={"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}
        )
        assert tell({"spec": done["spec"]["template"]["spec"]}) == (None, None)


def test_a_daemons_own_affinity_is_completed_too():
    door = Door()
    door.apply(workload("DaemonSet"))
    door.run(5)
    for pod in door.pods():
        assert tell(pod)[1] == [expression()]
        assert "nodeAffinity" in pod["spec"]["affinity"]
