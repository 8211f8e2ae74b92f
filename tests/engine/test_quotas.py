"""What a namespace may hold: refused beyond it, told in the quota's status."""

import re
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

GIVEN = {"requests": {"cpu": "500m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "128Mi"}}


def asks(cpu: str, memory: str = "64Mi") -> dict[str, Any]:
    return {"resources": {"requests": {"cpu": cpu, "memory": memory}}}


def quota(world: World, **spec: Any) -> None:
    meta = {"name": "small", "namespace": "default"}
    made = world.submit(
        "apply", object={"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": spec}
    )
    assert made.ok, made.status


def used(world: World) -> dict[str, str]:
    found = world.get("small", "ResourceQuota")
    assert found is not None
    return found["status"]["used"]


def deployment(
    world: World, name: str = "web", replicas: int = 3, image: str = "sim/server:1", **spec: Any
) -> None:
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "app", "image": image}]},
    }
    meta = {"name": name, "namespace": "default"}
    whole = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template, **spec}
    made = world.submit(
        "apply", object={"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": whole}
    )
    assert made.ok, made.status


def conditions(world: World, name: str = "web") -> dict[str, tuple[str, str]]:
    found = world.get(name, "Deployment")
    assert found is not None
    return {one["type"]: (one["status"], one["reason"]) for one in found["status"]["conditions"]}


@pytest.mark.spec("INIT-30")
def test_a_pod_counts_with_what_it_needs_at_most_at_one_time() -> None:
    world = World()
    quota(world, hard={"requests.cpu": "2", "requests.memory": "1Gi", "pods": "10"})
    # Init 1500m, apps 300m + 400m: 1500m. Memory: 64Mi, then 128Mi.
    first = {"name": "first", **asks("1500m")}
    apps = [{"name": "one", **asks("300m")}, {"name": "two", **asks("400m")}]
    assert world.pod(*apps, init=(first,), behavior={"first": {"runs": [{"for": "5s", "exit": 0}]}}).ok
    assert used(world) == {"requests.cpu": "1500m", "requests.memory": "128Mi", "pods": "1"}
    # It stays so when the init container is long done.
    assert used(world.to(60)) == {"requests.cpu": "1500m", "requests.memory": "128Mi", "pods": "1"}
    refused = world.pod({"name": "app", **asks("600m")}, meta={"name": "more"})
    assert refused.code == 403
    assert refused.status is not None and refused.status["message"] == (
        'pods "more" is forbidden: exceeded quota: small, requested: requests.cpu=600m,'
        " used: requests.cpu=1500m, limited: requests.cpu=2"
    )
    assert world.pod({"name": "app", **asks("500m")}, meta={"name": "more"}).ok


def test_a_finished_pod_gives_back_what_it_used_and_a_deleted_one_its_place_too() -> None:
    world = World()
    quota(world, hard={"pods": "1", "count/pods": "2", "cpu": "1", "limits.memory": "1Gi"})
    once = {"app": {"runs": [{"for": "5s", "exit": 0}]}}
    assert world.pod({"name": "app", "resources": GIVEN}, behavior=once, restartPolicy="Never").ok
    assert used(world) == {"pods": "1", "count/pods": "1", "cpu": "500m", "limits.memory": "128Mi"}
    assert used(world.to(10)) == {"pods": "0", "count/pods": "1", "cpu": "0", "limits.memory": "0"}
    world.delete()
    assert used(world.to(20))["count/pods"] == "0"


def test_where_cpu_is_limited_every_container_says_how_much_it_wants() -> None:
    world = World()
    quota(world, hard={"requests.cpu": "2", "limits.memory": "1Gi"})
    answer = world.pod({"name": "one", **asks("1")}, {"name": "two", "resources": GIVEN})
    assert answer.status is not None
    assert answer.status["message"] == (
        'pods "web" is forbidden: failed quota: small: must specify limits.memory for: one'
    )


def test_a_pod_that_takes_nothing_of_a_quota_has_to_say_how_much_it_wants_too() -> None:
    # Kubernetes asks for it (pod evaluator, Constraints) before it looks at any amount, of any quota.
    world = World()
    quota(world, hard={"requests.cpu": "2"})
    refused = world.pod("app", meta={"name": "bare"})
    assert refused.status is not None and refused.status["message"] == (
        'pods "bare" is forbidden: failed quota: small: must specify requests.cpu for: app'
    )
    full = {"metadata": {"name": "a", "namespace": "default"}, "spec": {"hard": {"pods": "0"}}}
    assert world.submit("apply", object={"apiVersion": "v1", "kind": "ResourceQuota", **full}).ok
    again = world.pod("app", meta={"name": "bare"})
    assert again.status is not None and "failed quota: small" in again.status["message"]


def test_a_quota_of_another_scope_asks_nothing_of_a_pod() -> None:
    world = World()
    quota(world, hard={"requests.cpu": "2"}, scopes=["Terminating"])
    assert world.pod("app").ok


@pytest.mark.parametrize(
    "scope, counted",
    [("BestEffort", "1"), ("NotBestEffort", "2"), ("Terminating", "2"), ("NotTerminating", "1")],
)
def test_a_scope_chooses_the_pods_that_count(scope: str, counted: str) -> None:
    world = World()
    quota(world, hard={"pods": "9"}, scopes=[scope])
    world.pod("app", meta={"name": "bare"})
    for name in ("one", "two"):
        world.pod({"name": "app", "resources": GIVEN}, meta={"name": name}, activeDeadlineSeconds=60)
    assert used(world)["pods"] == counted


@pytest.mark.parametrize(
    "operator, values, counted",
    [
        ("In", ["high"], ["high"]),
        ("NotIn", ["high"], ["low", "none"]),
        ("Exists", [], ["high", "low"]),
        ("DoesNotExist", [], ["none"]),
    ],
)
def test_a_scope_selector_chooses_pods_by_their_priority_class(
    operator: str, values: list[str], counted: list[str]
) -> None:
    world = World()
    for name in ("high", "low"):
        made = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        assert world.create({**made, "value": 5}).ok
    one = {"scopeName": "PriorityClass", "operator": operator, **({"values": values} if values else {})}
    quota(world, hard={"pods": "0"}, scopeSelector={"matchExpressions": [one]})
    refused = []
    for name in ("high", "low", "none"):
        given = {"priorityClassName": name} if name != "none" else {}
        if world.pod(meta={"name": name}, **given).code == 403:
            refused.append(name)
    assert refused == counted


@pytest.mark.slow
@pytest.mark.parametrize(
    "affinity, is_refused",
    [
        ({}, False),
        ({"topologyKey": "zone"}, False),
        ({"topologyKey": "zone", "namespaces": ["lab"]}, True),
        ({"topologyKey": "zone", "namespaceSelector": {}}, True),
    ],
)
@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
@pytest.mark.parametrize("is_needed", [True, False])
def test_a_scope_keeps_pods_from_looking_into_other_namespaces(
    affinity: dict[str, Any], is_refused: bool, kind: str, is_needed: bool
) -> None:
    world = World()
    quota(world, hard={"pods": "0"}, scopes=["CrossNamespacePodAffinity"])
    wish = {"weight": 1, "podAffinityTerm": affinity}
    terms = (
        {"requiredDuringSchedulingIgnoredDuringExecution": [affinity]}
        if is_needed
        else {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}
    )
    given = {"affinity": {kind: terms}} if affinity else {}
    assert world.pod(**given).ok != is_refused


def service(world: World, name: str, type_: str = "NodePort", ports: int = 1, **spec: Any) -> Any:
    listed = [{"name": f"p{number}", "port": 80 + number} for number in range(ports)]
    meta = {"name": name, "namespace": "default"}
    whole = {"type": type_, "ports": listed, **spec}
    return world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": whole})


def test_services_take_ports_of_nodes_and_load_balancers() -> None:
    world = World()
    quota(world, hard={"services": "9", "services.nodeports": "5", "services.loadbalancers": "1"})
    assert service(world, "inside", "ClusterIP", 3).ok
    assert service(world, "open", "NodePort", 2).ok
    assert service(world, "balanced", "LoadBalancer", 2).ok
    # Of those three and the API server's own.
    assert used(world.to(1)) == {"services": "4", "services.nodeports": "4", "services.loadbalancers": "1"}
    refused = service(world, "more", "LoadBalancer", 2, allocateLoadBalancerNodePorts=False)
    assert refused.code == 403 and refused.status is not None
    assert refused.status["message"] == (
        'services "more" is forbidden: exceeded quota: small, requested: services.loadbalancers=1, used:'
        " services.loadbalancers=1, limited: services.loadbalancers=1"
    )
    refused = world.submit(
        "patch",
        kind="Service",
        namespace="default",
        name="inside",
        type="merge",
        patch={"spec": {"type": "NodePort"}},
    )
    assert refused.code == 403 and refused.status is not None
    assert refused.status["message"] == (
        'services "inside" is forbidden: exceeded quota: small, requested: services.nodeports=3, used:'
        " services.nodeports=4, limited: services.nodeports=5"
    )
    assert world.submit("delete", kind="Service", namespace="default", name="open").ok
    assert used(world.to(2))["services.nodeports"] == "2"


def claim(world: World, name: str, size: str, storage_class: str | None = None, **spec: Any) -> Any:
    given = {"storageClassName": storage_class} if storage_class is not None else {}
    whole = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **given, **spec}
    meta = {"name": name, "namespace": "default"}
    return world.create(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": whole}
    )


GOLD = "gold.storageclass.storage.k8s.io/"


def test_claims_take_storage_of_all_and_of_their_class() -> None:
    world = World()
    quota(
        world,
        hard={
            "requests.storage": "10Gi",
            "persistentvolumeclaims": "5",
            f"{GOLD}requests.storage": "3Gi",
            f"{GOLD}persistentvolumeclaims": "5",
        },
    )
    assert claim(world, "one", "2Gi", "gold").ok
    assert claim(world, "two", "3Gi", "silver").ok
    assert used(world.to(1)) == {
        "requests.storage": "5Gi",
        "persistentvolumeclaims": "2",
        f"{GOLD}requests.storage": "2Gi",
        f"{GOLD}persistentvolumeclaims": "1",
    }
    refused = claim(world, "three", "2Gi", "gold")
    assert refused.status is not None and refused.status["message"] == (
        'persistentvolumeclaims "three" is forbidden: exceeded quota: small,'
        f" requested: {GOLD}requests.storage=2Gi, used: {GOLD}requests.storage=2Gi,"
        f" limited: {GOLD}requests.storage=3Gi"
    )


def test_a_scope_is_about_claims_of_a_class_of_attributes() -> None:
    world = World()
    one = {"scopeName": "VolumeAttributesClass", "operator": "In", "values": ["fast"]}
    quota(world, hard={"persistentvolumeclaims": "0"}, scopeSelector={"matchExpressions": [one]})
    assert claim(world, "plain", "1Gi").ok
    assert claim(world, "slow", "1Gi", volumeAttributesClassName="slow").ok
    assert claim(world, "fast", "1Gi", volumeAttributesClassName="fast").code == 403


def test_a_limit_is_shown_as_it_was_given() -> None:
    world = World()
    quota(world, hard={"requests.memory": "1G"})
    refused = world.pod({"name": "app", **asks("1", "2Gi")})
    assert refused.status is not None and refused.status["message"] == (
        'pods "web" is forbidden: exceeded quota: small, requested: requests.memory=2Gi, used:'
        " requests.memory=0, limited: requests.memory=1G"
    )


def test_a_pod_that_says_how_much_it_wants_as_a_whole_says_enough() -> None:
    world = World()
    quota(world, hard={"requests.cpu": "2"})
    assert world.pod("app", resources={"requests": {"cpu": "1"}}).ok
    assert used(world.to(1)) == {"requests.cpu": "1"}


def test_a_pod_that_is_given_a_deadline_has_to_fit_among_those_that_end() -> None:
    world = World()
    quota(world, hard={"pods": "0"}, scopes=["Terminating"])
    assert world.pod().ok
    refused = world.patch({"spec": {"activeDeadlineSeconds": 60}})
    assert refused.code == 403 and refused.status is not None
    assert (
        "exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0" in refused.status["message"]
    )


def test_a_resize_needs_room_for_what_it_adds() -> None:
    world = World()
    quota(world, hard={"requests.cpu": "1"})
    assert world.pod({"name": "app", **asks("500m")}).ok

    def resize(cpu: str) -> Any:
        patch = {"spec": {"containers": [{"name": "app", **asks(cpu)}]}}
        where = {"kind": "Pod", "namespace": "default", "name": "web", "subresource": "resize"}
        return world.submit("patch", type="strategic", patch=patch, **where)

    answer = resize("1200m")
    assert answer.code == 403 and answer.status is not None
    assert answer.status["message"] == (
        'pods "web" is forbidden: exceeded quota: small, requested: requests.cpu=700m,'
        " used: requests.cpu=500m, limited: requests.cpu=1"
    )
    assert resize("1").ok
    assert used(world.to(5)) == {"requests.cpu": "1"}
    assert resize("200m").ok
    assert used(world.to(10)) == {"requests.cpu": "200m"}


@pytest.mark.parametrize(
    "spec, code, said",
    [
        (
            {"hard": {"pods": "ten"}},
            400,
            'spec.hard.pods: must be a quantity such as "500m" or "64Mi", not the',
        ),
        ({"hard": {"pods": "-1"}}, 422, "spec.hard[pods]: Invalid value"),
        ({"hard": ["pods"]}, 400, "spec.hard: must be a mapping, not a list"),
        ({"scopes": ["Big"]}, 422, 'spec.scopes: Invalid value: ["Big"]: unsupported scope'),
        ({"scopes": ["BestEffort", "NotBestEffort"]}, 422, "spec.scopes: Invalid value"),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}},
            422,
            "spec.scopeSelector.matchExpressions.values: Required value",
        ),
        (
            {"scopeSelector": {"matchExpressions": "all"}},
            400,
            'spec.scopeSelector.matchExpressions: must be a list, not the text "all"',
        ),
        (5, 400, "spec: must be a mapping, not the number 5"),
    ],
)
def test_a_quota_that_cannot_be_read_is_refused(spec: Any, code: int, said: str) -> None:
    world = World()
    meta = {"name": "small", "namespace": "default"}
    answer = world.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": spec})
    assert answer.code == code and answer.status is not None
    assert said in answer.status["message"]


def test_what_is_used_is_what_there_is_whatever_happened() -> None:
    world = World(nodes=2)
    quota(world, hard={"pods": "20", "count/deployments.apps": "9", "requests.cpu": "20"})
    given = {"requests": {"cpu": "100m", "memory": "1Mi"}}
    app = {"name": "app", "image": "sim/server:1", "resources": given}
    for name, replicas in (("web", 4), ("other", 3)):
        deployment(
            world,
            name,
            replicas,
            template={"metadata": {"labels": {"app": name}}, "spec": {"containers": [app]}},
        )
    once = {"app": {"runs": [{"for": "20s", "exit": 0}]}}
    assert world.pod(app, behavior=once, restartPolicy="Never").ok
    world.to(10)
    assert used(world) == {"pods": "8", "count/deployments.apps": "2", "requests.cpu": "800m"}
    assert world.submit("scale", kind="Deployment", namespace="default", name="web", replicas=1).ok
    assert world.submit("delete", kind="Deployment", namespace="default", name="other").ok
    quota(world.to(30), hard={"pods": "20", "requests.cpu": "20", "services": "1"})
    # The one that is left, of what has finished nothing, and the API server's Service.
    assert used(world) == {"pods": "1", "requests.cpu": "100m", "services": "1"}


def test_quotas_survive_saving() -> None:
    world = World()
    quota(world, hard={"pods": "2"})
    world.pod()
    assert world.to(5).rows
    world.cluster = Cluster.load(world.cluster.save())
    assert world.pod(meta={"name": "second"}).ok
    assert used(world) == {"pods": "2"}
    assert world.pod(meta={"name": "third"}).code == 403


@pytest.mark.spec("DEP-FAIL-09", "DEP-FAIL-08")
def test_a_rollout_that_a_quota_blocks_says_so() -> None:
    world = World()
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    deployment(world, strategy=strategy)
    quota(world.to(10), hard={"pods": "2"})
    deployment(world, strategy=strategy, image="sim/server:2")
    found = world.to(20).get("web", "Deployment")
    assert found is not None
    status = found["status"]
    counts = {name: status.get(name, 0) for name in ("replicas", "availableReplicas", "unavailableReplicas")}
    assert counts == {"replicas": 2, "availableReplicas": 2, "unavailableReplicas": 2}
    assert conditions(world) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "ReplicaSetUpdated"),
        "ReplicaFailure": ("True", "FailedCreate"),
    }
    sets = [one["metadata"]["name"] for one in world.cluster.list("ReplicaSet", "default")]
    (told,) = [one["message"] for one in status["conditions"] if one["type"] == "ReplicaFailure"]
    # What was recorded of quotas outranks the specification for v1.35: it names the pod as it would have
    # been, and says "Error creating" in its events only.
    assert re.fullmatch(
        rf'pods "{sets[1]}-[a-z0-9]{{5}}" is forbidden: exceeded quota: small, requested: pods=1,'
        " used: pods=3, limited: pods=2",
        told,
    )


@pytest.mark.slow
@pytest.mark.spec("DEP-FAIL-11")
@pytest.mark.parametrize("cure", ["raise the quota", "scale it down", "scale another one down"])
def test_a_blocked_rollout_completes_when_there_is_room(cure: str) -> None:
    world = World()
    deployment(world)
    deployment(world, "other", replicas=2)
    quota(world.to(10), hard={"pods": "5"})
    deployment(world, image="sim/server:2")
    assert conditions(world.to(20))["ReplicaFailure"] == ("True", "FailedCreate")
    if cure == "raise the quota":
        quota(world, hard={"pods": "10"})
    elif cure == "scale it down":
        assert world.submit("scale", kind="Deployment", namespace="default", name="web", replicas=1).ok
    else:
        assert world.submit("scale", kind="Deployment", namespace="default", name="other", replicas=0).ok
    # Tries are at most 1000 s apart.
    assert conditions(world.to(1500)) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }
