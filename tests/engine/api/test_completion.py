"""What the API server writes into new pods, and refuses them for: LimitRanges, accounts, priorities."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod, said

USUAL = {"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "100m"}}
TOLD = "LimitRanger plugin set: cpu request for container app; cpu limit for container app"


def limit(*items: Json, name: str = "usual") -> Json:
    return make("LimitRange", name, spec={"limits": list(items)})


def asking(**resources: Any) -> list[Json]:
    return [{"name": "app", "image": "nginx:1", "resources": resources}]


def claim(size: str) -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return make("PersistentVolumeClaim", spec=spec)


def test_a_pod_is_stored_with_what_it_was_given_and_told_so() -> None:
    desk = Desk()
    desk.created(limit(USUAL))
    pod = desk.created(make_pod())
    assert pod["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "500m"},
        "requests": {"cpu": "100m"},
    }
    assert pod["metadata"]["annotations"] == {"kubernetes.io/limit-ranger": TOLD}
    assert pod["status"]["qosClass"] == "Burstable"


def test_the_pods_of_a_workload_get_the_same_and_its_template_stays() -> None:
    desk = Desk()
    desk.created(limit(USUAL))
    desk.created(make_deployment(2))
    desk.cluster.run_until(5_000)
    pods = desk.cluster.list("Pod", "default")
    assert [one["spec"]["containers"][0]["resources"]["requests"] for one in pods] == [{"cpu": "100m"}] * 2
    assert {one["metadata"]["annotations"]["kubernetes.io/limit-ranger"] for one in pods} == {TOLD}
    stored = desk.get("Deployment")
    assert stored is not None and stored["spec"]["template"]["spec"]["containers"][0]["resources"] == {}
    # What is there already keeps what it has; new ones get what is said now.
    assert desk.delete("LimitRange", "usual").ok
    assert desk.submit("scale", kind="Deployment", name="web", replicas=3).ok
    desk.cluster.run_until(10_000)
    given = [one["spec"]["containers"][0]["resources"] for one in desk.cluster.list("Pod", "default")]
    assert [bool(one) for one in given] == [True, True, False]


def test_it_goes_by_its_own_namespace() -> None:
    desk = Desk()
    desk.created(limit(USUAL))
    desk.created({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab"}})
    elsewhere = desk.created(make_pod(metadata={"namespace": "lab"}))
    assert elsewhere["spec"]["containers"][0]["resources"] == {}


def test_limits_that_are_given_meet_requests_that_are_not() -> None:
    """The well-known surprise: the default limit is below what the pod asks for, and nobody said a limit."""
    desk = Desk()
    desk.created(limit(USUAL))
    refused = desk.create(make_pod(containers=asking(requests={"cpu": "1"})))
    assert refused.code == 422
    assert said(refused) == (
        'Pod "web" is invalid: spec.containers[0].resources.requests: Invalid value: "1": must be less than'
        " or equal to cpu limit of 500m"
    )


@pytest.mark.parametrize(
    "item, why",
    [
        pytest.param(
            {"type": "Container", "max": {"memory": "16Mi"}, "default": {"memory": "16Mi"}},
            'is invalid: spec.containers[0].resources.requests: Invalid value: "64Mi": must be less than or'
            " equal to memory limit of 16Mi",
            id="by what it was given",
        ),
        pytest.param(
            {"type": "Pod", "max": {"memory": "1Mi"}},
            "is forbidden: maximum memory usage per Pod is 1Mi.  No limit is specified",
            id="by a bound",
        ),
    ],
)
def test_a_workload_whose_pods_do_not_fit_says_so(item: Json, why: str) -> None:
    desk = Desk()
    desk.created(limit(item))
    web = make_deployment(2)
    web["spec"]["template"]["spec"] = {"containers": asking(requests={"memory": "64Mi"})}
    desk.created(web)
    desk.cluster.run_until(5_000)
    stored = desk.get("Deployment")
    assert stored is not None and desk.cluster.list("Pod", "default") == []
    (failure,) = (one for one in stored["status"]["conditions"] if one["type"] == "ReplicaFailure")
    assert failure["reason"] == "FailedCreate" and failure["message"].endswith(why)
    # Once the limit is gone the next try goes through.
    assert desk.delete("LimitRange", "usual").ok
    desk.cluster.run_until(60_000)
    assert len(desk.cluster.list("Pod", "default")) == 2


def test_a_saved_cluster_goes_on_with_its_limits() -> None:
    desk = Desk()
    desk.created(limit(USUAL))
    desk.created(make_deployment(1))
    desk.cluster.run_until(1_000)
    desk.take_versions()
    desk.cluster = Cluster.load(desk.cluster.save())
    assert desk.submit("scale", kind="Deployment", name="web", replicas=2).ok
    desk.cluster.run_until(2_000)
    pods = desk.cluster.list("Pod", "default")
    assert [one["metadata"]["annotations"]["kubernetes.io/limit-ranger"] for one in pods] == [TOLD] * 2


def test_a_resized_pod_and_a_grown_claim_stay_within_bounds() -> None:
    desk = Desk()
    most = {"type": "Container", "max": {"cpu": "1"}}
    volumes = {"type": "PersistentVolumeClaim", "max": {"storage": "5Gi"}}
    desk.created(limit(most, volumes))
    desk.created(make_pod(containers=asking(requests={"cpu": "1"}, limits={"cpu": "1"})))
    desk.created(claim("1Gi"))
    grown = asking(requests={"cpu": "2"}, limits={"cpu": "2"})
    refused = desk.patch("Pod", {"spec": {"containers": grown}}, subresource="resize", type="strategic")
    assert said(refused) == 'pods "web" is forbidden: maximum cpu usage per Container is 1, but limit is 2'
    refused = desk.create(claim("10Gi") | {"metadata": {"name": "big", "namespace": "default"}})
    assert said(refused) == (
        'persistentvolumeclaims "big" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi,'
        " but request is 10Gi"
    )


# --- accounts ---------------------------------------------------------------------------------------------


def test_a_pod_without_its_own_has_the_pull_secrets_of_its_account() -> None:
    desk = Desk()
    desk.created(make("ServiceAccount", "robot", imagePullSecrets=[{"name": "registry"}]))
    given = desk.created(make_pod(serviceAccountName="robot"))
    assert given["spec"]["imagePullSecrets"] == [{"name": "registry"}]
    own = desk.created(make_pod("own", serviceAccountName="robot", imagePullSecrets=[{"name": "mine"}]))
    assert own["spec"]["imagePullSecrets"] == [{"name": "mine"}]
    assert "imagePullSecrets" not in desk.created(make_pod("plain"))["spec"]


def test_a_workload_waits_for_its_account() -> None:
    desk = Desk()
    web = make_deployment(1)
    web["spec"]["template"]["spec"]["serviceAccountName"] = "robot"
    desk.created(web)
    desk.cluster.run_until(1_000)
    stored = desk.get("Deployment")
    assert stored is not None
    (failure,) = (one for one in stored["status"]["conditions"] if one["type"] == "ReplicaFailure")
    assert failure["message"].endswith(
        'is forbidden: error looking up service account default/robot: serviceaccount "robot" not found'
    )
    desk.created(make("ServiceAccount", "robot"))
    desk.cluster.run_until(60_000)
    assert len(desk.cluster.list("Pod", "default")) == 1


# --- priorities -------------------------------------------------------------------------------------------


def priority(name: str, value: int, **fields: Any) -> Json:
    meta = {"name": name}
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**kind, "metadata": meta, "value": value, **fields}


@pytest.mark.parametrize(
    "spec, why",
    [
        ({"priority": 5}, "the integer value of priority (5) {} 0 {}"),
        ({"priority": 0, "priorityClassName": "low"}, "the integer value of priority (0) {} 7 {}"),
        (
            {"preemptionPolicy": "Never"},
            "the string value of PreemptionPolicy (Never) {} PreemptLowerPriority {}",
        ),
        (
            {"preemptionPolicy": "PreemptLowerPriority", "priorityClassName": "low"},
            "the string value of PreemptionPolicy (PreemptLowerPriority) {} Never {}",
        ),
    ],
)
def test_what_only_a_class_gives_may_not_be_otherwise(spec: Json, why: str) -> None:
    desk = Desk()
    desk.created(priority("low", 7, preemptionPolicy="Never"))
    computed = "must not be provided in pod spec; priority admission controller computed"
    text = why.format(computed, "from the given PriorityClass name")
    assert said(desk.create(make_pod(**spec))) == f'pods "web" is forbidden: {text}'


def test_it_is_kept_when_a_writer_leaves_it_out() -> None:
    desk = Desk()
    desk.created(priority("low", 7, preemptionPolicy="Never"))
    desk.created(make_pod(priorityClassName="low"))
    pod = desk.get("Pod")
    assert pod is not None
    assert (pod["spec"]["priority"], pod["spec"]["preemptionPolicy"]) == (7, "Never")
    del pod["spec"]["priority"], pod["spec"]["preemptionPolicy"], pod["metadata"]["resourceVersion"]
    pod["metadata"]["labels"] = {"a": "b"}
    again = desk.submit("replace", object=pod)
    assert again.ok and again.object is not None
    assert (again.object["spec"]["priority"], again.object["spec"]["preemptionPolicy"]) == (7, "Never")
    plain = desk.created(make_pod("plain"))["spec"]
    assert (plain["priority"], plain["preemptionPolicy"]) == (0, "PreemptLowerPriority")


def test_one_class_is_for_all() -> None:
    desk = Desk()
    desk.created(priority("usual", 3, globalDefault=True))
    refused = desk.create(priority("other", 4, globalDefault=True))
    why = "PriorityClass usual is already marked as default. Only one default can exist"
    assert (refused.code, said(refused)) == (
        403,
        f'priorityclasses.scheduling.k8s.io "other" is forbidden: {why}',
    )
    desk.created(priority("other", 4))
    changed = desk.patch("PriorityClass", {"globalDefault": True}, "other")
    assert said(changed) == f'priorityclasses.scheduling.k8s.io "other" is forbidden: {why}'
    assert desk.patch("PriorityClass", {"description": "for all"}, "usual").ok


@pytest.mark.parametrize(
    "of_pod, of_account, is_there",
    [
        (None, None, True),
        (None, False, False),
        (True, False, True),
        (False, None, False),
        (False, True, False),
    ],
)
def test_a_token_is_mounted_unless_pod_or_account_says_no(
    of_pod: bool | None, of_account: bool | None, is_there: bool
) -> None:
    field = "automountServiceAccountToken"
    desk = Desk()
    given = {} if of_account is None else {field: of_account}
    desk.created(make("ServiceAccount", "robot", **given))
    script = ["sh", "-c", "test -e /var/run/secrets/kubernetes.io/serviceaccount/token"]
    own = {} if of_pod is None else {field: of_pod}
    app = [{"name": "app", "image": "busybox:1.36", "command": script}]
    desk.created(make_pod(containers=app, serviceAccountName="robot", restartPolicy="Never", **own))
    desk.cluster.run_until(10_000)
    pod = desk.get("Pod")
    assert pod is not None and pod["status"]["phase"] == ("Succeeded" if is_there else "Failed")
