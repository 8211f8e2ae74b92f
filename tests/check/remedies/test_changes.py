"""What may help is a small patch that the API takes, of the object that decides."""

import pytest

from lifecycle.check.remedies.candidates import change_plan, find_place
from lifecycle.check.remedies.changes import jobs, placing, probes, rollouts, sizes
from lifecycle.check.remedies.lists import CHANGES
from lifecycle.engine import Cluster, Command
from tests.check.remedies.making import (
    LABELS,
    make_autoscaler,
    make_budget,
    make_case,
    make_cron_job,
    make_job,
    make_other,
    make_workload,
)

HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
SELF = {"topologyKey": HOST, "labelSelector": {"matchLabels": LABELS}}
APART = {"affinity": {"podAntiAffinity": {REQUIRED: [SELF]}}}
BESIDE = {
    "affinity": {"podAffinity": {REQUIRED: [{**SELF, "labelSelector": {"matchLabels": {"app": "cache"}}}]}}
}
IN_ZONE = {
    "affinity": {
        "nodeAffinity": {
            REQUIRED: {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": HOST, "operator": "In", "values": ["node-1"]}]}
                ]
            }
        }
    }
}
LIVENESS = {"livenessProbe": {"exec": {"command": ["pg_isready"]}, "periodSeconds": 5}}
ASKS = {"resources": {"requests": {"cpu": "200m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}}
AUTOSCALER = make_autoscaler(1, 1)
LOW = make_other("scheduling.k8s.io/v1", "PriorityClass", "low", "", value=-5)
HIGH = make_other("scheduling.k8s.io/v1", "PriorityClass", "high", "", value=50)
CLAIM = make_other(
    "v1",
    "PersistentVolumeClaim",
    "data",
    spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
)
ON_VOLUME = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
QUOTA = make_other(
    "v1",
    "ResourceQuota",
    "team",
    spec={"hard": {"requests.cpu": "150m", "requests.memory": "4Gi", "pods": "2"}},
)

OPS_BUDGET = make_budget(name="ops", minAvailable=1)
SHARED_BUDGET = make_budget({"team": "shop"}, "ops", minAvailable=1)


def make_of_team(name):
    """One of several workloads that have a label in common, in their selectors too."""
    made = make_workload(selector={"matchLabels": {"team": "shop", "app": name}})
    made["spec"]["template"]["metadata"]["labels"] = {"team": "shop", "app": name}
    return {**made, "metadata": {**made["metadata"], "name": name}}


def make_node(zone):
    labels = {HOST: f"node-{zone}", "topology.kubernetes.io/zone": zone}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{zone}", "labels": labels}}


def shell(script):
    return {"command": ["sh", "-c", script]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, objects, told",
    [
        pytest.param(sizes.add_replicas, [make_workload()], ["replicas 2"], id="one is what nobody says"),
        pytest.param(sizes.add_replicas, [make_workload(replicas=4)], ["replicas 5"], id="one more"),
        pytest.param(sizes.add_replicas, [make_workload("DaemonSet")], [], id="nodes decide"),
        pytest.param(
            sizes.add_replicas,
            [make_workload(), AUTOSCALER],
            ["minReplicas 2 in HorizontalPodAutoscaler web"],
            id="an autoscaler decides",
        ),
        pytest.param(
            sizes.loosen_budgets,
            [make_workload(), make_budget(minAvailable="100%")],
            ["maxUnavailable 1 in place of minAvailable 100% in PodDisruptionBudget web"],
            id="none may go",
        ),
        pytest.param(
            sizes.loosen_budgets,
            [make_workload(), make_budget(maxUnavailable=0)],
            ["maxUnavailable 1 in place of maxUnavailable 0 in PodDisruptionBudget web"],
            id="none may go, said otherwise",
        ),
        pytest.param(
            sizes.loosen_budgets,
            [make_workload(), make_budget(maxUnavailable=1)],
            [],
            id="one may go already",
        ),
        pytest.param(
            sizes.mend_selector,
            [make_workload(), make_budget({"app": "old"}, maxUnavailable=1)],
            ["selector app=web in PodDisruptionBudget web"],
            id="a budget of nothing",
        ),
        pytest.param(
            sizes.mend_selector,
            [make_workload(), make_budget(maxUnavailable=1)],
            [],
            id="a budget of its own",
        ),
        pytest.param(
            sizes.leave_one_budget,
            [make_workload(), make_budget(maxUnavailable=1)],
            [],
            id="one budget is enough",
        ),
        pytest.param(
            sizes.leave_one_budget,
            [make_workload(), make_budget(maxUnavailable=1), OPS_BUDGET],
            [
                "app notin (web) in PodDisruptionBudget ops, which then covers no pods: delete it",
                "app notin (web) in PodDisruptionBudget web, which then covers no pods: delete it",
            ],
            id="two budgets of the same pods",
        ),
        pytest.param(
            sizes.leave_one_budget,
            [make_of_team("web"), make_of_team("api"), SHARED_BUDGET, make_budget(maxUnavailable=1)],
            [
                "app notin (web) in PodDisruptionBudget ops",
                "app notin (web) in PodDisruptionBudget web, which then covers no pods: delete it",
            ],
            id="of a budget of several workloads the others keep it",
        ),
        pytest.param(sizes.add_budget, [make_workload()], [], id="no budget of one pod"),
        pytest.param(
            sizes.add_budget,
            [make_workload(replicas=2)],
            ["a PodDisruptionBudget with maxUnavailable 1 for app=web"],
            id="a budget where none is",
        ),
        pytest.param(
            placing.spread,
            [make_workload()],
            ["topologySpreadConstraints by host (ScheduleAnyway)"],
            id="nothing spreads them",
        ),
        pytest.param(
            placing.spread,
            [make_workload(), make_node("a"), make_node("b")],
            [f"topologySpreadConstraints by {one} (ScheduleAnyway)" for one in ("host", "zone")],
            id="nothing spreads them over two zones",
        ),
        pytest.param(placing.separate, [make_workload(pod=APART)], [], id="apart already"),
        pytest.param(
            placing.relax,
            [make_workload(pod=APART)],
            ["preferred in place of required podAntiAffinity"],
            id="apart at any price",
        ),
        pytest.param(
            placing.free,
            [make_workload(pod=IN_ZONE)],
            [
                "no required nodeAffinity",
                "no required nodeAffinity, but topologySpreadConstraints by host (ScheduleAnyway)",
            ],
            id="tied to a node",
        ),
        pytest.param(placing.free, [make_workload(pod=APART)], [], id="tied to nothing"),
        pytest.param(placing.ask_for_cpu, [make_workload(container=ASKS)], [], id="asks already"),
        pytest.param(
            placing.ask_for_limits,
            [make_workload(container=ASKS)],
            ["requests as high as limits"],
            id="uses more than it asks for",
        ),
        pytest.param(
            placing.raise_quota,
            [make_workload(container=ASKS), QUOTA],
            ["requests.cpu 200m in ResourceQuota team"],
            id="what is met alone",
        ),
        pytest.param(
            placing.raise_priority,
            [make_workload(pod={"priorityClassName": "low"}), LOW, HIGH],
            [
                "no priorityClassName low",
                "priorityClassName high",
                "value 1000000 in PriorityClass low, made anew",
            ],
            id="below all others",
        ),
        pytest.param(placing.raise_priority, [make_workload()], [], id="no class is there"),
        pytest.param(
            rollouts.surge,
            [make_workload(strategy={"type": "Recreate"})],
            ["strategy RollingUpdate with maxSurge 1, maxUnavailable 0"],
            id="all go at once",
        ),
        pytest.param(
            rollouts.surge,
            [make_workload(strategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}})],
            [],
            id="surges already",
        ),
        pytest.param(rollouts.make_room, [make_workload(strategy={"type": "Recreate"})], [], id="has room"),
        pytest.param(rollouts.manage_in_parallel, [make_workload()], [], id="no StatefulSet"),
        pytest.param(
            rollouts.count_later,
            [make_workload(minReadySeconds=20)],
            ["minReadySeconds 30"],
            id="counts later",
        ),
        pytest.param(rollouts.count_later, [make_job()], [], id="nothing that counts"),
        pytest.param(
            rollouts.leave_shell,
            [make_workload(container=shell("node server.js 2>&1 | tee -a log"))],
            ["command node server.js without a shell around it, for app"],
            id="a pipe",
        ),
        pytest.param(
            rollouts.leave_shell, [make_workload(container=shell("exec server"))], [], id="the shell is gone"
        ),
        pytest.param(
            rollouts.leave_shell, [make_workload(container=shell("init; server"))], [], id="two programs"
        ),
        pytest.param(
            rollouts.leave_shell,
            [make_workload(container=shell("server $PORT"))],
            [],
            id="the shell is needed",
        ),
        pytest.param(
            probes.wait_for_start,
            [make_workload(container=LIVENESS)],
            ["startup probe of 30 × 10s for app"],
            id="killed before it starts",
        ),
        pytest.param(
            probes.be_patient,
            [make_workload(container=LIVENESS)],
            [f"failureThreshold {count} for the liveness probe of app" for count in (9, 30)],
            id="three times is what nobody says",
        ),
        pytest.param(
            probes.ask_later,
            [make_workload(container=LIVENESS)],
            [f"initialDelaySeconds {seconds} for the liveness probe of app" for seconds in (45, 150)],
            id="later",
        ),
        pytest.param(
            probes.ask_itself,
            [make_workload(container=LIVENESS)],
            ["liveness probe of its own port 80 for app", "no liveness probe for app"],
            id="asks somebody else",
        ),
        pytest.param(
            probes.raise_memory,
            [make_workload(container=ASKS)],
            ["memory limit 4Gi for app", "memory limit 8Gi for app"],
            id="too little memory",
        ),
        pytest.param(
            jobs.try_again,
            [make_job(backoffLimit=0)],
            ["backoffLimit 6", "podFailurePolicy that ignores disruptions", "restartPolicy OnFailure"],
            id="one attempt",
        ),
        pytest.param(jobs.try_again, [make_workload()], [], id="no work that ends"),
        pytest.param(
            jobs.begin_again,
            [make_cron_job(concurrencyPolicy="Forbid")],
            ["concurrencyPolicy Replace", "startingDeadlineSeconds 600"],
            id="a run that hangs",
        ),
        pytest.param(jobs.end_in_time, [make_cron_job()], ["activeDeadlineSeconds 300"], id="no end"),
        pytest.param(
            rollouts.claim_for_one_pod,
            [make_workload(pod=ON_VOLUME), CLAIM],
            ["accessModes ReadWriteOncePod in PersistentVolumeClaim data, made anew"],
            id="two writers",
        ),
    ],
)
def test_a_change_is_named_where_it_may_help(change, objects, told):
    assert [one.text for one in change(make_case(*objects))] == told


RICH = {**LIVENESS, **ASKS, **shell("node server.js > log"), "startupProbe": {"tcpSocket": {"port": 80}}}
TIED = {
    "affinity": {**BESIDE["affinity"], **APART["affinity"], **IN_ZONE["affinity"]},
    "nodeSelector": {HOST: "node-1"},
}
APPLICATIONS = {
    "a Deployment with all": [
        make_workload(pod={**TIED, **ON_VOLUME, "priorityClassName": "low"}, container=RICH, replicas=2),
        AUTOSCALER, LOW, HIGH, CLAIM, QUOTA, make_budget(minAvailable=2),
    ],
    "a Deployment with nothing": [
        make_workload(container={"ports": None}), make_budget({"app": "old"}, maxUnavailable=1),
    ],
    "a StatefulSet": [make_workload("StatefulSet", serviceName="web", container=RICH)],
    "a DaemonSet": [make_workload("DaemonSet", container=LIVENESS)],
    "a Job": [make_job(backoffLimit=0, activeDeadlineSeconds=60)],
    "a CronJob": [make_cron_job({"backoffLimit": 1}, concurrencyPolicy="Forbid", startingDeadlineSeconds=20)],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("objects", APPLICATIONS.values(), ids=APPLICATIONS)
def test_the_api_takes_every_change_as_it_is_written(objects):
    case = make_case(*objects)
    plan = case.world.settled.plan
    candidates = {one.text: one for changes in CHANGES.values() for change in changes for one in change(case)}
    assert candidates
    cluster = Cluster(1, plan.epoch_ms, plan.settings)
    for number, (text, one) in enumerate(candidates.items()):
        changed = change_plan(plan, one.patch)
        place = find_place(one.patch)
        (new,) = (data for data in changed.objects if find_place(data) == place)
        assert new != case.world.find(place), text
        assert len(changed.subjects) == len(changed.objects)
        # All of them, beside each other.
        other = {**new, "metadata": {**new["metadata"], "name": f"{new['metadata']['name']}-{number}"}}
        result = cluster.submit(Command(id=f"apply-{number}", kind="apply", payload={"object": other}))
        assert result.ok, (text, result.status)


def test_a_change_takes_what_it_is_in_place_of_with_it():
    case = make_case(make_workload(replicas=2), make_budget({"app": "old", "tier": "a"}, minAvailable=1))
    (mended,) = sizes.mend_selector(case)
    budget = change_plan(case.world.settled.plan, mended.patch).objects[1]
    assert budget["spec"]["selector"] == {"matchLabels": LABELS}
    tied = make_case(make_workload(pod=APART))
    (relaxed,) = placing.relax(tied)
    affinity = change_plan(tied.world.settled.plan, relaxed.patch).objects[0]["spec"]["template"]["spec"][
        "affinity"
    ]
    assert affinity["podAntiAffinity"].keys() == {"preferredDuringSchedulingIgnoredDuringExecution"}
