"""The ghost: what is drawn to the right of now is what then comes."""

from __future__ import annotations

import pytest

from dashboard.live import ghost
from dashboard.live.ghost import SPAN_MS, read_ghost
from dashboard.plots.stories import Stories
from lifecycle import reads
from lifecycle.frames import transition_json
from lifecycle.models import StoredObject, Transition
from lifecycle.runs import inbox
from tests.runs.conftest import Wall, create, deployment, frames, make_cluster, owner, wall
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow

__all__ = ["Wall", "frames", "make_cluster", "owner", "wall"]
WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}


@pytest.fixture
def shop(owner, make_cluster):
    """Two pods that are ready, a third asked for at a minute, paused at half a minute."""
    cluster = make_cluster()
    create(cluster, replicas=2)
    inbox.append(cluster, "scale", {**WEB, "replicas": 3}, pinned_ms=60_000)
    run_on(owner, cluster, 30_000)
    return cluster


def test_what_is_to_come_then_comes(owner, shop):
    ghost = read_ghost(shop)
    known = {
        f"default/{name}" for name in StoredObject.objects.filter(kind="Pod").values_list("name", flat=True)
    }
    (new,) = {lane["key"] for lane in ghost["lanes"]}
    assert new not in known
    seen = [(bar["start"], bar["title"].split(" · ")[1]) for bar in ghost["bars"] if bar["lane"] == new]
    run_on(owner, shop, 120_000)
    rows = Transition.objects.filter(cluster=shop, kind="Pod", name=new.split("/")[1], field="state")
    came = [(row.at_ms, row.new.capitalize()) for row in rows.order_by("seq")]
    # Of several states of one instant the last is drawn.
    assert seen == list(dict(came).items())
    assert seen[-1][1] == "Ready"


def test_where_nothing_moves_it_says_so(owner, shop):
    run_on(owner, shop, 120_000)
    ghost = read_ghost(shop)
    assert ghost["note"] == "Looked ahead to 00:12:00: nothing changes by itself until then."
    assert {bar["end"] - ghost["at_ms"] for bar in ghost["bars"]} == {SPAN_MS}
    assert not ghost["lanes"]


def test_a_crash_loop_goes_on_in_what_is_to_come(owner, make_cluster):
    """Nothing but upkeep is left, and yet the container is started again."""
    cluster = make_cluster()
    container = {"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 20; exit 1"]}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "again"},
        "spec": {"containers": [container]},
    }
    inbox.append(cluster, "apply", {"object": pod})
    run_on(owner, cluster, 120_000)
    ghost = read_ghost(cluster)
    assert ghost["note"].startswith("Pale, to the right of now")
    assert " again gets into trouble: crashing at 00:0" in ghost["note"]
    assert len([bar for bar in ghost["bars"] if bar["lane"] == "default/again"]) > 1


def test_a_drain_that_does_not_end_is_told_beside_that_nothing_changes(owner, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=1)
    budget = {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1}
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "one"}}
    inbox.append(cluster, "apply", {"object": {**head, "spec": budget}})
    run_on(owner, cluster, 60_000)
    node = StoredObject.objects.get(cluster=cluster, kind="Pod").node
    inbox.append(cluster, "drain", {"node": node})
    run_on(owner, cluster, 90_000)
    assert read_ghost(cluster)["note"] == (
        "Looked ahead to 00:11:30: nothing changes by itself until then."
        f" The drain of {node} is not done by then."
    )


def test_the_ghost_of_a_workload_has_its_pods_alone(shop):
    assert read_ghost(shop, "default/Deployment/web")["bars"]
    assert not read_ghost(shop, "default/Deployment/other")["bars"]


def test_a_stranger_is_told_nothing(client, django_user_model, shop):
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.get(f"/clusters/{shop.name}/ahead/").status_code == 404
    client.force_login(shop.owner)
    assert client.get(f"/clusters/{shop.name}/ahead/?figure=timeline").json()["bars"]


# --- what is drawn is what is recorded later --------------------------------------------------------------

BEGUN_MS, SEEN_MS = 30_000, 60_000
CRASHES = {"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 4; exit 1"]}
WORKS = {"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 7"]}


def slow_to_go() -> dict:
    """Pods that take ten seconds to be ready, and six to go."""
    behavior = (
        "{app: {preStop: {takes: 6s}, probes: {readiness: ["
        "{at: 0s, result: failure}, {at: 10s, result: success}]}}}"
    )
    manifest = deployment(replicas=3)
    template = manifest["spec"]["template"]
    template["metadata"]["annotations"] = {"podline.dev/behavior": behavior}
    (container,) = template["spec"]["containers"]
    container |= {
        "readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 1},
        "lifecycle": {"preStop": {"sleep": {"seconds": 6}}},
    }
    return manifest


def loose(container: dict, kind: str = "Pod", **spec: object) -> dict:
    """A pod of its own, or a Job of one container."""
    pod = {"containers": [container], "restartPolicy": "Never" if kind == "Job" else "Always"}
    version, inner = ("batch/v1", {"template": {"spec": pod}}) if kind == "Job" else ("v1", pod)
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": inner | spec}


def tell_expected(cluster, from_ms: int, to_ms: int) -> set:
    """The bars of that time, from what was recorded."""
    stories = Stories()
    for row in Transition.objects.filter(cluster=cluster, kind="Pod", at_ms__lte=to_ms).order_by("seq"):
        stories.feed(transition_json(row))
    return {
        (story.lane, max(span.start_ms, from_ms), min(span.end_ms or to_ms, to_ms), span.title)
        for story in stories.by_uid.values()
        for span in story.spans
        if (span.end_ms or to_ms) > from_ms and span.start_ms < to_ms
    }


@pytest.mark.parametrize(
    "manifest, kind, payload",
    [
        pytest.param(
            slow_to_go(), "setImage", {**WEB, "container": "app", "image": "nginx:1.28"}, id="rollout"
        ),
        pytest.param(
            *(slow_to_go(), "scale", {**WEB, "replicas": 1}), id="scaled down", marks=pytest.mark.deep
        ),
        pytest.param(deployment(2), "scale", {**WEB, "replicas": 5}, id="scaled up"),
        pytest.param(
            *(slow_to_go(), "delete", {**WEB, "propagationPolicy": "Foreground"}),
            id="deleted",
            marks=pytest.mark.deep,
        ),
        pytest.param(deployment(3), "fault", {"node": "node-1", "kind": "crash"}, id="a node is lost"),
        pytest.param(deployment(2), "apply", {"object": loose(CRASHES)}, id="crash loop"),
        pytest.param(
            deployment(1),
            "apply",
            {"object": loose(WORKS, "Job", completions=4, parallelism=2)},
            id="job",
            marks=pytest.mark.deep,
        ),
    ],
)
def test_at_every_change_the_bars_are_what_is_recorded_later(
    owner, make_cluster, monkeypatch, manifest, kind, payload
):
    """Nothing is recorded since the command; what was between then and now is in no row."""
    monkeypatch.setattr(ghost, "SPAN_MS", SEEN_MS)
    monkeypatch.setattr(ghost, "CPU_SECONDS", 60.0)
    cluster = make_cluster()
    inbox.append(cluster, "apply", {"object": manifest})
    inbox.append(cluster, kind, payload, pinned_ms=BEGUN_MS)
    run_on(owner, cluster, BEGUN_MS - 1)
    monkeypatch.setattr(reads, "virtual_now_ms", lambda cluster: BEGUN_MS - 1)
    instants = sorted({bar["start"] for bar in read_ghost(cluster)["bars"]})
    drawn = []
    for at_ms in instants:
        monkeypatch.setattr(reads, "virtual_now_ms", lambda cluster, at_ms=at_ms: at_ms)
        drawn.append(read_ghost(cluster))
    run_on(owner, cluster, drawn[-1]["to_ms"])
    assert len(instants) > 1
    for one in drawn:
        bars = {(bar["lane"], bar["start"], bar["end"], bar["title"]) for bar in one["bars"]}
        assert bars == tell_expected(cluster, one["at_ms"], one["to_ms"]), one["at_ms"]
