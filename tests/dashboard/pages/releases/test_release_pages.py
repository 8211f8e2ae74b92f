"""The page of releases: every state, its columns, what was found, and names that are no names."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.releases.readings import draw, find_axis
from lifecycle.models import Cluster, Comparison
from tests.builders import make_cluster, make_user

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"
LEVER = {
    "kind": "switch",
    "name": "kubeletRelistsOnDemand",
    "was": False,
    "component": "kubelet",
    "says": "looks at once",
    "upstream": "kubernetes/kubernetes#137362, since v1.36",
}
LANES = {
    "default/once": {"v1.35": [[0, 5000, "pending"]], "v1.36": [[0, 3000, "pending"], [3000, 5000, "ready"]]}
}


def cell(*values: tuple[str, int | None]) -> dict[str, Any]:
    return {"before": 0, "values": [list(one) for one in values], "after": 0}


def section(**values: Any) -> dict[str, Any]:
    cells = [cell(("Pending", 0)), cell(("Pending", 0), ("Running", 2900))]
    row = {"what": "Pod default/once", "topic": "phase", "cells": cells}
    return {"because": [LEVER], "rows": [row], "pods": ["default/once"]} | values


def result(*sections: dict[str, Any], **values: Any) -> dict[str, Any]:
    releases = [{"name": name, "refused": []} for name in ("v1.35", "v1.36")]
    step = {"from": "v1.35", "to": "v1.36", "isCompared": True, "runs": 3, "sections": list(sections)}
    return {"releases": releases, "steps": [step], "apis": [], "lanes": LANES, "runs": 5} | values


@pytest.fixture
def cluster(client: Client) -> Cluster:
    made = make_cluster("shop")
    client.force_login(made.owner)
    return made


def make(cluster: Cluster, state: str = "done", **values: Any) -> Comparison:
    values = {"releases": ["v1.35", "v1.36"], "cluster": cluster} | values
    return Comparison.objects.create(user=cluster.owner, state=state, **values)


def read(client: Client, path: str = "/clusters/shop/releases/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    "state, values, words",
    [
        pytest.param(None, {}, "No comparison yet", id="none"),
        pytest.param("asked", {}, "Waiting for a worker", id="asked"),
        pytest.param("running", {"doing": "v1.36", "runs": 1}, "v1.36; 1 run done.", id="running"),
        pytest.param("done", {"result": result()}, "Nothing comes out otherwise", id="the same"),
        pytest.param("done", {"result": result(section())}, "1 change of Kubernetes shows", id="otherwise"),
        pytest.param("cancelled", {}, "Cancelled", id="cancelled"),
        pytest.param("failed", {"problem": "no <b>worker</b>"}, "no &lt;b&gt;worker", id="failed"),
    ],
)
def test_every_state_is_told(client, cluster, state, values, words):
    if state:
        make(cluster, state, **values)
    page = read(client)
    assert words in page
    assert ("Cancel</button>" in page) == (state in ("asked", "running"))


def test_a_difference_comes_with_its_change_its_instants_and_its_film(client, cluster):
    make(cluster, result=result(section()))
    page = read(client)
    for words in (
        "<b>kubelet</b>: looks at once",
        'href="https://github.com/kubernetes/kubernetes/pull/137362"',
        "From v1.35 to v1.36",
        'Running <span class="numbers muted">00:00:02.9</span>',
        'aria-label="once: Pending 00:00:00.0 to 00:00:03.0, Ready 00:00:03.0 to 00:00:05.0"',
    ):
        assert words in page


def test_what_the_older_one_did_is_told_as_no_more(client, cluster):
    make(cluster, result=result(section(because=[LEVER | {"was": True, "upstream": "until v1.36: f.go"}])))
    assert "<b>kubelet</b>: no more: looks at once" in read(client)


def test_what_comes_from_no_change_and_what_is_refused_are_told(client, cluster):
    make(cluster, result=result(section(because=[], pods=[])))
    page = read(client)
    assert "Some comes out otherwise" in page and "By no gate and no switch" in page
    refused = [{"name": "v1.35", "refused": []}, {"name": "v1.36", "refused": [f"Pod {HOSTILE}: unknown"]}]
    told = result(releases=refused)
    told["steps"][0] |= {"isCompared": False}
    make(cluster, result=told)
    page = read(client)
    assert "Not to be compared" in page and "v1.36 refuses what was given" in page and HOSTILE not in page


def test_versions_that_are_gone_stand_in_the_same_columns(client, cluster):
    api = {"objects": ["Endpoints old", "Endpoints older"], "text": "write EndpointSlice"}
    make(cluster, result=result(apis=[api | {"states": {"v1.35": "deprecated", "v1.36": "gone"}}]))
    page = read(client)
    assert "Endpoints old, Endpoints older" in page and "write EndpointSlice" in page
    assert page.index(">deprecated<") < page.index(">gone<")


@pytest.mark.parametrize("releases, times", [(["v1.36", "v1.37"], True), (["v1.35", "v1.36"], False)])
def test_a_release_that_is_not_recorded_is_marked_so_wherever_it_is_shown(client, cluster, releases, times):
    names = [{"name": one, "refused": []} for one in releases]
    lanes = {"default/once": dict(zip(releases, LANES["default/once"].values(), strict=True))}
    made = make(cluster, releases=releases, result=result(section(), releases=names, lanes=lanes))
    part = read(client, f"/releases/{made.pk}/")
    # The heading, the column of the table, and the film.
    assert part.count("not recorded") == (3 if times else 0)


def test_names_from_manifests_are_text(client, cluster):
    row = {
        "what": HOSTILE,
        "topic": HOSTILE,
        "note": HOSTILE,
        "cells": [cell((HOSTILE, 0)), cell((HOSTILE, None))],
    }
    lanes = {HOSTILE: LANES["default/once"]}
    api = {"objects": [HOSTILE], "text": HOSTILE, "states": {"v1.35": "gone"}}
    made = make(cluster, result=result(section(rows=[row], pods=[HOSTILE]), lanes=lanes, apis=[api]))
    for path in ("/clusters/shop/releases/", f"/releases/{made.pk}/"):
        page = read(client, path)
        assert HOSTILE not in page and "&lt;script&gt;" in page


@pytest.mark.parametrize(
    "address", ["/releases/start/", "/clusters/shop/releases/start/"], ids=["manifests", "cluster"]
)
@pytest.mark.parametrize(
    "releases, words",
    [
        ([], "This field is required"),
        (["v1.35"], "1 releases were chosen"),
        (["v1.34", "v1.35", "v1.36", "v1.37"], "4 releases were chosen"),
        (["v1.35", "<b>"], "&lt;b&gt; is not one of the available choices"),
    ],
)
def test_a_form_that_is_wrong_starts_nothing(client, cluster, address, releases, words):
    answer = client.post(address, {"releases": releases, "manifest": "kind: Pod"})
    assert answer.status_code == 422 and words in answer.content.decode()
    assert not Comparison.objects.exists()


def test_one_starts_a_second_waits_and_it_can_be_cancelled(client, cluster):
    form = {"releases": ["v1.36", "v1.35"], "manifest": "kind: Pod"}
    assert "Waiting for a worker" in client.post("/releases/start/", form).content.decode()
    made = Comparison.objects.get()
    assert (made.releases, made.files, made.cluster) == (["v1.35", "v1.36"], [["", "kind: Pod"]], None)
    again = client.post("/clusters/shop/releases/start/", form)
    assert again.status_code == 422 and "one at a time" in again.content.decode()
    assert "Cancelled" in client.post(f"/releases/{made.pk}/cancel/").content.decode()
    assert "Waiting" in client.post("/clusters/shop/releases/start/", form).content.decode()


def test_nothing_given_is_refused_in_words(client, cluster):
    answer = client.post("/releases/start/", {"releases": ["v1.36", "v1.35"], "manifest": " "})
    assert answer.status_code == 422 and "nothing was given" in answer.content.decode()


def test_it_is_for_who_asked_alone(client, cluster):
    made = make(cluster, "asked")
    client.force_login(make_user("bob"))
    assert client.get(f"/releases/{made.pk}/").status_code == 404
    assert client.post(f"/releases/{made.pk}/cancel/").status_code == 404
    assert "No comparison yet" in read(client, "/releases/")
    made.refresh_from_db()
    assert made.state == "asked"


def test_the_axis_begins_where_something_goes_otherwise() -> None:
    same = [[0, 60_000, "ready"]]
    lanes = {
        "shop/web": {
            "v1.35": [*same, [60_000, 70_000, "failed"]],
            "v1.36": [*same, [60_000, 70_000, "ready"]],
        }
    }
    assert find_axis(lanes) == (59_000, 61_000)
    picture = draw(lanes, 0)
    assert picture is not None
    assert [one.name for one in picture.sides] == ["v1.35", "v1.36"]
    assert [(bar.left, bar.width) for bar in picture.sides[0].lanes[0].bars] == [(0.0, 50.0), (50.0, 50.0)]
