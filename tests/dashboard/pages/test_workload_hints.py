"""Hints against involuntary disruptions, on the page of a workload."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.workload.hints import list_hints
from tests.engine.disruption.site import Site, make_workload
from tests.engine.kinds.kept import keep

ASKED = {"requests": {"cpu": "100m", "memory": "64Mi"}}
APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}


def make_spec(*resources: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"containers": [{"name": f"c{at}", "resources": one} for at, one in enumerate(resources)], **spec}


@pytest.mark.spec("DISRUPT-10")
@pytest.mark.parametrize(
    "pod_spec, replicas, words",
    [
        pytest.param(make_spec(ASKED, affinity=APART), 2, [], id="all is done"),
        pytest.param(make_spec(ASKED), 1, ["two replicas or more"], id="one replica"),
        pytest.param(make_spec(ASKED), 3, ["topologySpreadConstraints"], id="not spread"),
        pytest.param(make_spec(ASKED, topologySpreadConstraints=[{}]), 3, [], id="spread"),
        pytest.param(make_spec(ASKED, {}), None, ["memory that c1 needs"], id="no requests, no size"),
        pytest.param(make_spec({"requests": {"cpu": "1"}}), None, ["memory that c0 needs"], id="no memory"),
        pytest.param(make_spec({}, {}, resources=ASKED), None, [], id="requests of the pod as a whole"),
        pytest.param(make_spec(ASKED), 0, [], id="none is wanted"),
        pytest.param({}, 1, ["two replicas or more"], id="nothing is known of its pods"),
    ],
)
def test_what_would_help_is_told(pod_spec: dict[str, Any], replicas: int | None, words: list[str]):
    hints = list_hints(pod_spec, replicas)
    assert len(hints) == len(words)
    assert all(word in hint for word, hint in zip(words, hints, strict=True))


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.spec("DISRUPT-10")
def test_the_page_of_a_workload_tells_them(client: Client):
    site = Site()
    site.apply(make_workload(replicas=1))
    site.run(5)
    cluster = keep(site.cluster)
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/deployments/default/web/").content.decode()
    assert "Against involuntary disruptions" in page and "Run two replicas or more" in page
