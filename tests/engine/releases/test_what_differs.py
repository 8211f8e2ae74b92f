"""The same is done under two releases: what comes out otherwise. Texts and rules are of their sources."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

SLEEP = ["sh", "-c", "sleep 3600"]
SMALL = {"requests": {"cpu": "500m", "memory": "64Mi"}}


def begin(release: str, **settings: Any) -> World:
    return World(kubernetes=release, timing="realistic", **settings)


def app(**fields: Any) -> dict[str, Any]:
    return {"name": "app", "image": "busybox:1.36", "command": SLEEP, **fields}


def messages(world: World, reason: str) -> list[str]:
    """What events of a reason say, without their repetitions."""
    found = [row["message"] for row in world.rows if row["type"] == "event" and row["reason"] == reason]
    return list(dict.fromkeys(found))


def resize(world: World, name: str = "app", part: str = "containers", **amounts: str) -> Any:
    patch = {"spec": {part: [{"name": name, "resources": {"requests": amounts}}]}}
    where = {"kind": "Pod", "namespace": "default", "name": "web", "subresource": "resize"}
    return world.submit("patch", type="strategic", patch=patch, **where)


def pending(world: World) -> str:
    """Why a resize of the pod waits."""
    conditions = world.status()["conditions"]
    return next(str(one["reason"]) for one in conditions if one["type"] == "PodResizePending")


def said(result: Any) -> str:
    """Why it was refused; "" when it was not."""
    return "" if result.status is None else result.status["message"]


# --- the kubelet's looks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "release, phases",
    [("1.35", ["Pending", "Succeeded"]), ("1.36", ["Pending", "Running", "Succeeded"])],
)
def test_a_container_that_ends_at_once_is_seen_running_by_a_look_on_demand(
    release: str, phases: list
) -> None:
    # kubelet.go, SyncPod: postSync asks PLEG for the pod (#137362).
    world = begin(release)
    assert world.pod(app(command=["true"]), restartPolicy="Never").ok
    assert [phase for _, phase in world.to(30).lane("phase")] == phases


def test_the_gate_of_looks_on_demand_can_be_turned_off() -> None:
    world = begin("1.36", gates={"PLEGOnDemandRelist": False})
    assert world.pod(app(command=["true"]), restartPolicy="Never").ok
    assert [phase for _, phase in world.to(30).lane("phase")] == ["Pending", "Succeeded"]


@pytest.mark.parametrize("release, is_at_once", [("1.35", False), ("1.36", True)])
def test_a_sandbox_is_told_of_when_it_stands(release: str, is_at_once: bool) -> None:
    # kubelet.go, OnPodSandboxReady (#134660); else the sync that waits for the hook tells of it at its end.
    world = begin(release)
    hook = {"postStart": {"exec": {"command": ["sleep", "20"]}}}
    assert world.pod(app(lifecycle=hook)).ok
    (second,) = world.to(60).at("condition.PodReadyToStartContainers", "True")
    (started,) = world.starts()
    assert (second < started - 15) is is_at_once


# --- words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "release, created, started, pulled",
    [
        pytest.param(
            "1.34",
            "Created container: app",
            "Started container app",
            'Container image "busybox:1.36" already present on machine',
            id="1.34",
        ),
        pytest.param(
            "1.35",
            "Container created",
            "Container started",
            'Container image "busybox:1.36" already present on machine and can be accessed by the pod',
            id="1.35",
        ),
    ],
)
def test_events_of_containers_are_in_the_words_of_the_release(
    release: str, created: str, started: str, pulled: str
) -> None:
    world = begin(release)
    assert world.pod(app(command=["sleep", "5"])).ok
    world.to(60)
    assert (messages(world, "Created"), messages(world, "Started")) == ([created], [started])
    assert messages(world, "Pulled")[-1] == pulled


@pytest.mark.parametrize(
    "release, create, delete", [("1.34", "create", "delete"), ("1.35", "Create", "Delete")]
)
def test_events_of_stateful_sets_begin_as_in_the_release(release: str, create: str, delete: str) -> None:
    # stateful_pod_control.go: strings.ToLower(verb) until v1.34.
    world = begin(release)
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [app()]}}
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": template,
        "volumeClaimTemplates": [claim],
    }
    metadata = {"name": "web", "namespace": "default"}
    made = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": spec}
    assert world.create(made).ok
    where = {"kind": "StatefulSet", "namespace": "default", "name": "web"}
    assert world.to(30).submit("scale", replicas=0, **where).ok
    world.to(60)
    assert messages(world, "SuccessfulCreate") == [
        f"{create} Claim data-web-0 Pod web-0 in StatefulSet web success",
        f"{create} Pod web-0 in StatefulSet web successful",
    ]
    assert messages(world, "SuccessfulDelete") == [f"{delete} Pod web-0 in StatefulSet web successful"]


# --- resizes ----------------------------------------------------------------------------------------------

CPU = "cpu, requested: 5000, allocatable: 4000"
MEMORY = "memory, requested: 10737418240, allocatable: 8589934592"


@pytest.mark.parametrize(
    "amounts, excess",
    [
        ({"cpu": "5"}, CPU),
        ({"memory": "10Gi"}, MEMORY),
        ({"cpu": "5", "memory": "10Gi"}, f"{CPU}; {MEMORY}"),
    ],
)
def test_a_resize_beyond_the_node_is_refused_since_1_36(amounts: dict, excess: str) -> None:
    # plugin/pkg/admission/podresize/admission.go (#136043)
    before, since = begin("1.35"), begin("1.36")
    for world in (before, since):
        assert world.pod(app(resources=SMALL)).ok
        world.to(10)
    assert resize(before, **amounts).ok
    assert pending(before.to(20)) == "Infeasible"
    refused = resize(since, **amounts)
    assert (refused.code, said(refused)) == (
        403,
        f'pods "web" is forbidden: node didn\'t have enough allocatable resources: {excess}',
    )
    assert refused.status["details"]["causes"] == [{"reason": "NodeCapacity"}]


def test_a_pod_without_a_node_may_be_resized_to_anything() -> None:
    world = begin("1.36")
    assert world.pod(app(resources=SMALL), nodeSelector={"disk": "none"}).ok
    assert resize(world.to(5), cpu="50").ok


def test_pods_of_other_systems_are_not_resized() -> None:
    world = begin("1.36")
    assert world.pod(app(resources=SMALL)).ok
    labels = {"metadata": {"labels": {"kubernetes.io/os": "windows"}}}
    assert world.to(10).submit("patch", kind="Node", name="node-1", type="merge", patch=labels).ok
    refused = resize(world, cpu="600m")
    assert said(refused) == (
        'pods "web" is forbidden: pod resize is only supported on linux nodes, node "node-1" is "windows"'
    )


@pytest.mark.parametrize(
    "release, said",
    [("1.34", []), ("1.35", ["Pod resize Deferred"]), ("1.36", ["Pod resize OutOfcpu"])],
)
def test_a_resize_that_waits_is_told_of_as_in_the_release(release: str, said: list) -> None:
    world = begin(release)
    assert world.pod("big", meta={"name": "other"}).ok
    assert world.pod(app(resources={"requests": {"cpu": "3"}}), meta={"name": "other-2"}).ok
    assert world.pod(app(resources=SMALL)).ok
    assert resize(world.to(10), cpu="2").ok
    assert pending(world.to(20)) == "Deferred"
    assert [message.partition(": {")[0] for message in messages(world, "ResizeDeferred")] == said


@pytest.mark.parametrize(
    "release, is_started, generation",
    [pytest.param("1.34", False, "", id="1.34"), pytest.param("1.35", True, ',"generation":2', id="1.35")],
)
def test_a_resize_is_told_of_as_in_the_release(release: str, is_started: bool, generation: str) -> None:
    world = begin(release)
    assert world.pod(app(resources=SMALL)).ok
    assert resize(world.to(10), cpu="600m").ok
    world.to(20)
    assert bool(messages(world, "ResizeStarted")) is is_started
    asked = '{"requests":{"cpu":"600m","memory":"64Mi"}}'
    assert messages(world, "ResizeCompleted") == [
        f'Pod resize completed: {{"containers":[{{"name":"app","resources":{asked}}}]{generation}}}'
    ]


WHOLE = {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}


def resize_whole(world: World, resources: Any) -> Any:
    return world.patch({"spec": {"resources": resources}}, "resize")


def test_a_pod_as_a_whole_is_resized_since_1_36() -> None:
    before, since = begin("1.35"), begin("1.36")
    for world in (before, since):
        assert world.pod(app(), resources=WHOLE).ok
        world.to(10)
    wanted = {"requests": {"cpu": "1500m"}}
    assert "resize of pods with pod-level resources is forbidden" in said(resize_whole(before, wanted))
    assert resize_whole(since, wanted).ok
    pod = since.to(20).get()
    assert pod is not None and pod["spec"]["resources"]["requests"] == {"cpu": "1500m"}
    reasons = [row["reason"] for row in since.rows if row["type"] == "event" and "Resize" in row["reason"]]
    assert reasons == ["ResizeStarted", "ResizeCompleted"]


@pytest.mark.parametrize(
    "wanted, complaint",
    [
        (None, "spec.resources: Forbidden: pod-level resources cannot be removed"),
        (
            {"limits": {"cpu": None, "memory": "1Gi"}},
            "spec.resources.limits: Forbidden: pod-level resource limits cannot be removed",
        ),
    ],
)
def test_what_a_pod_has_as_a_whole_stays(wanted: Any, complaint: str) -> None:
    # validation.go, validatePodLevelResourcesResize
    world = begin("1.36")
    assert world.pod(app(), resources=WHOLE).ok
    assert complaint in said(resize_whole(world.to(10), wanted))


def test_room_for_a_pod_as_a_whole_is_what_its_node_has_left() -> None:
    world = begin("1.36")
    assert world.pod(app(resources={"requests": {"cpu": "3"}}), meta={"name": "other"}).ok
    assert world.pod(app(), resources={"requests": {"cpu": "500m"}}).ok
    assert resize_whole(world.to(10), {"requests": {"cpu": "2"}}).ok
    assert pending(world.to(20)) == "Deferred"
    assert world.delete(0, name="other").ok
    world.to(40)
    assert messages(world, "ResizeCompleted")


INIT = {"name": "init", "image": "busybox:1.36", "command": ["sleep", "60"], "resources": SMALL}
RESTART = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]


@pytest.mark.parametrize(
    "release, complaint",
    [("1.35", "spec: Forbidden: resources for non-sidecar init containers are immutable"), ("1.36", "")],
)
def test_init_containers_are_resized_since_1_36(release: str, complaint: str) -> None:
    world = begin(release)
    assert world.pod(app(), init=[INIT]).ok
    done = resize(world.to(10), "init", "initContainers", cpu="600m")
    assert (done.ok, complaint in said(done)) == (not complaint, True)


@pytest.mark.parametrize(
    "release, complaint",
    [
        ("1.35", ""),
        (
            "1.36",
            'spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer":'
            " must not be set to 'RestartContainer' for non-sidecar initContainers",
        ),
    ],
)
@pytest.mark.parametrize("policy", [None, "Always"])
def test_no_resize_restarts_an_init_container_since_1_36(release: str, complaint: str, policy: Any) -> None:
    world = begin(release)
    own = {"restartPolicy": policy} if policy else {}
    made = world.pod(app(), init=[{**INIT, **own, "resizePolicy": RESTART}])
    expected = "" if policy else complaint
    assert (made.ok, expected in said(made)) == (not expected, True)


# --- what a gate drops ------------------------------------------------------------------------------------


def stored(release: str, data: dict[str, Any]) -> Any:
    """The spec of an object as the API server keeps it."""
    world = begin(release)
    assert world.create(data).ok, data
    found = world.get(data["metadata"]["name"], data["kind"])
    assert found is not None
    return found["spec"]


def pod_with(**fields: Any) -> dict[str, Any]:
    spec = {"containers": [app(**fields.pop("app", {}))], **fields}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": spec,
    }


RULES = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]


@pytest.mark.parametrize(
    "fields, has",
    [
        pytest.param(
            {"hostnameOverride": "db"}, lambda spec: "hostnameOverride" in spec, id="HostnameOverride"
        ),
        pytest.param(
            {"app": {"restartPolicy": "Never", "restartPolicyRules": RULES}},
            lambda spec: {"restartPolicy", "restartPolicyRules"} <= spec["containers"][0].keys(),
            id="ContainerRestartRules",
        ),
    ],
)
def test_v1_34_drops_fields_of_pods_whose_gates_are_off(fields: dict, has: Any) -> None:
    assert has(stored("1.35", pod_with(**fields)))
    assert not has(stored("1.34", pod_with(**fields)))


def test_v1_34_takes_nonsense_in_fields_that_it_drops() -> None:
    nonsense = [{"action": "Dance", "exitCodes": {"operator": "Near", "values": []}}]
    world = begin("1.34")
    assert world.create(pod_with(app={"restartPolicy": "Sometimes", "restartPolicyRules": nonsense})).ok


@pytest.mark.parametrize(
    "release, kinds", [("1.34", " or `secretKeyRef`"), ("1.35", ", `secretKeyRef` or `fileKeyRef`")]
)
def test_a_variable_needs_a_source_that_the_release_knows(release: str, kinds: str) -> None:
    world = begin(release)
    refused = world.create(pod_with(app={"env": [{"name": "A", "valueFrom": {}}]}))
    assert f"must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`{kinds}" in said(refused)


def test_v1_34_drops_the_source_of_a_variable_from_a_file() -> None:
    reference = {"fileKeyRef": {"volumeName": "files", "path": "a.env", "key": "A"}}
    data = pod_with(
        app={"env": [{"name": "A", "valueFrom": reference}]}, volumes=[{"name": "files", "emptyDir": {}}]
    )
    assert begin("1.35").create(data).ok
    assert "must specify one of: `fieldRef`" in said(begin("1.34").create(data))


def test_v1_34_drops_the_tolerance_of_an_autoscaler() -> None:
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 5,
        "behavior": {"scaleUp": {"tolerance": "0.2"}, "scaleDown": {"tolerance": "0.3"}},
    }
    metadata = {"name": "web", "namespace": "default"}
    data = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata,
        "spec": spec,
    }
    told = {release: stored(release, data)["behavior"] for release in ("1.34", "1.35")}
    assert [rules.get("tolerance") for rules in told["1.34"].values()] == [None, None]
    assert {name: rules["tolerance"] for name, rules in told["1.35"].items()} == {
        "scaleUp": "200m",
        "scaleDown": "300m",
    }


# --- what else v1.34 does otherwise -----------------------------------------------------------------------


def test_v1_34_looks_at_a_back_off_every_10_to_15_s() -> None:
    # pod_workers.go, completeWork: backOffPeriod with a jitter of half of it.
    before, since = begin("1.34"), begin("1.35")
    for world in (before, since):
        assert world.pod(app(command=["sh", "-c", "sleep 2; exit 1"])).ok
        world.to(120)
    # A third end is followed by 20 s of back-off: the first look comes before that is over.
    third = {world: world.ends()[2][0] for world in (before, since)}
    told = {
        world: next(at for at, reason in world.waits() if reason == "CrashLoopBackOff" and at > third[world])
        for world in third
    }
    assert 10 <= told[before] - third[before] <= 16.5
    assert before.starts()[3] > third[before] + 20
    assert told[since] - third[since] >= 20


@pytest.mark.parametrize("release, is_forgotten", [("1.34", True), ("1.35", False), ("1.36", False)])
def test_a_kubelet_of_v1_34_repeats_startup_probes_when_it_returns(release: str, is_forgotten: bool) -> None:
    world = begin(release)
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 5}
    assert world.pod(app(startupProbe=probe)).ok
    fault = {"node": "node-1", "kind": "kubeletDown", "for": "5s"}
    assert world.to(20).submit("fault", **fault).ok
    started = [value for at, value in world.to(60).lane("container.app.started") if at > 20]
    assert started == ([False, True] if is_forgotten else [])


READY = {"exec": {"command": ["cat", "/tmp/ready"]}, "periodSeconds": 2, "failureThreshold": 1}
TRAP = 'touch /tmp/ready; trap "rm /tmp/ready; sleep 20; exit 0" TERM; while true; do sleep 1; done'


@pytest.mark.parametrize(
    "release, goes_unready",
    [("1.34", True), ("1.35.0", False), ("1.35", False), ("1.36.2", True), ("1.36.3", False), ("1.37", True)],
)
def test_exec_probes_of_a_pod_that_ends_go_on_or_are_canceled(release: str, goes_unready: bool) -> None:
    # kubernetes/kubernetes#140881: since v1.35.0, but for v1.36.0 to v1.36.2, they end with the pod's syncs.
    world = begin(release)
    assert world.pod(app(command=["sh", "-c", TRAP], readinessProbe=READY)).ok
    assert world.to(20).delete(30).ok
    world.to(60)
    (ended,) = [at for at, _ in world.ends()]
    unready = [at for at, value in world.lane("condition.Ready") if value == "False" and at > 20]
    assert (bool(unready) and unready[0] < ended - 5) is goes_unready
    canceled = [one for one in messages(world, "Unhealthy") if "code = Canceled" in one]
    assert bool(canceled) is not goes_unready


def test_v1_34_copies_no_zone_to_pods() -> None:
    for release, has in (("1.34", False), ("1.35", True)):
        world = begin(release)
        zone = {"metadata": {"labels": {"topology.kubernetes.io/zone": "a"}}}
        assert world.submit("patch", kind="Node", name="node-1", type="merge", patch=zone).ok
        assert world.pod(app()).ok
        pod = world.to(5).get()
        assert pod is not None
        assert ("topology.kubernetes.io/zone" in (pod["metadata"].get("labels") or {})) is has


def test_v1_34_does_not_count_terminating_replicas() -> None:
    for release, has in (("1.34", False), ("1.35", True)):
        world = begin(release)
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [app()]}}
        spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        metadata = {"name": "web", "namespace": "default"}
        assert world.create(
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}
        ).ok
        found = world.to(20).get(kind="ReplicaSet")
        assert found is not None and ("terminatingReplicas" in found["status"]) is has


def test_a_pod_of_v1_34_stays_nominated_for_a_moment_after_it_is_bound() -> None:
    for release, is_kept in (("1.34", True), ("1.35", False)):
        world = begin(release)
        big = {"requests": {"cpu": "3"}}
        assert world.pod(app(resources=big), meta={"name": "low"}).ok
        assert world.to(10).pod(app(resources=big), priority=1000).ok
        cluster = world.to(10).cluster
        while not (world.get() or {})["spec"].get("nodeName"):
            wake = cluster.next_wake()
            assert wake is not None
            cluster.run_until(wake)
        pod = world.get()
        assert pod is not None
        assert pod["status"].get("nominatedNodeName", "") == ("node-1" if is_kept else "")
        pod = world.to(120).get()
        assert pod is not None and not pod["status"].get("nominatedNodeName")


# --- suspended Jobs ---------------------------------------------------------------------------------------


def suspended(release: str, *, has_run: bool) -> World:
    """A Job that is suspended, from its beginning or after it has run."""
    world = begin(release)
    template = {"spec": {"restartPolicy": "Never", "containers": [app(resources=SMALL)]}}
    metadata = {"name": "work", "namespace": "default"}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {"suspend": not has_run, "template": template},
    }
    assert world.create(job).ok
    if has_run:
        assert change(world.to(10), suspend=True).ok
    return world.to(60)


def change(world: World, **spec: Any) -> Any:
    where = {"kind": "Job", "namespace": "default", "name": "work"}
    return world.submit("patch", type="strategic", patch={"spec": spec}, **where)


MORE = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "700m"}}}]}}
ELSEWHERE = {"spec": {"nodeSelector": {"disk": "fast"}}}
OTHER = {"spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}
AT_TEMPLATE, AT_SPEC = "spec.template: Invalid value: {", "spec.template.spec: Invalid value: {"


@pytest.mark.parametrize(
    "release, has_run, template, refused_at",
    [
        ("1.35", False, MORE, AT_TEMPLATE),
        ("1.36", False, MORE, ""),
        ("1.35", False, ELSEWHERE, ""),
        ("1.36", False, ELSEWHERE, ""),
        ("1.35", False, OTHER, AT_TEMPLATE),
        ("1.36", False, OTHER, AT_SPEC),
        ("1.35", True, MORE, AT_TEMPLATE),
        ("1.36", True, MORE, ""),
        ("1.35", True, ELSEWHERE, AT_TEMPLATE),
        ("1.36", True, ELSEWHERE, ""),
    ],
)
def test_what_of_a_suspended_job_may_change(
    release: str, has_run: bool, template: dict, refused_at: str
) -> None:
    # registry/batch/job/strategy.go, shouldAllowMutablePodTemplate (#135965, #139329)
    done = change(suspended(release, has_run=has_run), template=template)
    assert (done.ok, refused_at in said(done)) == (not refused_at, True)


def test_a_job_that_runs_keeps_its_template() -> None:
    world = suspended("1.36", has_run=False)
    assert change(world, suspend=False).ok
    assert AT_TEMPLATE in said(change(world.to(70), template=MORE))


def test_the_pods_of_a_resumed_job_have_its_new_resources() -> None:
    world = suspended("1.36", has_run=True)
    assert change(world, template=MORE).ok
    assert change(world, suspend=False).ok
    (pod,) = [
        one
        for one in world.to(70).cluster.list("Pod", "default")
        if not one["metadata"].get("deletionTimestamp")
    ]
    assert pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "700m"


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "release, actions",
    [("1.35", '"Restart"'), ("1.36", '"Restart", "RestartAllContainers"')],
)
def test_a_rule_is_told_which_actions_there_are(release: str, actions: str) -> None:
    rules = [{**RULES[0], "action": "Dance"}]
    refused = begin(release).create(pod_with(app={"restartPolicy": "Never", "restartPolicyRules": rules}))
    assert said(refused).endswith(f"supported values: {actions}")


@pytest.mark.parametrize("release, is_taken", [("1.35", False), ("1.36", True)])
def test_a_rule_restarts_all_containers_since_1_36(release: str, is_taken: bool) -> None:
    rules = [{**RULES[0], "action": "RestartAllContainers"}]
    made = begin(release).create(pod_with(app={"restartPolicy": "Never", "restartPolicyRules": rules}))
    assert made.ok is is_taken


@pytest.mark.parametrize(
    "release, why",
    [
        ("1.34", "pods with pod-level resources cannot be resized"),
        ("1.35", "resize of pods with pod-level resources is forbidden when "),
    ],
)
def test_why_a_pod_as_a_whole_is_not_resized(release: str, why: str) -> None:
    world = begin(release)
    assert world.pod(app(), resources=WHOLE).ok
    assert why in said(resize_whole(world.to(10), {"requests": {"cpu": "1500m"}}))


@pytest.mark.parametrize(
    "release, words", [("1.35", "cannot delete cannot delete Pods"), ("1.36", "cannot delete Pods")]
)
def test_a_drain_says_since_1_36_once_what_it_cannot_delete(release: str, words: str) -> None:
    # kubectl, pkg/drain/filters.go (#137064)
    world = begin(release)
    assert world.pod(app()).ok
    told = said(world.to(5).submit("drain", node="node-1"))
    assert f"due to error: {words} that declare no controller (use --force to override): default/web" in told
