"""Manifests with commands, unannotated, in a whole cluster without latencies."""

from typing import Any

import pytest
import yaml

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.heart.trace import row_to_json

EPOCH_MS = 1_767_225_600_000


class Run:
    """A cluster, without latencies unless told, that takes manifests and is read at instants, in seconds."""

    def __init__(self, manifests: str = "", timing: str = "instant") -> None:
        self.cluster = Cluster(seed=1, epoch_ms=EPOCH_MS, settings=Settings(timing=timing))
        self.commands = 0
        self.apply(manifests)

    def submit(self, command: str, **payload: Any) -> Any:
        self.commands += 1
        result = self.cluster.submit(Command(f"c{self.commands}", command, payload))
        assert result.ok, result.status
        return result.object

    def apply(self, manifests: str) -> None:
        for document in yaml.safe_load_all(manifests):
            if document:
                document["metadata"].setdefault("namespace", "default")
                self.submit("apply", object=document)

    def pod_at(self, seconds: float, name: str) -> dict[str, Any]:
        self.cluster.run_until(round(seconds * 1000))
        pod = self.cluster.get("Pod", "default", name)
        assert pod is not None, name
        return pod

    def container_at(
        self, seconds: float, name: str, field: str = "containerStatuses", index: int = 0
    ) -> Any:
        return self.pod_at(seconds, name)["status"][field][index]


def test_liveness_by_a_file_restarts_the_container() -> None:
    """Failures at 35, 40 and 45 s; the shell ignores TERM, so that the grace period of 30 s passes."""
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: liveness-exec}
        spec:
          containers:
          - name: liveness
            image: registry.k8s.io/busybox:1.27.2
            args: [/bin/sh, -c, touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600]
            livenessProbe:
              exec: {command: [cat, /tmp/healthy]}
              initialDelaySeconds: 5
              periodSeconds: 5
        """
    )
    assert run.container_at(29, "liveness-exec")["restartCount"] == 0
    assert run.container_at(46, "liveness-exec")["restartCount"] == 0
    status = run.container_at(76, "liveness-exec")
    assert status["restartCount"] == 1
    assert status["lastState"]["terminated"]["exitCode"] == 137


MYAPP = """
apiVersion: v1
kind: Pod
metadata: {name: myapp-pod}
spec:
  initContainers:
  - {name: init-myservice, image: busybox, command: [sh, -c, "until nslookup myservice; do sleep 2; done"]}
  - {name: init-mydb, image: busybox, command: [sh, -c, "until nslookup mydb; do sleep 2; done"]}
  containers:
  - {name: myapp-container, image: "busybox:1.28", command: [sh, -c, "sleep 3600"]}
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {{name: {0}}}
spec: {{ports: [{{protocol: TCP, port: 80, targetPort: 9376}}]}}
"""


@pytest.mark.spec("INIT-03", "POD-PHASE-12", "COND-20")
def test_init_containers_wait_for_their_services() -> None:
    run = Run(MYAPP)
    waiting = run.pod_at(479, "myapp-pod")["status"]
    assert waiting["phase"] == "Pending"
    assert "running" in waiting["initContainerStatuses"][0]["state"]
    run.apply(SERVICE.format("myservice"))
    half = run.pod_at(500, "myapp-pod")["status"]["initContainerStatuses"]
    assert [next(iter(one["state"])) for one in half] == ["terminated", "running"]
    run.apply(SERVICE.format("mydb"))
    done = run.pod_at(502, "myapp-pod")["status"]
    assert done["phase"] == "Running"
    assert [one["state"]["terminated"]["exitCode"] for one in done["initContainerStatuses"]] == [0, 0]


@pytest.mark.parametrize(
    ("policy", "code", "phase", "restarts"),
    [
        ("Always", 1, "Running", 1),
        ("OnFailure", 0, "Succeeded", 0),
        ("OnFailure", 1, "Running", 1),
        ("Never", 0, "Succeeded", 0),
        ("Never", 1, "Failed", 0),
    ],
)
def test_exit_code_of_the_script_decides_with_the_policy(
    policy: str, code: int, phase: str, restarts: int
) -> None:
    run = Run(
        f"""
        apiVersion: v1
        kind: Pod
        metadata: {{name: one}}
        spec:
          restartPolicy: {policy}
          containers:
          - {{name: c1, image: "sim/shell:1", command: [sh, -c, "sleep 100; exit {code}"]}}
        """
    )
    assert run.pod_at(99, "one")["status"]["phase"] == "Running"
    status = run.pod_at(101, "one")["status"]
    assert (status["phase"], status["containerStatuses"][0]["restartCount"]) == (phase, restarts)


@pytest.mark.parametrize(
    ("script", "gone_at"),
    [
        ("trap 'sleep 4; exit 0' TERM; sleep 3600 & wait", 14),
        ("sleep 3600", 40),
        ("exec nginx -g 'daemon off;'", 10),
    ],
    ids=["handles TERM", "ignores TERM", "a server"],
)
@pytest.mark.spec("POD-TERM-08", "POD-TERM-16", "POD-TERM-21")
def test_deletion_takes_as_long_as_the_program_needs(script: str, gone_at: int) -> None:
    run = Run(
        f"""
        apiVersion: v1
        kind: Pod
        metadata: {{name: web}}
        spec:
          containers:
          - {{name: app, image: busybox, command: [sh, -c, "{script}"]}}
        """
    )
    run.cluster.run_until(10_000)
    run.submit("delete", kind="Pod", namespace="default", name="web")
    run.cluster.run_until(gone_at * 1000 - 1)
    if gone_at > 10:
        assert run.cluster.get("Pod", "default", "web") is not None
    run.cluster.run_until(gone_at * 1000)
    assert run.cluster.get("Pod", "default", "web") is None


@pytest.mark.spec("RPOL-13")
def test_stress_beyond_its_limit_is_killed_for_memory() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: memory-demo-2}
        spec:
          restartPolicy: Never
          containers:
          - name: c
            image: polinux/stress
            resources: {requests: {memory: 50Mi}, limits: {memory: 100Mi}}
            command: [stress]
            args: ["--vm", "1", "--vm-bytes", "250M", "--vm-hang", "1"]
        """
    )
    ended = run.container_at(1, "memory-demo-2")["state"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)


@pytest.mark.slow
@pytest.mark.spec("POD-OBJ-10")
def test_what_one_container_writes_the_other_logs() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: two}
        spec:
          restartPolicy: Never
          volumes: [{name: shared, emptyDir: {}}]
          containers:
          - name: writer
            image: debian
            command: [/bin/sh, -c, "sleep 3; echo Hello from the debian container > /pod-data/index.html"]
            volumeMounts: [{name: shared, mountPath: /pod-data}]
          - name: reader
            image: busybox
            command: [sh, -c, "until cat /data/index.html; do sleep 1; done"]
            volumeMounts: [{name: shared, mountPath: /data}]
        """
    )
    assert run.pod_at(2, "two")["status"]["phase"] == "Running"
    assert run.pod_at(5, "two")["status"]["phase"] == "Succeeded"


def test_readiness_file_decides_whether_the_pod_is_ready() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: ready}
        spec:
          containers:
          - name: app
            image: busybox
            command: [sh, -c, "sleep 7; touch /tmp/ready; sleep 20; rm /tmp/ready; sleep 600"]
            readinessProbe: {exec: {command: [test, -f, /tmp/ready]}, periodSeconds: 5, failureThreshold: 1}
        """
    )
    assert run.container_at(9, "ready")["ready"] is False
    assert run.container_at(10, "ready")["ready"] is True
    assert run.container_at(29, "ready")["ready"] is True
    assert run.container_at(30, "ready")["ready"] is False


@pytest.mark.parametrize("timing", ["instant", "realistic"])
def test_a_program_that_acts_on_every_check_is_checked_all_the_same(timing: str) -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: blinks}
        spec:
          containers:
          - name: app
            image: busybox
            command: [sh, -c, "while true; do touch /tmp/ready; sleep 1; rm /tmp/ready; sleep 1; done"]
            readinessProbe: {exec: {command: [test, -f, /tmp/ready]}, periodSeconds: 1, failureThreshold: 1}
        """,
        timing,
    )
    run.cluster.run_until(30_500)
    rows = [row_to_json(row) for row in run.cluster.take_changes().rows if row.at_ms > 10_000]
    # Of two checks in a row, a second apart, one finds the file and the other does not.
    assert sum(row.get("field") == "container.app.ready" for row in rows) in (20, 21)


def test_what_cannot_be_interpreted_is_an_event_on_the_pod() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: odd}
        spec:
          containers:
          - {name: app, image: "own:1", command: [sh, -c, "frobnicate --now; sleep 600"]}
        """
    )
    run.cluster.run_until(1_000)
    rows = [row_to_json(row) for row in run.cluster.take_changes().rows]
    warnings = [row["message"] for row in rows if row["type"] == "event" and row["eventType"] == "Warning"]
    assert warnings == ["cannot interpret the command 'frobnicate --now': taken to succeed at once"]


@pytest.mark.spec("POD-OBJ-09")
@pytest.mark.parametrize("timing", ["instant", "realistic"])
@pytest.mark.parametrize("second", [{}, {"command": ["sh", "-c", "exec nginx"]}], ids=["image", "script"])
def test_second_listener_on_a_port_fails(second: dict[str, Any], timing: str) -> None:
    run = Run(timing=timing)
    containers = [{"name": "first", "image": "nginx"}, {"name": "second", "image": "nginx", **second}]
    metadata = {"name": "two", "namespace": "default"}
    spec = {"restartPolicy": "Never", "containers": containers}
    run.submit("apply", object={"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    states = [one["state"] for one in run.pod_at(60, "two")["status"]["containerStatuses"]]
    assert sorted(next(iter(state)) for state in states) == ["running", "terminated"]
    assert [state["terminated"]["exitCode"] for state in states if "terminated" in state] == [1]


@pytest.mark.parametrize("other", ["own:1", "haproxy:3", "own:2"])
def test_a_program_of_which_nothing_is_known_takes_no_port_away(other: str) -> None:
    """It is taken to answer wherever it is asked, not to hold every port there is."""
    run = Run()
    containers = [
        {
            "name": "own",
            "image": other,
            "command": ["sh", "-c", "/opt/serve"] if other == "own:2" else None,
        },
        {"name": "web", "image": "nginx"},
    ]
    metadata = {"name": "two", "namespace": "default"}
    for container in containers:
        container.pop("command") if container.get("command", "") is None else None
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}}
    run.submit("apply", object=pod)
    for index in (0, 1):
        assert "running" in run.container_at(60, "two", index=index)["state"]


@pytest.mark.spec("DOWN-01", "DOWN-14", "DOWN-15", "DOWN-25")
def test_downward_files_follow_the_pod_and_its_environment_does_not() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: down, labels: {tier: gold}, annotations: {note: 'say "hi"'}}
        spec:
          volumes:
          - name: info
            downwardAPI:
              items:
              - {path: labels, fieldRef: {fieldPath: metadata.labels}}
              - {path: annotations, fieldRef: {fieldPath: metadata.annotations}}
          containers:
          - name: app
            image: busybox
            env: [{name: TIER, valueFrom: {fieldRef: {fieldPath: "metadata.labels['tier']"}}}]
            volumeMounts: [{name: info, mountPath: /info}]
            command:
            - sh
            - -c
            - grep ^note= /info/annotations; while true; do echo $TIER $(cat /info/labels); sleep 40; done
        """
    )
    run.cluster.run_until(50_000)
    run.submit(
        "patch", kind="Pod", namespace="default", name="down", type="merge",
        patch={"metadata": {"labels": {"tier": "silver"}}},
    )  # fmt: skip
    run.cluster.run_until(100_000)
    logs = [text for *_, text in run.cluster.take_changes().logs]
    assert logs == [r'note="say \"hi\""', 'gold tier="gold"', 'gold tier="gold"', 'gold tier="silver"']


def test_probe_sees_what_another_container_writes() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: pair}
        spec:
          volumes: [{name: shared, emptyDir: {}}]
          containers:
          - name: app
            image: busybox
            command: [sleep, "600"]
            volumeMounts: [{name: shared, mountPath: /shared}]
            readinessProbe: {exec: {command: [test, -f, /shared/ready]}, periodSeconds: 5}
          - name: helper
            image: busybox
            command: [sh, -c, "sleep 12; touch /shared/ready; sleep 600"]
            volumeMounts: [{name: shared, mountPath: /shared}]
        """
    )
    assert run.container_at(14, "pair")["ready"] is False
    assert run.container_at(15, "pair")["ready"] is True
