"""What would help is run before it is offered, and reaches what it says."""

# ruff: noqa: E501 - a line of a manifest is a line
import re

import pytest
import yaml

from lifecycle.engine import Cluster, Command
from lifecycle.judge import judge_workload
from lifecycle.remedies import Patience, look_ahead, try_drain, try_remedies
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import run
from lifecycle.simulation.seen import Watch
from tests.simulate.running import summarize
from tests.texts import read_manifests

SLOW = "sleep 30; httpd -f -p 8080"
HOG = {"app": {"usage": [{"at": "0s", "memory": "90Mi"}]}}


def make(kind, container, replicas=1, steps=(), until="5m", volumes=(), **spec):
    container = {"name": "app", "image": "nginx:1.25", **container}
    template = {
        "metadata": {"labels": {"app": "web"}, "annotations": spec.pop("annotations", {})},
        "spec": {"containers": [container], "volumes": [*volumes]},
    }
    spec = {"selector": {"matchLabels": {"app": "web"}}, "replicas": replicas, "template": template, **spec}
    scenario = {"nodes": {"count": spec.pop("nodes", 3)}, "steps": [*steps], "until": until}
    return [
        {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": spec},
        {
            "apiVersion": "podline.dev/v1alpha1",
            "kind": "Scenario",
            "metadata": {"name": "trial"},
            "spec": scenario,
        },
    ]


def set_image(image, kind="deployment"):
    return {"at": "1m", "setImage": {kind: "web", "container": "app", "image": image}}


BAD = {
    "apiVersion": "podline.dev/v1alpha1",
    "kind": "ContainerProfile",
    "metadata": {"name": "bad"},
    "spec": {"match": {"image": "ngnix:*"}, "behavior": {"pull": {"error": "ErrImagePull"}}},
}
PORT = {"ports": [{"containerPort": 80, "hostPort": 80}]}


def look(objects):
    """The cluster at the end of the run, what was seen of the workload, and what helped it."""
    watch, plan = Watch(), make_plan(read_manifests(yaml.safe_dump_all(objects)), Overrides())
    _, cluster = run(plan, watch)
    (workload,) = cluster.list(objects[0]["kind"])
    seen = watch.judge(cluster).see(workload)
    return cluster, seen, try_remedies(cluster, seen)


CASES = [
    pytest.param(
        [
            *make(
                "StatefulSet",
                {"image": "ngnix:1"},
                2,
                [set_image("nginx:1.25", "statefulset")],
                serviceName="w",
            ),
            BAD,
        ],
        "delete web-0",
        id="a pod that a StatefulSet does not replace",
    ),
    pytest.param(
        [*make("Deployment", {"image": "ngnix:1.25"}), BAD], "image nginx:1.25", id="a typing error"
    ),
    pytest.param(
        [*make("StatefulSet", {"image": "ngnix:1.25"}, serviceName="w"), BAD],
        "image nginx:1.25 and delete web-0",
        id="a typing error in a StatefulSet",
    ),
    pytest.param(
        [*make("Deployment", {}, steps=[set_image("ngnix:1.26")]), BAD],
        "undo the rollout",
        id="a bad rollout",
    ),
    pytest.param(
        make("Deployment", PORT, steps=[set_image("nginx:1.26")], nodes=1),
        "maxSurge 0, maxUnavailable 1",
        id="no room beside the old pod",
    ),
    pytest.param(
        make(
            "Deployment",
            {"resources": {"limits": {"memory": "64Mi"}}},
            annotations={"podline.dev/behavior": yaml.safe_dump(HOG)},
        ),
        "memory limit 128Mi for app",
        id="out of memory",
    ),
    pytest.param(
        make(
            "Deployment",
            {
                "image": "busybox:1.36",
                "command": ["sh", "-c", SLOW],
                "livenessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 5, "failureThreshold": 2},
            },
        ),
        "initialDelaySeconds 40 for the liveness probe of app",
        id="killed while it starts",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("objects, change", CASES)
def test_a_remedy_that_is_offered_reaches_what_it_says(objects, change):
    cluster, seen, tried = look(objects)
    assert change in [one.remedy.change for one in tried]
    for one in tried:
        fork = Cluster.load(cluster.save())
        for number, (kind, payload) in enumerate(one.remedy.orders):
            assert fork.submit(Command(id=f"again-{number}", kind=kind, payload=payload)).ok
        seconds = 2 + sum(
            int(part[:-1]) * (60 if part.endswith("m") else 1)
            for part in one.outcome.partition(",")[0].removeprefix("whole after ").split()
        )
        fork.run_until(cluster.now_ms + seconds * 1000)
        found = fork.get(seen.kind, "default", "web")
        assert found["status"]["readyReplicas"] == found["spec"]["replicas"], one.tell()


def test_a_remedy_leaves_the_cluster_as_it_is():
    objects = CASES[0].values[0]
    cluster, seen, tried = look(objects)
    before = cluster.save()
    assert try_remedies(cluster, seen) == tried != []
    assert cluster.save() == before


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param(make("Deployment", {}), id="well"),
        pytest.param(make("Deployment", {"command": ["false"], "image": "busybox:1.36"}), id="nothing helps"),
        pytest.param(
            make(
                "Deployment",
                {"resources": {"limits": {"memory": "4Mi"}}},
                annotations={"podline.dev/behavior": yaml.safe_dump(HOG)},
            ),
            id="eight times the memory is too little",
        ),
    ],
)
def test_what_does_not_help_is_not_offered(objects):
    assert look(objects)[2] == []


def test_a_drain_that_a_budget_holds_up_is_let_go_by_one_more_pod():
    """The only pod stands on node-1 or node-2; one more finds room on the node that is not drained."""
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    # Until it has its pod, there is no other node.
    steps = [
        {"at": "0s", "cordon": {"node": "node-2"}},
        {"at": "50s", "uncordon": {"node": "node-2"}},
        {"at": "1m", "drain": {"node": "node-1"}},
    ]
    objects = make("Deployment", {}, 1, steps, nodes=2)
    cluster, seen, _ = look([*objects, budget])
    told = judge_workload(seen)
    (pod,) = cluster.list("Pod")
    node = pod["spec"]["nodeName"]
    assert (
        f"the eviction of {pod['metadata']['name']} is refused since 00:01:00 by budget web" in told.sentence
    )
    assert not told.is_well
    outcome = try_drain(cluster, node, {("Deployment/web", "default"): 1})
    assert re.fullmatch(r"scale web to 2: drained after \d+s", outcome), outcome


def crash(name: str, pods: int) -> str:
    return (
        f"{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{replicas: {pods}, selector:"
        f" {{matchLabels: {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers:"
        " [{name: app, image: busybox, command: [sh, -c, 'sleep 5; exit 1']}]}}}}\n"
    )


@pytest.mark.parametrize(
    "pods, instants, told",
    [
        pytest.param(1, 40_000, "", id="in time"),
        pytest.param(1, 10, "trials ended after 40,000 instants", id="late"),
        pytest.param(
            51, 40_000, "nothing is tried that may help: these are more than 50 pods", id="too many"
        ),
    ],
)
def test_what_is_not_tried_is_said(pods, instants, told, monkeypatch):
    monkeypatch.setattr("lifecycle.simulation.summaries.Patience", lambda: Patience(instants))
    said = summarize(crash("web", pods), "30s")
    assert told in said if told else "may help" not in said
    assert ("by itself" in said) == (not told)


def test_what_comes_right_by_itself_is_offered_no_help():
    """The first of two pods takes 20 s to end, and the node has room for two: the new one waits that long."""
    pod = {
        "command": ["sh", "-c", 'trap "sleep 20; exit 0" TERM; while true; do sleep 1; done'],
        "image": "busybox",
    }
    pod |= {"ports": [{"containerPort": 80, "hostPort": 80}]}
    strategy = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    steps = [set_image("busybox:1.37")]
    objects = make("Deployment", pod, steps=steps, until="70s", nodes=1, strategy=strategy)
    cluster, seen, tried = look(objects)
    assert judge_workload(seen).sentence.count("Unschedulable") == 1
    assert tried == []
    course = look_ahead(cluster, seen)
    assert course is not None and course.is_lasting and 10_000 < course.whole_ms < 20_000
