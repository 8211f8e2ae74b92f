"""From documents and flags to a plan: who beats whom, and what is said."""

from pathlib import Path

import pytest

from lifecycle.input.manifests import ManifestError
from lifecycle.input.scenario import Until
from lifecycle.simulation.plan import Overrides, make_plan, take_inputs
from tests.texts import read_manifests

POD = """
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec: {containers: [{name: a, image: b}]}
"""
NODE = "{apiVersion: v1, kind: Node, metadata: {name: big}, status: {allocatable: {cpu: '64'}}}"


def scenario(spec):
    return f"{{apiVersion: podline.dev/v1alpha1, kind: Scenario, metadata: {{name: s}}, spec: {spec}}}"


def kubelet(spec):
    return f"{{apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration, {spec}}}"


def plan(*texts, **flags):
    return make_plan(read_manifests("\n---\n".join(texts)), Overrides(**flags))


def test_defaults():
    found = plan(POD)
    assert (found.seed, found.epoch_ms, found.untils) == (1, 1_767_225_600_000, ())
    assert found.settings.timing == "realistic"
    assert found.settings.nodes == {"count": 3, "cpu": "4", "memory": "8Gi", "pods": 110}


def test_flags_beat_the_scenario_which_beats_defaults():
    text = scenario(
        "{seed: 7, timing: instant, nodes: {count: 5, cpu: '8'}, until: 15m, epoch: 2026-03-01T00:00:00Z}"
    )
    found = plan(POD, text)
    assert (found.seed, found.settings.timing, found.untils[0].at_ms) == (7, "instant", 900_000)
    assert found.settings.nodes == {"count": 5, "cpu": "8", "memory": "8Gi", "pods": 110}
    flagged = plan(POD, text, seed=0, nodes=2, timing="realistic", epoch_ms=0, untils=(Until("idle"),))
    assert (flagged.seed, flagged.epoch_ms, flagged.settings.timing) == (0, 0, "realistic")
    assert flagged.settings.nodes["count"] == 2
    assert flagged.untils == (Until("idle"),)


def test_node_manifests_stand_in_for_the_default_nodes():
    assert plan(NODE).settings.nodes["count"] == 0
    assert plan(NODE, nodes=1).settings.nodes["count"] == 1
    assert plan(NODE, scenario("{nodes: {count: 2}}")).settings.nodes["count"] == 2


def test_kubelet_configurations_become_settings():
    found = plan(POD, kubelet("maxPods: 50, cgroupDriver: systemd"))
    assert [settings["maxPods"] for settings in found.settings.kubelet] == [50]
    assert [data["kind"] for data in found.objects] == ["Namespace", "Pod"]


@pytest.mark.spec("BACKOFF-03", "VALID-18")
@pytest.mark.parametrize("period", ["301s", "0s"])
def test_a_kubelet_configuration_that_cannot_be_is_refused(period):
    with pytest.raises(ManifestError) as caught:
        plan(POD, kubelet(f"crashLoopBackOff: {{maxContainerRestartPeriod: {period}}}"))
    assert "crashLoopBackOff.maxContainerRestartPeriod" in str(caught.value)
    assert "must be set between 1s and 300s" in str(caught.value)


def test_missing_namespaces_come_first():
    found = plan(POD)
    assert found.objects[0]["metadata"] == {"name": "shop"}
    assert found.subjects == ("Namespace shop", "Pod shop/a")
    given = plan(POD, "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
    assert [data["kind"] for data in given.objects] == ["Namespace", "Pod"]


def test_missing_references_are_listed_once():
    spec = (
        "{serviceAccountName: robot, volumes: [{name: v, persistentVolumeClaim: {claimName: disk}}, "
        "{name: w, secret: {secretName: key, optional: true}}], containers: [{name: a, image: b, "
        "envFrom: [{configMapRef: {name: settings}}], "
        "env: [{name: X, valueFrom: {secretKeyRef: {name: key, key: x}}}]}]}"
    )
    text = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {spec}}}"
    config = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"
    assert plan(text, config, text.replace("name: a}", "name: c}", 1)).missing == (
        "ServiceAccount default/robot, wanted by Pod a (spec.serviceAccountName)",
        "PersistentVolumeClaim default/disk, wanted by Pod a (spec.volumes[0].persistentVolumeClaim)",
        "Secret default/key, wanted by Pod a (spec.containers[0].env[0].valueFrom.secretKeyRef)",
    )


def test_two_scenarios_are_one_too_many():
    with pytest.raises(ManifestError, match="a run has at most one"):
        plan(scenario("{}"), scenario("{}"))


WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: a, image: b}]}
"""


def test_a_bad_behaviour_is_named_with_its_path():
    text = POD.replace(
        "name: a,", "name: a, annotations: {podline.dev/behavior: 'a: {pull: {taks: 3s}}'},", 1
    )
    with pytest.raises(ManifestError) as caught:
        plan(text)
    path = "metadata.annotations[podline.dev/behavior].a.pull.taks"
    assert (caught.value.problems[0].path, str(caught.value).count("annotations")) == (path, 1)


@pytest.mark.parametrize(
    "annotations, path",
    [
        pytest.param(
            "podline.dev/requests: '{perSeconds: 5}'", "[podline.dev/requests].perSeconds", id="key"
        ),
        pytest.param(
            "podline.dev/load: 'a: [{cpu: 1}]',"
            " podline.dev/requests: '{perSecond: 5, cpuPerRequest: {a: 1m}}'",
            "[podline.dev/requests].cpuPerRequest",
            id="a load as well",
        ),
    ],
)
def test_bad_requests_are_named_with_their_path(annotations, path):
    text = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: a, annotations: {%s}}\nspec: {ports: [{port: 80}]}\n"
    )
    with pytest.raises(ManifestError) as caught:
        plan(text % annotations)
    assert [one.path for one in caught.value.problems] == [f"metadata.annotations{path}"]


def test_a_bad_behaviour_of_a_template_is_named_with_its_whole_path():
    text = WORKLOAD.replace("labels: {a: b}", "labels: {a: b}, annotations: {podline.dev/behavior: 'a: 5'}")
    with pytest.raises(ManifestError) as caught:
        plan(text)
    assert caught.value.problems[0].path == "spec.template.metadata.annotations[podline.dev/behavior].a"


def test_gates_of_the_scenario_decide_what_is_valid():
    rule = "{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}"
    text = POD.replace("image: b", f"image: b, restartPolicy: Never, restartPolicyRules: [{rule}]")
    assert plan(text)
    with pytest.raises(ManifestError, match="RestartAllContainers"):
        plan(text, scenario("{featureGates: {RestartAllContainersOnContainerExits: false}}"))


def test_a_folder_without_manifests_is_said(tmp_path):
    with pytest.raises(ManifestError, match="no manifests in this folder"):
        take_inputs([str(tmp_path)]).require_sound()


def test_what_is_hidden_in_a_folder_is_not_even_read(tmp_path, monkeypatch):
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "large.json").write_text("{}")
    (tmp_path / "web.yaml").write_text(POD)
    opened = []
    read = Path.open
    monkeypatch.setattr(Path, "open", lambda file, *how: opened.append(file.name) or read(file, *how))
    reading = take_inputs([str(tmp_path)])
    assert opened == ["web.yaml"]
    assert [one.name for one in reading.report.skipped] == [f"{tmp_path}/.cache"]
