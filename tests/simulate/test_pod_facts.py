"""What is true of every pod's life, shown on whole runs at timing instant."""

import re

import pytest

from lifecycle.simulation.plan import make_plan
from tests.simulate.running import run_plan
from tests.texts import read_manifests

HEAD = "apiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n  timing: instant\n"
SERVER = "{name: app, image: 'sim/server:1'}"
ENDING = "{name: app, image: 'sim/shell:1', command: [sh, -c, 'sleep 5']}"


def pod(name="a", spec="", containers=f"[{SERVER}]", metadata=""):
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}{metadata}}}\n"
        f"spec:\n  containers: {containers}\n{spec}"
    )


def deployment(replicas=2, strategy="{}"):
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
        f"  replicas: {replicas}\n  strategy: {strategy}\n  selector: {{matchLabels: {{app: web}}}}\n"
        f"  template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{SERVER}]}}}}\n"
    )


def live(*documents, steps=(), until="60s", more=""):
    """Run documents with steps to an instant."""
    scenario = HEAD + more + (f"  steps: [{', '.join(steps)}]\n" if steps else "") + f"  until: {until}\n"
    return run_plan(make_plan(read_manifests("---\n".join([*documents, scenario]))))


def get(run, name="a", kind="Pod"):
    return run.cluster.get(kind, "default", name)


def rows(run, name, field):
    return [row for row in run.rows if row["name"] == name and row.get("field") == field]


def created_pods(run):
    made = (row for row in run.rows if row.get("field") == "exists" and row["new"] == "created")
    return [(row["at_ms"], row["uid"]) for row in made if row["kind"] == "Pod"]


@pytest.mark.spec("POD-OBJ-01", "POD-LIFE-03", "POD-LIFE-04", "POD-LIFE-06")
def test_a_pod_is_bound_once_and_stays():
    run = live(
        *(pod(f"p{n}", containers=f"[{SERVER}, {{name: b, image: 'sim/server:1'}}]") for n in range(4))
    )
    for number in range(4):
        assert len(rows(run, f"p{number}", "node")) == 1
        assert get(run, f"p{number}")["spec"]["nodeName"] == rows(run, f"p{number}", "node")[0]["new"]


@pytest.mark.spec("POD-OBJ-03", "INIT-05", "EPHEM-11", "POD-OBJ-17")
def test_the_three_lists_of_container_statuses():
    debug = "{name: debug, image: 'sim/shell:1', command: [sh, -c, 'exit 1']}"
    change = f"patch: {{spec: {{ephemeralContainers: [{debug}]}}}}"
    ephemeral = f"{{kind: Pod, name: a, subresource: ephemeralcontainers, {change}}}"
    init = "  initContainers: [{name: init, image: 'sim/shell:1', command: [sh, -c, 'sleep 1']}]\n"
    status = get(live(pod(spec=init), steps=[f"{{at: 10s, patch: {ephemeral}}}"]))["status"]
    assert [
        status[name][0]["name"]
        for name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    ] == ["init", "app", "debug"]
    assert status["ephemeralContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 1
    assert status["phase"] == "Running"
    assert {entry["type"]: entry["status"] for entry in status["conditions"]}["Ready"] == "True"


@pytest.mark.spec("POD-OBJ-04", "COND-02", "COND-03", "COND-05")
def test_status_says_what_is_and_never_changes_the_spec():
    found = get(live(pod(), until="30s"))
    assert found["metadata"]["generation"] == 1
    for condition in found["status"]["conditions"]:
        assert {"type", "status", "lastTransitionTime"} <= set(condition)
        assert condition["status"] in ("True", "False", "Unknown")
        assert re.fullmatch("[A-Z][A-Za-z0-9]*", condition.get("reason") or "Ready")


@pytest.mark.spec("POD-OBJ-07")
def test_every_living_pod_has_an_address_of_its_own():
    run = live(deployment(replicas=30))
    addresses = [found["status"]["podIP"] for found in run.cluster.list("Pod")]
    assert len(set(addresses)) == 30


@pytest.mark.spec("POD-OBJ-20", "POD-LIFE-10")
def test_nobody_replaces_a_bare_pod():
    run = live(pod(), steps=["{at: 10s, delete: {kind: Pod, name: a}}"], until="10m")
    assert len(created_pods(run)) == 1
    assert get(run) is None


@pytest.mark.spec("POD-TPL-01", "POD-LIFE-02", "POD-TPL-11", "POD-LIFE-06")
def test_a_workload_replaces_a_deleted_pod_at_once_by_another():
    run = live(deployment(1), until="10s")
    (name,) = [found["metadata"]["name"] for found in run.cluster.list("Pod")]
    run = live(deployment(1), steps=[f"{{at: 30s, delete: {{kind: Pod, name: {name}}}}}"])
    (first_ms, first), (second_ms, second) = created_pods(run)
    assert (first_ms, second_ms) == (0, 30_000)
    assert first != second
    (left,) = run.cluster.list("Pod")
    assert left["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"


@pytest.mark.spec("POD-TPL-02", "POD-TPL-03", "RESIZE-09")
def test_a_changed_template_makes_new_pods_and_leaves_old_ones_as_they_are():
    containers = "[{name: app, resources: {requests: {cpu: 200m}}}]"
    template = f"{{spec: {{containers: {containers}}}}}"
    change = f"{{kind: Deployment, name: web, patch: {{spec: {{template: {template}}}}}}}"
    run = live(deployment(2), steps=[f"{{at: 30s, patch: {change}}}"], until="5m")
    assert [at for at, _ in created_pods(run)].count(0) == 2
    assert len({uid for _, uid in created_pods(run)}) == 4
    assert {
        found["spec"]["containers"][0]["resources"]["requests"]["cpu"] for found in run.cluster.list("Pod")
    } == {"200m"}
    old = {row["uid"] for row in run.rows if row.get("field") == "container.app.restartCount"}
    assert old == set()


@pytest.mark.spec("POD-TPL-07")
def test_scaling_changes_the_number_of_pods_only():
    run = live(deployment(1), steps=["{at: 10s, scale: {deployment: web, replicas: 3}}"])
    assert [len(found["spec"]["containers"]) for found in run.cluster.list("Pod")] == [1, 1, 1]


@pytest.mark.spec("POD-PHASE-01", "POD-PHASE-11", "POD-COL-01", "POD-LIFE-15")
def test_phases_are_five_words_and_terminating_is_none_of_them():
    slow = ", annotations: {podline.dev/behavior: 'app: {onTerm: {takes: 4s}}'}"
    run = live(
        pod(metadata=slow),
        pod("done", "  restartPolicy: Never\n", f"[{ENDING}]"),
        steps=["{at: 20s, delete: {kind: Pod, name: a}}"],
        until="10m",
    )
    phases = {row["new"] for row in run.rows if row.get("field") == "phase"}
    assert phases == {"Pending", "Running", "Succeeded"}
    status = [(row["at_ms"], row["new"]) for row in rows(run, "a", "status")]
    assert (20_000, "Terminating") in status
    assert not [row for row in rows(run, "a", "phase") if row["at_ms"] == 20_000]
    assert get(run, "done")["status"]["phase"] == "Succeeded"


@pytest.mark.spec("CSTATE-03", "CSTATE-04", "SBOX-01", "SBOX-03", "SBOX-07", "IMGPULL-05", "INIT-11")
def test_a_pod_starts_in_order():
    run = live(pod(metadata=", annotations: {podline.dev/behavior: 'app: {pull: {takes: 3s}}'}"))
    order = [row.get("field") or row["reason"] for row in run.rows if row["name"] == "a"]
    first = {name: order.index(name) for name in reversed(order)}
    ready = max(at for at, name in enumerate(order) if name == "condition.PodReadyToStartContainers")
    assert first["Scheduled"] < first["condition.PodReadyToStartContainers"] < first["Pulling"]
    # The look that makes the sandbox starts the containers: the next one tells of all of it (SyncPod).
    assert first["Pulling"] < first["Pulled"] < first["Created"] < first["Started"] < ready
    waiting = rows(run, "a", "container.app.state")[0]
    assert (waiting["new"], waiting["reason"]) == ("Waiting", "ContainerCreating")


@pytest.mark.spec("INIT-01", "INIT-02", "INIT-12", "INIT-16", "SBOX-08")
def test_init_containers_end_before_the_app_begins():
    init = "  initContainers: [{name: one, image: 'sim/shell:1', command: [sh, -c, 'echo hello; sleep 5']}]\n"
    run = live(pod(spec=init))
    lanes = run.lanes()["a"]
    assert lanes["container.one.state"][-1] == (5.0, "Terminated/Completed/0")
    assert lanes["starts app"] == [(5.0, "")]
    assert lanes["condition.Ready"] == [(0.0, "False/ContainersNotReady"), (5.0, "True")]
    assert [(container, text) for _, container, _, _, text in run.logs] == [("one", "hello")]
    plain = [row["field"] for row in live(pod()).rows if row["name"] == "a" and "field" in row]
    assert plain.index("condition.Initialized") < plain.index("condition.PodReadyToStartContainers")


@pytest.mark.spec("SIDECAR-01", "SIDECAR-16")
def test_a_sidecar_begins_before_the_app_and_runs_on():
    side = "  initContainers: [{name: side, image: 'sim/server:1', restartPolicy: Always}]\n"
    found = get(live(pod(spec=side)))
    assert "running" in found["status"]["initContainerStatuses"][0]["state"]
    assert "running" in found["status"]["containerStatuses"][0]["state"]


@pytest.mark.spec("RALL-03")
def test_a_restart_in_place_keeps_uid_address_and_node():
    rule = "{action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}"
    watcher = (
        "{name: watcher, image: 'sim/shell:1', command: [sh, -c, 'sleep 10; exit 88'], "
        f"restartPolicy: Never, restartPolicyRules: [{rule}]}}"
    )
    gate = "  featureGates: {RestartAllContainersOnContainerExits: true}\n"
    document = pod(containers=f"[{SERVER}, {watcher}]")
    before, after = (get(live(document, more=gate, until=until)) for until in ("5s", "15s"))
    assert after["status"]["containerStatuses"][0]["restartCount"] == 1
    for path in (("metadata", "uid"), ("spec", "nodeName"), ("status", "podIP")):
        assert before[path[0]][path[1]] == after[path[0]][path[1]]


@pytest.mark.spec("PODOS-03")
def test_a_node_selector_steers_by_the_system_of_the_node():
    selector = "  nodeSelector: {kubernetes.io/os: SYSTEM}\n"
    for system, expected in (("linux", "Running"), ("windows", "Pending")):
        assert get(live(pod(spec=selector.replace("SYSTEM", system))))["status"]["phase"] == expected


@pytest.mark.spec("SECCTX-01", "SECCTX-02", "SECCTX-05", "SECCTX-07", "INIT-07", "USERNS-01", "USERNS-22")
def test_security_settings_are_stored_as_given():
    own = "{runAsUser: 1000, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}"
    init = f"  initContainers: [{{name: one, image: 'sim/shell:1', securityContext: {own}}}]\n"
    settings = "  hostUsers: false\n  securityContext: {runAsNonRoot: false}\n"
    found = get(live(pod(spec=init + settings)))
    assert found["status"]["phase"] == "Running"
    spec = found["spec"]
    assert spec["initContainers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert spec["initContainers"][0]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert (spec["hostUsers"], spec["securityContext"]) == (False, {"runAsNonRoot": False})


@pytest.mark.spec("QOS-19")
def test_the_class_of_a_pod_never_changes():
    resources = "{limits: {cpu: 100m, memory: 64Mi}}"
    document = pod(containers=f"[{{name: app, image: 'sim/server:1', resources: {resources}}}]")
    change = "{kind: Pod, name: a, patch: {spec: {containers: [{name: app, image: 'sim/server:2'}]}}}"
    found = get(live(document, steps=[f"{{at: 10s, patch: {change}}}"]))
    assert found["status"]["containerStatuses"][0]["restartCount"] == 1
    assert found["status"]["qosClass"] == "Guaranteed"
