"""The structural check: unknown fields and wrong types, each with its path and a cure."""

import pytest

from lifecycle.input.problems import ManifestError
from tests.texts import read_manifests

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  {spec}
"""


def refuse(text):
    with pytest.raises(ManifestError) as caught:
        read_manifests(text)
    return [str(problem) for problem in caught.value.problems]


def refuse_spec(spec):
    return refuse(DEPLOYMENT.format(spec=spec))


PLACE = "document 1, line 6: Deployment shop/web: "
OFF = "which Kubernetes v1.36 serves only where it is switched on"


@pytest.mark.parametrize(
    "spec, said",
    [
        ("replica: 3", 'spec.replica: unknown field "replica"; did you mean "replicas"?'),
        (
            "template: {spec: {conatiners: []}}",
            'spec.template.spec.conatiners: unknown field "conatiners"; did you mean "containers"?',
        ),
        (
            "containers: []",
            'spec.containers: unknown field "containers"; it belongs to spec.template.spec.containers',
        ),
        ("replicas: three", 'spec.replicas: must be a whole number, not the text "three"'),
        ("replicas: 1.5", "spec.replicas: must be a whole number, not the number 1.5"),
        ("paused: 1", "spec.paused: must be true or false, not the number 1"),
        ("template: []", "spec.template: must be a mapping, not a list"),
        (
            "template: {spec: {containers: {}}}",
            "spec.template.spec.containers: must be a list, not a mapping",
        ),
        (
            "template: {spec: {containers: [{image: 1.10}]}}",
            "spec.template.spec.containers[0].image: must be text, not the number 1.1; "
            'write it in quotes: "1.10"',
        ),
        (
            "template: {spec: {containers: [{env: [{name: A, value: yes}]}]}}",
            "spec.template.spec.containers[0].env[0].value: must be text, not the boolean true; "
            'write it in quotes: "yes"',
        ),
        (
            "template: {spec: {containers: [{resources: {limits: {cpu: lots}}}]}}",
            "spec.template.spec.containers[0].resources.limits.cpu: must be a quantity such as "
            '"500m" or "64Mi", not the text "lots"',
        ),
        (
            "template: {spec: {containers: [null]}}",
            "spec.template.spec.containers[0]: must be a mapping, not null",
        ),
    ],
)
def test_a_field_is_refused_at_its_path(spec, said):
    assert refuse_spec(spec) == [PLACE + said]


@pytest.mark.parametrize(
    "head, said",
    [
        ("apiVersion: v1", "kind not set"),
        ("kind: Pod", "apiVersion not set"),
        ("{apiVersion: v1, kind: Pdo}", 'no matches for kind "Pdo" in version "v1"; did you mean Pod?'),
        (
            "{apiVersion: extensions/v1beta1, kind: Deployment}",
            'no matches for kind "Deployment" in version "extensions/v1beta1"; Deployment is in apps/v1',
        ),
        (
            "{apiVersion: apps/v1, kind: Pod}",
            'no matches for kind "Pod" in version "apps/v1"; Pod is in v1',
        ),
        *[
            (f"{{apiVersion: {group}/{given}, kind: {kind}}}", f"; {kind} is in {group}/{there}, {OFF}")
            for group, given, kind, there in (
                ("scheduling.k8s.io", "v1alpha1", "Workload", "v1alpha2"),
                ("resource.k8s.io", "v1", "DeviceTaintRule", "v1beta2"),
                ("certificates.k8s.io", "v1alpha1", "ClusterTrustBundle", "v1beta1"),
            )
        ],
        ("{apiVersion: apps/v1, kind: Workload}", "Kubernetes v1.36 has no such kind"),
    ],
)
def test_an_unknown_kind_is_refused(head, said):
    (problem,) = refuse(head)
    assert said in problem


@pytest.mark.parametrize(
    "labels, is_told",
    [
        ("{helm.sh/chart: web-1}", True),
        ("{app.kubernetes.io/managed-by: Helm}", True),
        ("{heritage: Helm}", True),
        ("{app.kubernetes.io/managed-by: kustomize}", False),
        ("{a: [b]}", False),
        ("null", False),
        ("[a]", False),
    ],
)
def test_an_old_version_that_a_chart_has_rendered_is_told_with_how_to_render(labels, is_told):
    head = "apiVersion: policy/v1beta1, kind: PodDisruptionBudget"
    problem = refuse(f"{{{head}, metadata: {{name: a, labels: {labels}}}}}")[0]
    told = "; render the chart with helm template --api-versions policy/v1/PodDisruptionBudget"
    assert (told in problem) is is_told


def test_every_problem_of_every_document_is_said():
    problems = refuse("{apiVersion: v1, kind: Pod, spec: {a: 1}}\n---\n{apiVersion: v1, kind: Pod, b: 2}")
    assert [problem.partition(":")[0] for problem in problems] == ["document 1, line 1", "document 2, line 3"]


def test_custom_resources_are_checked_by_their_metadata_only():
    text = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, labels: {b: 1}}, spec: {any: [1]}}"
    (problem,) = refuse(text)
    assert "metadata.labels.b: must be text" in problem
    assert len(read_manifests(text.replace("{b: 1}", "{b: c}"))) == 1


def test_null_is_a_field_left_out():
    text = (
        "{apiVersion: v1, kind: Pod, metadata: {name: a, creationTimestamp: null}, spec: {containers: null}}"
    )
    (document,) = read_manifests(text)
    assert document.data["metadata"] == {"name": "a"}
    assert document.data["spec"] == {}


def test_a_null_label_is_an_empty_one():
    (document,) = read_manifests("{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {b: null}}}")
    assert document.data["metadata"]["labels"] == {"b": ""}


def test_a_markup_name_is_only_data():
    (document,) = read_manifests("{apiVersion: v1, kind: Pod, metadata: {name: <script>}}")
    assert document.subject == "Pod <script>"


def test_a_name_that_is_no_text_is_refused():
    (problem,) = refuse("{apiVersion: v1, kind: Pod, metadata: {name: [a]}}")
    assert "metadata.name: must be text, not a list" in problem


@pytest.mark.parametrize(
    "setting, said",
    [
        ("systemReserved: [1]", "systemReserved: must be a mapping, not a list"),
        ("crashLoopBackOff: 5", "crashLoopBackOff: must be a mapping, not the number 5"),
        ("maxPods: many", 'maxPods: must be a whole number, not the text "many"'),
        ("metadata: {annotations: []}", "metadata.annotations: must be a mapping, not a list"),
    ],
)
def test_a_setting_of_a_kubelet_is_of_its_type(setting, said):
    head = "{apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration, "
    assert refuse(head + setting + "}") == [f"document 1, line 1: KubeletConfiguration: {said}"]


@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param("replicas: 2147483647", None, id="the most of 32 bits"),
        pytest.param(
            "replicas: 2147483648",
            "spec.replicas: must be a whole number, not the number 2147483648; "
            "it may be from -2147483648 to 2147483647",
            id="one more",
        ),
        pytest.param("template: {spec: {activeDeadlineSeconds: 2147483648}}", None, id="64 bits"),
        pytest.param(
            "template: {spec: {activeDeadlineSeconds: 9223372036854775808}}",
            "spec.template.spec.activeDeadlineSeconds: must be a whole number, not the number "
            "9223372036854775808; it may be from -9223372036854775808 to 9223372036854775807",
            id="more than 64 bits",
        ),
    ],
)
def test_a_whole_number_has_as_many_bits_as_its_field(spec, said):
    if said is None:
        assert len(read_manifests(DEPLOYMENT.format(spec=spec))) == 1
    else:
        assert refuse_spec(spec) == [PLACE + said]


def test_claims_of_a_stateful_set_may_name_their_kind():
    """As `kubectl get -o yaml` writes them."""
    claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}"
    text = f"{{apiVersion: apps/v1, kind: StatefulSet, spec: {{volumeClaimTemplates: [{claim}]}}}}"
    assert len(read_manifests(text)) == 1
