"""A Service or a budget that does nothing is told, by the page of its cluster and by the summary."""

from typing import Any

import pytest

from dashboard.pages.cluster.verdict import read_verdict as tell_cluster
from lifecycle.simulation.seen import Watch
from lifecycle.simulation.surroundings import describe_surroundings
from tests.dashboard.pages.test_verdicts import make_deployment_json
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep_changes

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def make_service(selector: dict[str, str], port: Any = "http", **spec: Any) -> dict[str, Any]:
    spec = {"selector": selector, "ports": [{"port": 80, "targetPort": port}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "front"}, "spec": spec}


def make_budget(labels: dict[str, str]) -> dict[str, Any]:
    spec = {"minAvailable": 1, "selector": {"matchLabels": labels}}
    kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
    return {**kind, "metadata": {"name": "front"}, "spec": spec}


def look(*manifests: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What the cluster's page tells, and the verdicts of the summary."""
    door = Door()
    web = make_deployment_json("web", 1)
    web["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "name": "http"}]
    for one in (web, *manifests):
        door.apply(one)
    cluster = keep_changes(door.run(60).cluster.take_changes(), door.cluster.now_ms)
    found = tell_cluster(cluster, door.cluster.now_ms)
    said = [line.strip() for line in describe_surroundings(door.cluster, Watch()) if "verdict" in line]
    return [one.sentence for one in found.troubles], [one.removeprefix("verdict   ") for one in said]


@pytest.mark.parametrize(
    "manifest, told",
    [
        pytest.param(
            make_service({"app": "wbe"}),
            "Service front: selects no pod (app=wbe: did you mean app=web?);"
            " every connection to it is refused",
            id="a label nobody has",
        ),
        pytest.param(
            make_service({"app": "payment-api"}),
            "Service front: selects no pod (app=payment-api); every connection to it is refused",
            id="a label like none",
        ),
        pytest.param(
            make_service({"app": "web"}, "htttp"),
            "Service front: names the port htttp, which none of its pods has (did you mean http?)",
            id="a port nobody has",
        ),
        pytest.param(
            make_budget({"app": "webb"}),
            "PodDisruptionBudget front: selects no pod (app=webb: did you mean app=web?); it keeps nothing",
            id="a budget of nobody",
        ),
    ],
)
def test_an_object_that_selects_nothing_is_told(manifest: dict[str, Any], told: str) -> None:
    page, summary = look(manifest)
    assert page == [told]
    words = told.partition(": ")[2]
    assert summary == [f"{words[:1].upper()}{words[1:]}."]


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(make_service({"app": "web"}), id="a named port"),
        pytest.param(make_service({"app": "web"}, 8080), id="a number"),
        pytest.param(make_service({}), id="no selector"),
        pytest.param(
            make_service({"app": "x"}, type="ExternalName", externalName="a.example"), id="an alias"
        ),
        pytest.param(make_budget({"app": "web"}), id="a budget"),
    ],
)
def test_an_object_that_is_well_is_not_told(manifest: dict[str, Any]) -> None:
    assert look(manifest) == ([], [])
