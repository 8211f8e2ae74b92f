"""kubectl's words on a cluster in this process: what it prints, and what it says of a line it cannot read."""

from __future__ import annotations

import json

import pytest

from podline import InputRefused, load

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "nginx:1.27"}]}
"""
CRASHING = """
apiVersion: v1
kind: Pod
metadata: {name: crasher}
spec: {containers: [{name: app, image: "busybox:1.36", command: [sh, -c, "echo run; sleep 1; exit 3"]}]}
"""


@pytest.fixture(scope="module")
def settled():
    cluster = load(WEB, CRASHING)
    cluster.run_until("deployment/web Available")
    cluster.run_for("60s")
    return cluster


@pytest.fixture
def cluster(settled):
    return settled.fork()


def test_what_is_there_is_printed_as_kubectl_prints_it(cluster):
    assert cluster.kubectl("kubectl get deployments").splitlines() == [
        "NAME   READY   UP-TO-DATE   AVAILABLE   AGE",
        f"web    2/2     2            2           {cluster.now_ms // 1000}s",
    ]
    assert cluster.kubectl("get deploy/web -o name") == "deployment.apps/web"
    assert json.loads(cluster.kubectl("get deploy web -o json"))["spec"]["replicas"] == 2
    assert len(json.loads(cluster.kubectl("get pods -l app=web -o json"))["items"]) == 2
    assert len(json.loads(cluster.kubectl("get pods -l 'app in (web,db)' -o json"))["items"]) == 2
    assert cluster.kubectl("get jobs") == "No resources found in default namespace."
    assert "BackOff" in cluster.kubectl("events --for pod/crasher --types Warning")
    assert cluster.kubectl("logs crasher") == cluster.kubectl("logs crasher -p --tail=5") == "run"
    assert cluster.kubectl("rollout history deployment/web").splitlines()[-1].split() == ["1", "<none>"]
    assert cluster.kubectl("describe pod crasher").startswith("Name: crasher\nNamespace: default\n")


def test_changes_are_said_and_made(cluster):
    assert cluster.kubectl("scale deployment/web --replicas=3") == "deployment.apps/web scaled"
    assert cluster.kubectl("rollout status deployment/web") == 'deployment "web" successfully rolled out'
    assert cluster.kubectl("set image deployment/web app=nginx:1.28") == "deployment.apps/web image updated"
    assert cluster.kubectl("wait deployment/web --for=condition=Available").endswith("condition met")
    cluster.run_until("idle")
    assert cluster.kubectl("rollout undo deployment/web") == "deployment.apps/web rolled back"
    assert cluster.kubectl("set resources deploy web --limits=memory=64Mi,cpu=1").endswith(
        "requirements updated"
    )
    container = cluster.get("deployment", "web")["spec"]["template"]["spec"]["containers"][0]
    assert (container["image"], container["resources"]["limits"]) == (
        "nginx:1.27",
        {"memory": "64Mi", "cpu": "1"},
    )
    assert cluster.kubectl("taint nodes node-1 a=b:NoSchedule") == "node/node-1 tainted"
    assert cluster.kubectl("taint nodes node-1 a-") == "node/node-1 untainted"
    assert not cluster.get("node", "node-1")["spec"].get("taints")
    assert cluster.kubectl("label deployment web tier=front") == "deployment.apps/web labeled"
    given = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    assert cluster.kubectl("apply -f -", given) == "configmap/a created"
    assert cluster.kubectl("apply -f -", f"{given}data: {{b: c}}\n") == "configmap/a configured"
    assert cluster.kubectl("delete configmap a") == 'configmap "a" deleted'


REFUSED = [
    ("", "say what to do"),
    ("get", "must specify the type"),
    ("get nosuch", "doesn't have a resource type"),
    ("get pod nosuch", "(NotFound)"),
    ("get pods -o jsonpath={.a}", "use one of wide, name, yaml, json"),
    ("get pods --watch", "unknown flag: --watch"),
    ("get pods -n", "needs an argument"),
    ("get pods 'a", "No closing quotation"),
    ("exec web -- sh", 'unknown command "exec"'),
    ("scale deployment/web --replicas=²", "use a whole number"),
    (f"scale deployment/web --replicas={'9' * 5000}", "use a whole number"),
    ("scale deployment/web --replicas=-1", "use a whole number"),
    ("scale deployment --replicas=1", "no name was specified"),
    ("scale pod/crasher --replicas=1", "Error from server"),
    ("patch deployment web", "must specify --patch"),
    ("patch deployment web -p {", "unable to parse the patch"),
    (f"patch deployment web -p '{'[' * 5000}'", "unable to parse the patch"),
    ("patch deployment web -p '{\"spec\":{\"replicas\":\"x\"}}'", "Error from server"),
    ("patch deployment web --type=odd -p {}", "must be one of"),
    ("set image deployment/web", "at least one image"),
    ("set volume deployment/web", "knows image, resources, env"),
    ("set env configmap/kube-root-ca.crt A=b", "has no containers"),
    ("set resources deployment/web --limits=memory", "write resource=amount"),
    ("rollout dance deployment/web", "knows status"),
    ("rollout status configmap/kube-root-ca.crt", "no rollout"),
    ("rollout undo deployment/web --to-revision=7", "Error from server"),
    ("logs crasher -c nosuch", "is not valid for pod"),
    ("logs nosuch", "(NotFound)"),
    ("wait pod/crasher", "--for=condition"),
    ("wait pod/crasher --for=condition=Ready --timeout=soon", "invalid argument"),
    ("taint nodes node-1 a=b:Sometimes", "invalid taint"),
    ("drain nosuch", "(NotFound)"),
    ("apply -f file.yaml", "no file is read"),
    ("apply -f -", "no objects passed"),
    ("label deployment web", "at least one label"),
    ("get pods -l 'a b'", "'a b' is no label selector; write for example app=web"),
    ("delete deployment/web -l app=nosuch", "name cannot be provided when a selector is specified"),
    ("get deployment web -l app=web", "name cannot be provided when a selector is specified"),
    ("describe pods " + "x" * 30_000, "letters"),
]  # fmt: skip


def test_a_line_that_cannot_be_carried_out_is_refused_in_words(cluster):
    wrong = []
    for command, said in REFUSED:
        try:
            wrong.append((command[:60], cluster.kubectl(command)))
        except InputRefused as problem:
            if said not in str(problem):
                wrong.append((command[:60], str(problem)[:200]))
    assert not wrong


def test_a_fork_goes_on_by_itself_and_remembers(cluster):
    fork = cluster.fork()
    fork.kubectl("scale deployment/web --replicas=5")
    fork.run_until("idle")
    assert (cluster.get("deployment", "web")["spec"]["replicas"], len(cluster.list("pod"))) == (2, 3)
    assert fork.rows[: len(cluster.rows)] == cluster.rows
    other = cluster.fork()
    for one in (cluster, other):
        one.run_for("10m")
    assert other.rows == cluster.rows
    assert other.describe() == cluster.describe()
