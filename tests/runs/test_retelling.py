"""A story that is told again comes out the same, and its claims hold."""

from __future__ import annotations

import pytest
import yaml

from dashboard.pages.home import gallery
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.input.manifests import read_documents
from lifecycle.models import StoredObject
from lifecycle.runs import inbox
from lifecycle.runs.retelling import AT_THE_END, retell
from lifecycle.runs.retelling.seen_claims import list_seen
from lifecycle.simulation import make_plan, run
from tests.runs.conftest import create
from tests.runs.histories import recorded
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow

WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lone", "namespace": "default"}}


class Kept:
    """The rows of a run, without the ids of what was asked."""

    def __init__(self) -> None:
        self.rows: list[dict] = []

    def take(self, changes) -> None:
        self.rows += [row_to_json(row) for row in changes.rows]


def play_again(text: str) -> tuple[Kept, object]:
    kept = Kept()
    outcome, _ = run(make_plan(read_documents(text)), kept)
    return kept, outcome


def strip(rows: list[dict]) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "cause"} for row in rows]


@pytest.fixture
def shop(owner, make_cluster):
    """A Deployment scaled, given another image and undone; a pod that came and went; a node cordoned."""
    cluster = make_cluster()
    create(cluster)
    run_on(owner, cluster, 10_000)
    asked = [
        ("scale", {**WEB, "replicas": 4}),
        ("setImage", {**WEB, "container": "app", "image": "nginx:1.28"}),
        ("create", {"object": POD | {"spec": {"containers": [{"name": "c", "image": "busybox"}]}}}),
        ("cordon", {"node": "node-1"}),
        ("rollout", {**WEB, "action": "undo"}),
        ("patch", {**WEB, "type": "merge", "patch": {"metadata": {"labels": {"a": "b"}}}}),
        ("evict", {"namespace": "default", "name": "lone"}),
        ("fault", {"node": "node-2", "kind": "kubeletRestart"}),
        ("scale", {**WEB, "name": "nosuch", "replicas": 1}),
    ]
    for second, (kind, payload) in enumerate(asked, 1):
        inbox.append(cluster, kind, payload, pinned_ms=10_000 + second * 5_000)
    run_on(owner, cluster, 90_000)
    return cluster


def test_what_is_told_again_happens_again(shop):
    kept, outcome = play_again(retell(shop))
    assert strip(kept.rows) == strip(recorded(shop)) != []
    assert outcome.exit_status == 0, outcome


def test_its_claims_fail_where_something_else_came_of_it(shop):
    text = retell(shop).replace("nginx:1.27", "nginx:0.nosuch")
    documents = list(yaml.safe_load_all(text))
    assert len(documents[-1]["spec"]["expect"]) > 5
    text = text.replace("replicas: 4", "replicas: 5")
    _, outcome = play_again(text)
    assert any("replicas == 4" in failure for failure in outcome.failures)


def test_steps_that_are_still_to_come_are_told(shop):
    inbox.append(shop, "scale", {**WEB, "replicas": 9}, pinned_ms=200_000)
    steps = yaml.safe_load(retell(shop).split("---\n")[-1])["spec"]["steps"]
    assert steps[-1] == {"at": "200s", "scale": {"deployment": "web", "namespace": "default", "replicas": 9}}


def test_what_was_only_tried_is_not_told_and_what_a_client_applied_is(owner, make_cluster):
    """A dry run did nothing; nodes keep their kubelets' settings."""
    kubelet = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "metadata": {"name": "small", "labels": {"podline.dev/node": "node-1"}},
        "maxPods": 7,
    }
    cluster = make_cluster(settings={"kubelet": [kubelet]})
    create(cluster)
    run_on(owner, cluster, 10_000)
    inbox.append(cluster, "delete", {**WEB, "request": {"dryRun": ["All"]}})
    applied = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 5},
    }
    inbox.append(
        cluster,
        "patch",
        {**WEB, "type": "apply", "patch": applied, "request": {"fieldManager": "me", "force": True}},
    )
    run_on(owner, cluster, 60_000)
    documents = list(yaml.safe_load_all(retell(cluster)))
    assert documents[0] == kubelet
    assert [set(step) - {"at"} for step in documents[-1]["spec"]["steps"]] == [{"create"}, {"apply"}]
    kept, outcome = play_again(retell(cluster))
    assert outcome.exit_status == 0, outcome
    assert strip(kept.rows) == strip(recorded(cluster))


@pytest.mark.parametrize("story", ["slow-pre-stop", "stateful-set-rolling-update", "job-back-off-per-index"])
def test_a_story_of_the_gallery_that_was_played_can_be_kept(owner, client, django_user_model, story):
    user = django_user_model.objects.create_user("ada")
    plan = gallery.find_plan(story)
    cluster = gallery.play(plan, story, user)
    run_on(owner, cluster, 60_000)
    kept, outcome = play_again(retell(cluster))
    assert strip(kept.rows) == strip(recorded(cluster)) != []
    assert outcome.exit_status == 0, outcome
    client.force_login(user)
    answer = client.get(f"/clusters/{cluster.name}/scenario.yaml")
    assert answer["Content-Disposition"] == f'attachment; filename="{cluster.name}.yaml"'


@pytest.mark.parametrize(
    "kept, told",
    [
        pytest.param({}, {}, id="none was asked for"),
        pytest.param({"kubernetes": "1.35"}, {"kubernetes": "1.35"}, id="as asked for"),
        pytest.param({"compatibility": "v1.23.1"}, {"kubernetes": "v1.23.1"}, id="in the older spelling"),
        pytest.param({"compatibility": "v9.9"}, {"kubernetes": "v1.35"}, id="when any text was taken"),
    ],
)
def test_what_is_told_again_is_of_a_release_that_is_modelled(make_cluster, kept, told):
    cluster = make_cluster()
    cluster.settings = kept
    (scenario,) = [one.data for one in read_documents(retell(cluster)) if one.data["kind"] == "Scenario"]
    assert {
        name: scenario["spec"][name] for name in scenario["spec"] if name in ("kubernetes", "compatibility")
    } == told


# --- what was seen ----------------------------------------------------------------------------------------


def test_what_was_seen_holds_when_the_story_is_played_again(shop):
    keys = [one.key for one in list_seen(shop)]
    assert {key.partition(":")[0] for key in keys} >= {"fewest", "settled", "restarts"}
    text = retell(shop, keys)
    claims = yaml.safe_load(text.split("---\n")[-1])["spec"]["expect"]
    assert any("always" in one for one in claims) and any("holds" in one for one in claims)
    _, outcome = play_again(text)
    assert outcome.exit_status == 0, outcome.failures


@pytest.mark.parametrize(
    "kind, change, told",
    [
        ("fewest", ("replicas: 4", "replicas: 1"), ".availableReplicas >= "),
        ("settled", ("replicas: 4", "replicas: 5"), ".replicas == 4"),
        ("restarts", ("image: nginx:1.27", "image: nginx:1.26"), "restartCount <= 0"),
    ],
)
def test_what_was_seen_fails_where_something_else_came_of_it(shop, kind, change, told):
    keys = [one.key for one in list_seen(shop) if one.key.startswith(kind)]
    text = retell(shop, keys)
    assert change[0] in text
    _, outcome = play_again(text.replace(*change))
    assert outcome.exit_status == 1
    assert any(told in failure for failure in outcome.failures)


def make_served(name: str, more: dict) -> list[dict]:
    """A Deployment and its Service, to which requests are sent."""
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": pod, **more}
    head = {"name": name, "namespace": "default"}
    asked = {"annotations": {"podline.dev/requests": "perSecond: 200"}}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": head, "spec": spec},
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": head | asked,
            "spec": {"selector": labels, "ports": [{"port": 80}]},
        },
    ]


def test_lost_requests_and_what_came_before_what_are_claimed_as_seen(owner, make_cluster):
    cluster = make_cluster()
    for one in (*make_served("first", {}), *make_served("second", {"minReadySeconds": 20})):
        inbox.append(cluster, "create", {"object": one})
    inbox.append(cluster, "rollout", {**WEB, "name": "first", "action": "restart"}, pinned_ms=40_000)
    run_on(owner, cluster, 90_000)
    seen = {one.key.partition(":")[0]: one for one in list_seen(cluster)}
    assert seen["order"].words.startswith("deployment/first served before deployment/second did")
    lost = [one for one in list_seen(cluster) if one.key.startswith("lost:default/first")]
    assert len(lost) == 1 and "lost" in lost[0].words
    text = retell(cluster, [seen["order"].key, *(one.key for one in lost)])
    assert play_again(text)[1].exit_status == 0
    none = text.replace("replicas: 2", "replicas: 0", 1)
    assert play_again(none)[1].exit_status == 1


CRASHING = "app: {runs: [{for: 40s, exit: 1}]}"
LATE = "app: {start: {takes: 5m}}"


def test_only_what_is_settled_at_the_end_is_said_to_have_settled(owner, make_cluster):
    """Kubernetes counts a pod as available between two ends; nobody would call that settled."""
    cluster = make_cluster()
    for name, behavior in (("steady", ""), ("looping", CRASHING), ("late", LATE)):
        made, _ = make_served(name, {"replicas": 1})
        if behavior:
            made["spec"]["template"]["metadata"]["annotations"] = {"podline.dev/behavior": behavior}
        inbox.append(cluster, "create", {"object": made})
    by_hand, _ = make_served("by-hand", {"replicas": 1})
    by_hand |= {"kind": "StatefulSet"}
    by_hand["spec"] |= {"updateStrategy": {"type": "OnDelete"}, "serviceName": "by-hand"}
    by_hand["spec"].pop("strategy", None)
    inbox.append(cluster, "create", {"object": by_hand})
    run_on(owner, cluster, 125_000)
    up = StoredObject.objects.get(cluster=cluster, kind="Deployment", name="looping").data["status"]
    assert up["availableReplicas"] == 1
    assert StoredObject.objects.get(cluster=cluster, kind="Pod", name__startswith="looping").restarts
    told = {one.key for one in list_seen(cluster) if not one.key.startswith(("restarts", "lost", "order"))}
    steady = ("Deployment/steady", "StatefulSet/by-hand")
    assert told == {f"{claim}:default/{one}" for claim in ("fewest", "settled") for one in steady}
    assert play_again(retell(cluster, told))[1].exit_status == 0


def test_only_what_is_chosen_is_claimed_and_what_was_not_seen_is_refused(shop):
    assert "expect" not in yaml.safe_load(retell(shop, ()).split("---\n")[-1])["spec"]
    with pytest.raises(ValueError, match="nothing was seen of 'fewest:nothing'"):
        retell(shop, ["fewest:nothing"])
    assert retell(shop) == retell(shop, [AT_THE_END])
