"""Every ordeal that comes with Podline does what its text says: the rows of a future show it."""

import re

import pytest

from lifecycle.check.asking.left_out import tell_not_run, tell_rests_on
from lifecycle.check.checking import conclude
from lifecycle.check.life import live
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.settled import Settled, settle
from lifecycle.check.trials import Trial, list_trials
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.input.manifests import read_documents
from lifecycle.simulation.plan import Overrides, make_plan

APPLICATION = """
apiVersion: v1
kind: Node
metadata: {name: east, labels: {topology.kubernetes.io/zone: a}}
---
apiVersion: v1
kind: Node
metadata: {name: west, labels: {topology.kubernetes.io/zone: b}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
      - name: app
        image: shop/web:1
        readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}
"""
DEPENDENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec:
      containers:
      - name: app
        image: shop/front:1
        env: [{name: STORE, value: "http://store:80/"}]
        livenessProbe: {exec: {command: [nc, -z, store, "80"]}, periodSeconds: 5}
        resources: {requests: {cpu: 100m, memory: 64Mi}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers: [{name: app, image: "shop/store:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]
---
apiVersion: v1
kind: Service
metadata:
  name: store
  namespace: shop
  annotations:
    podline.dev/load: "app: [{at: 0s, cpu: 90m}]"
    podline.dev/requests: "{perSecond: 10, from: []}"
spec: {selector: {app: store}, ports: [{port: 80}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: store, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: store}
  minReplicas: 1
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
"""
NEXT = "shop/web:1-next"
WEB = ["Deployment/shop/web"]


def settle_text(text: str, kubernetes: str | None = None) -> Settled:
    return settle(make_plan(read_documents(text), Overrides(kubernetes=kubernetes), []))


def tell_life(settled: Settled, trial: Trial) -> list[str]:
    """Every row as `kind name field new reason detail` or `kind name Event reason message`."""
    told: list[str] = []

    def see(rows) -> None:
        for one in map(row_to_json, rows):
            words = ("Event", one["reason"], one["message"]) if one["type"] == "event" else (
                one["field"], one["new"], one["reason"] or "", one["detail"] or "")  # fmt: skip
            told.append(" ".join(map(str, (one["kind"], one["name"], *words))))

    future = live(settled, trial, 1, see)
    assert not future.refusals, future.refusals
    return told


def is_told(rows: list[str], pattern: str) -> bool:
    return any(re.search(pattern, one) for one in rows)


@pytest.fixture(scope="module")
def settled() -> Settled:
    return settle_text(APPLICATION)


def tell_pressure(what: str) -> list[str]:
    return [f"condition.{what}Pressure True", "Event Evicted", f"condition.{what}Pressure False"]


def find_trials(settled: Settled, name: str) -> list[Trial]:
    return list_trials(settled, [one for one in list_ordeals() if one.name == name])


@pytest.mark.parametrize(
    "name, number, targets, patterns",
    [
        pytest.param("rollout-healthy", 0, WEB, [f"Event Pulled .*{NEXT}", "readyReplicas 2"]),
        pytest.param("rollout-slow", 0, WEB, ["Event Unhealthy .*connection refused", "readyReplicas 2"]),
        pytest.param("rollout-never-ready", 0, WEB, ["probe.app.readiness Failure", "updatedReplicas 1"]),
        pytest.param("rollout-crashing", 0, WEB, ["Terminated Error .*'exitCode': 1", "CrashLoopBackOff"]),
        pytest.param("rollout-unpullable", 0, WEB, ["Waiting ErrImagePull", "Waiting ImagePullBackOff"]),
        pytest.param("rollout-ignores-term", 0, WEB, ["signal.app SIGTERM", "signal.app SIGKILL"]),
        pytest.param(
            "undo",
            2,
            [f"{WEB[0]} from one that {one}" for one in ("never gets ready", "crashes", "cannot be pulled")],
            ["Waiting ErrImagePull", "Deployment web revision 3"],
        ),
        pytest.param("restart-all", 0, [""], ["Deployment web revision 2", "signal.app SIGTERM"]),
        pytest.param("drain-each", 0, ["east"], ["eviction accepted", "Node east drain done"]),
        pytest.param("drain-all", 0, [""], ["Node east drain done", "Node west drain done"]),
        pytest.param(
            "upgrade-nodes",
            0,
            [""],
            [
                "Node east drain done",
                "Node east Event Starting",
                "Node west drain done",
                "Node west Event Starting",
            ],
        ),
        pytest.param(
            "node-crash", 0, ["east"], ["Node east condition.Ready Unknown", "Node east exists deleted"]
        ),
        pytest.param("node-cut", 0, ["east"], ["condition.Ready Unknown", "condition.Ready True"]),
        pytest.param("node-reboot", 0, ["east"], ["Event Rebooted", "app.restartCount 1"]),
        pytest.param("zone-away", 0, ["zone a"], ["Node east condition.Ready Unknown", "Event Rebooted"]),
        pytest.param(
            "registry-away", 0, ["east"], ["Event Failed .*connection refused", "Node east exists deleted"]
        ),
        pytest.param(
            "control-plane-away",
            1,
            ["at rest", "while everything is restarted"],
            ["Deployment web revision 2", "Pod web-.* exists deleted"],
        ),
        pytest.param("spot", 0, ["east"], ["Node east drain done", "Node east exists deleted"]),
        pytest.param("kubelet-restart", 0, ["east"], ["Node east Event Starting"]),
        pytest.param("memory-pressure", 0, ["east"], tell_pressure("Memory")),
        pytest.param("disk-pressure", 0, ["east"], tell_pressure("Disk")),
        pytest.param(
            "kill-each",
            1,
            ["Deployment/shop/web app at rest", "Deployment/shop/web app during a rollout"],
            ["'exitCode': 137", "updatedReplicas 1"],
        ),
    ],
)
def test_an_ordeal_befalls_what_it_says(settled, name, number, targets, patterns):
    trials = find_trials(settled, name)
    assert [one.target for one in trials] == targets
    rows = tell_life(settled, trials[number])
    assert [one for one in patterns if not is_told(rows, one)] == []


UPGRADES = ["upgrade-control-plane", "upgrade-nodes"]


@pytest.mark.parametrize(
    "release, following",
    [("v1.34", "v1.35"), ("v1.35.2", "v1.36"), ("v1.36", "v1.37"), ("v1.37", ""), ("v1.23.1", "")],
)
def test_a_cluster_is_upgraded_to_the_minor_release_after_its_own(release: str, following: str) -> None:
    """Control plane first, then its nodes; where the next release is not modelled that is said."""
    settled = settle_text(APPLICATION, release)
    ordeals = [one for one in list_ordeals() if one.name in UPGRADES]
    commands = [[(step.kind, step.payload) for step in one.steps] for one in list_trials(settled, ordeals)]
    first = ("upgrade", {"controlPlane": following})
    if following:
        assert [one[0] for one in commands] == [first, first]
        assert [len(one) for one in commands] == [1, 2]
        kind, drain = commands[1][1]
        assert (kind, drain["upgrade"], drain["nodes"]) == ("drain", following, ["east", "west"])
    else:
        assert commands == []
        checked = conclude(settled, [], [1], [])
        why = f"the release after {release} is not modelled"
        assert list(tell_not_run(ordeals, checked)) == [f"{one}: {why}" for one in UPGRADES]


@pytest.mark.parametrize(
    "release, tried, told",
    [
        ("v1.36", UPGRADES, ["v1.37"]),
        ("v1.36", ["restart-all"], []),
        ("v1.35", UPGRADES, []),
        ("v1.37", ["restart-all"], ["v1.37"]),
    ],
)
def test_it_is_said_where_a_release_was_never_compared_with_a_real_one(release, tried, told) -> None:
    settled = settle_text(APPLICATION, release)
    ordeals = [one for one in list_ordeals() if one.name in tried]
    lived = [(one, live(settled, one, 1)) for one in list_trials(settled, ordeals[:1])]
    rests_on = [*tell_rests_on(settled, conclude(settled, lived, [1], []))]
    found = [one.partition(": not recorded: ")[0] for one in rests_on if ": not recorded: " in one]
    assert found == [f"Kubernetes {one}" for one in told]


def test_an_upgrade_of_the_control_plane_alone_befalls_nobody(settled: Settled) -> None:
    """The kubelets stay as they are, and so do their pods."""
    (trial,) = find_trials(settled, "upgrade-control-plane")
    future = live(settled, trial, 1)
    assert (future.end, future.violations, future.refusals) == ("whole", (), ())
    assert (future.figures.recovery_ms, future.figures.restarts) == (0, 0)


@pytest.fixture(scope="module")
def dependent() -> Settled:
    return settle_text(DEPENDENT)


STORE = "Service/shop/store"
FRONT_AND_STORE = ["Deployment/shop/front", "Deployment/shop/store"]


@pytest.mark.parametrize(
    "name, number, targets, patterns",
    [
        pytest.param(
            "dependency-away",
            0,
            [f"{STORE} for a minute", f"{STORE} for ten minutes"],
            ["Unhealthy Liveness probe failed", "Pod front-.*restartCount 1"],
        ),
        pytest.param(
            "load-double", 0, [STORE], ["Deployment store replicas 4", "Deployment store replicas 2"]
        ),
        pytest.param("load-tenfold", 0, [STORE], ["Deployment store replicas 5"]),
        pytest.param("load-gone", 0, [STORE], ["Deployment store replicas 1", "Deployment store replicas 2"]),
        pytest.param(
            "full-cluster",
            0,
            [
                f"{one} {how}"
                for how in ("and a new image is rolled out", "and a node less")
                for one in FRONT_AND_STORE
            ],
            ["Pod filler-node-1 phase Running", "FailedScheduling .*Insufficient cpu"],
        ),
        pytest.param(
            "full-cluster", 2, None, ["Node node-. drain done", "FailedScheduling .*Insufficient cpu"]
        ),
        pytest.param("quota-met", 0, FRONT_AND_STORE, ["FailedCreate .*exceeded quota: met"]),
        pytest.param(
            "preempted",
            1,
            FRONT_AND_STORE,
            ["Pod store-.* Event Preempted", "Pod intruder-node-. exists deleted"],
        ),
    ],
)
def test_an_ordeal_of_what_is_around_befalls_what_it_says(dependent, name, number, targets, patterns):
    trials = find_trials(dependent, name)
    assert targets is None or [one.target for one in trials] == targets
    rows = tell_life(dependent, trials[number])
    assert [one for one in patterns if not is_told(rows, one)] == []


BATCH = """
apiVersion: batch/v1
kind: Job
metadata: {name: import, namespace: shop, labels: {team: b}}
spec:
  backoffLimit: 2
  template:
    metadata: {annotations: {podline.dev/behavior: "app: {runs: [{for: 10m, exit: 0}], onTerm: {exit: 143}}"}}
    spec: {restartPolicy: Never, containers: [{name: app, image: "shop/import:1"}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "*/10 * * * *"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: app, image: "shop/report:1"}]}
"""


@pytest.fixture(scope="module")
def batch() -> Settled:
    return settle_text(BATCH)


@pytest.mark.parametrize(
    "name, number, targets, patterns",
    [
        pytest.param(
            "job-pod-lost",
            0,
            ["Job/shop/import", "CronJob/shop/report in a run by hand"],
            [
                "Job import exists deleted",
                "Job import exists created",
                "eviction accepted",
                "Job import failed 1",
            ],
        ),
        pytest.param("cron-away", 0, ["CronJob/shop/report"], ["Job report-.* exists created"]),
        pytest.param("job-pod-lost", 1, None, ["Job report-now exists created", "eviction accepted"]),
        pytest.param(
            "undo",
            0,
            ["CronJob/shop/report from one that cannot be pulled"],
            ["Waiting ErrImagePull", "CronJob report Event JobAlreadyActive"],
        ),
    ],
)
def test_an_ordeal_of_jobs_befalls_what_it_says(batch, name, number, targets, patterns):
    trials = find_trials(batch, name)
    assert targets is None or [one.target for one in trials] == targets
    rows = tell_life(batch, trials[number])
    assert [one for one in patterns if not is_told(rows, one)] == []


def test_a_pod_is_lost_when_nine_tenths_of_its_work_are_done(batch):
    trial = find_trials(batch, "job-pod-lost")[0]
    # Ten minutes of work, and a few seconds until it begins.
    assert 540_000 < trial.steps[-1].at_ms < 570_000
