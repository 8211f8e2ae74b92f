"""The ghost: what is drawn to the right of now is what then comes."""

from __future__ import annotations

import pytest

from dashboard.live import ghost
from dashboard.live.feeds import make_foresighted
from dashboard.live.ghost import SPAN_MS, read_ghost
from dashboard.plots.futures import cut_future
from dashboard.plots.stories import Stories
from lifecycle import reads
from lifecycle.frames import transition_json
from lifecycle.models import Cluster, Event, ObjectVersion, StoredObject, Transition
from lifecycle.runs import inbox
from tests.runs.conftest import Wall, create, frames, make_cluster, owner, wall
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow

__all__ = ["Wall", "frames", "make_cluster", "owner", "wall"]
WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}
ROLLOUT = "rollout:default/Deployment/web"


@pytest.fixture
def shop(owner, make_cluster):
    """Two pods that are ready, a third asked for at a minute, paused at half a minute."""
    cluster = make_cluster()
    create(cluster, replicas=2)
    inbox.append(cluster, "scale", {**WEB, "replicas": 3}, pinned_ms=60_000)
    run_on(owner, cluster, 30_000)
    return cluster


def test_what_is_to_come_then_comes(owner, shop):
    ghost = look_ahead(shop)
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
    ghost = look_ahead(shop)
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
    ghost = look_ahead(cluster)
    assert ghost["note"].startswith("The pale part on the right: what will happen until")
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
    assert look_ahead(cluster)["note"] == (
        "Looked ahead to 00:11:30: nothing changes by itself until then."
        f" The drain of {node} is not done by then."
    )


def test_the_ghost_of_a_workload_has_its_pods_alone(shop):
    assert look_ahead(shop, "timeline:default/Deployment/web")["bars"]
    assert not look_ahead(shop, "timeline:default/Deployment/other")["bars"]


def test_a_stranger_is_told_nothing(client, django_user_model, shop):
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.get(f"/clusters/{shop.name}/ahead/").status_code == 404
    client.force_login(shop.owner)
    told = client.get(f"/clusters/{shop.name}/ahead/?figure=timeline&figure={ROLLOUT}").json()
    assert told["figures"]["timeline"]["bars"] and told["figures"][ROLLOUT]["traces"]


def look_ahead(cluster, figure: str = "timeline") -> dict:
    """What comes of one figure, with what is said of all."""
    told = read_ghost(cluster, [figure])
    return told | told["figures"][figure]


# --- what is drawn is what is recorded later --------------------------------------------------------------

BEGUN_MS, STEP_MS = 30_000, 2_500
"""A browser that watches at 10× is told four times a second."""
MOST_LOOKS = 14
IMAGE = {"container": "app", "image": "nginx:1.28"}


def make_server(image: str = "nginx:1.27", **more: object) -> dict:
    return {"name": "app", "image": image, "ports": [{"containerPort": 80}], **more}


def make_manifest(kind: str, container: dict, annotations: dict | None = None, **spec: object) -> dict:
    """A workload of that kind called `web`."""
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    if annotations:
        template["metadata"]["annotations"] = annotations
    if kind == "Job":
        template["spec"]["restartPolicy"] = "Never"
    else:
        spec["selector"] = {"matchLabels": labels}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    meta = {"name": "web", "namespace": "default"}
    return {"apiVersion": version, "kind": kind, "metadata": meta, "spec": {**spec, "template": template}}


def behave(behavior: str) -> dict:
    return {"podline.dev/behavior": f"{{app: {behavior}}}"}


def change(kind: str, container: dict, annotations: dict | None = None, **spec: object) -> tuple:
    """The command that makes another of it than there is."""
    return "apply", {"object": make_manifest(kind, container, annotations, **spec)}


def set_image(kind: str) -> tuple:
    return "setImage", {**WEB, "kind": kind, **IMAGE}


READINESS = {"readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 1}}
SLOW = behave(
    "{preStop: {takes: 6s}, probes: {readiness: [{at: 0s, result: failure}, {at: 10s, result: success}]}}"
)
SLOW_SERVER = make_server(**READINESS, lifecycle={"preStop": {"sleep": {"seconds": 6}}})
CRASHES = {"name": "app", "image": "busybox", "command": ["sh", "-c", "sleep 4; exit 1"]}
WORKS = {"name": "app", "image": "busybox", "command": ["sh", "-c", "sleep 7"]}
NEVER_READY = behave("{probes: {readiness: [{at: 0s, result: failure}]}}")
NO_IMAGE = behave("{pull: {error: ErrImagePull}}")
BUSIER = behave("{usage: {cpu: [{at: 0s, is: 150m}]}}")
BUSY = make_server(resources={"requests": {"cpu": "100m"}})
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "few"},
    "spec": {"hard": {"pods": "4"}},
}
SCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 1,
        "maxReplicas": 5,
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
            }
        ],
    },
}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
}


SURGE_TWO = {"strategy": {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}}


def web(
    container: dict | None = None, replicas: int = 2, annotations: dict | None = None, **spec: object
) -> dict:
    return make_manifest("Deployment", container or make_server(), annotations, replicas=replicas, **spec)


ROLLOUTS = [
    pytest.param([web()], set_image("Deployment"), id="healthy"),
    pytest.param([web(SLOW_SERVER, 3, SLOW)], set_image("Deployment"), id="slow", marks=pytest.mark.deep),
    pytest.param(
        [web()],
        change("Deployment", make_server("nginx:1.28", **READINESS), NEVER_READY, replicas=2),
        id="never ready",
        marks=pytest.mark.deep,
    ),
    pytest.param([web()], change("Deployment", CRASHES, replicas=2), id="crash loop", marks=pytest.mark.deep),
    pytest.param(
        [web()],
        change("Deployment", make_server(), NO_IMAGE, replicas=2),
        id="bad image",
        marks=pytest.mark.deep,
    ),
    pytest.param(
        [web(replicas=3, **SURGE_TWO), QUOTA], set_image("Deployment"), id="quota", marks=pytest.mark.deep
    ),
    pytest.param(
        [web(BUSY, 1, BUSIER), SCALER, BUDGET],
        set_image("Deployment"),
        id="autoscaler",
        marks=pytest.mark.deep,
    ),
    pytest.param(
        [make_manifest("StatefulSet", make_server(), replicas=2, serviceName="web")],
        set_image("StatefulSet"),
        id="StatefulSet",
        marks=pytest.mark.deep,
    ),
    pytest.param(
        [make_manifest("DaemonSet", make_server())],
        set_image("DaemonSet"),
        id="DaemonSet",
        marks=pytest.mark.deep,
    ),
    pytest.param([], change("Job", WORKS, completions=4, parallelism=2), id="Job", marks=pytest.mark.deep),
    pytest.param(
        [web(SLOW_SERVER, 3, SLOW)],
        ("scale", {**WEB, "replicas": 1}),
        id="scaled down",
        marks=pytest.mark.deep,
    ),
    pytest.param([web(SLOW_SERVER, 2, SLOW)], ("delete", {**WEB}), id="deleted", marks=pytest.mark.deep),
    pytest.param(
        [web(replicas=3), BUDGET], ("drain", {"node": "node-1"}), id="drained", marks=pytest.mark.deep
    ),
    pytest.param(
        [web(replicas=3)],
        ("fault", {"node": "node-1", "kind": "crash"}),
        id="a node is lost",
        marks=pytest.mark.deep,
    ),
]


def list_figures(cluster, kind: str) -> list[str]:
    """Those of the pages that have a future: of the workload, of two of its pods, of a node and of others."""
    pods = StoredObject.objects.filter(cluster=cluster, kind="Pod").order_by("created_ms", "name")
    # Another pod of a StatefulSet has the name of the one before it.
    names = pods.values_list("name", flat=True) if kind != "StatefulSet" else ()
    named = [f"pod:default/{name}" for name in names]
    others = ["timeline", "autoscaler:default/web", "measured:default/web", "budget:default/web"]
    return [f"rollout:default/{kind}/web", *named[:2], "node:node-1", *others]


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


def wind_back(cluster, to_ms: int):
    """The cluster as whoever looked at that instant would have read it."""
    there = Cluster.objects.get(pk=cluster.pk)
    rows = [*Transition.objects.filter(cluster=cluster, at_ms__lte=to_ms).order_by("-seq")[:1]]
    rows += Event.objects.filter(cluster=cluster, at_ms__lte=to_ms).order_by("-seq")[:1]
    there.seq = max(row.seq for row in rows)
    versions = ObjectVersion.objects.filter(cluster=cluster, at_ms__lte=to_ms)
    there.rv = versions.order_by("-rv").values_list("rv", flat=True)[0]
    there.instant_ms = to_ms
    return there


@pytest.mark.parametrize("manifests, asked", ROLLOUTS)
def test_at_every_change_what_is_drawn_is_what_is_recorded_later(
    owner, make_cluster, monkeypatch, manifests, asked
):
    """Of every chart. Rows are recorded now and then; what was since the last of them is in no row."""
    monkeypatch.setattr(ghost, "CPU_SECONDS", 60.0)
    monkeypatch.setattr(ghost, "SPAN_MS", 90_000)
    cluster = make_cluster()
    for manifest in manifests:
        inbox.append(cluster, "apply", {"object": manifest})
    inbox.append(cluster, *asked, pinned_ms=BEGUN_MS)
    run_on(owner, cluster, BEGUN_MS)
    kind = {**WEB, **asked[1].get("object", {}), **asked[1]}.get("kind") or "Deployment"
    kind = kind if kind in ("StatefulSet", "DaemonSet", "Job") else "Deployment"
    names = list_figures(cluster, kind)
    monkeypatch.setattr(reads, "virtual_now_ms", lambda cluster: BEGUN_MS)
    changes = sorted({bar["start"] for bar in look_ahead(cluster)["bars"]})
    drawn = []
    for at_ms in changes[:MOST_LOOKS]:
        run_on(owner, cluster, at_ms // STEP_MS * STEP_MS)
        monkeypatch.setattr(reads, "virtual_now_ms", lambda cluster, at_ms=at_ms: at_ms)
        drawn.append(read_ghost(cluster, names))
    run_on(owner, cluster, drawn[-1]["to_ms"])
    assert len(changes) > 1
    for one in drawn:
        from_ms, to_ms = one["at_ms"], one["to_ms"]
        bars = one["figures"].pop("timeline")["bars"]
        bars = {(bar["lane"], bar["start"], bar["end"], bar["title"]) for bar in bars}
        assert bars == tell_expected(cluster, from_ms, to_ms), from_ms
        later = wind_back(cluster, to_ms)
        for name, figure in one["figures"].items():
            came = cut_future(make_foresighted(later, name).figure(to_ms), from_ms)
            assert figure == came, (name, from_ms)
