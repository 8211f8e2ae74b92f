"""Files in, objects out: what is taken, what is skipped or left out and why, and in which order."""

import json

import pytest

from lifecycle.input.manifests import ManifestError
from lifecycle.input.reading import Batch, read_batches
from tests.texts import read_text

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wides.x.io}
spec: {group: x.io, scope: Cluster, names: {kind: Wide}}
"""


def line(kind, name="a", version="v1"):
    return f"{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}}}}}"


def read_folder(files, **options):
    contents = {name: text.encode() for name, text in files.items()}
    return read_batches([Batch(contents, "k8s", is_folder=True)], **options)


def subjects(reading):
    return [document.subject for document in reading.documents]


def reasons(reading):
    return {one.name: one.why for one in reading.report.skipped}


# --- folders ----------------------------------------------------------------------------------------------


def test_of_a_folder_what_is_no_manifest_is_skipped_and_the_rest_is_taken():
    reading = read_folder(
        {
            "web.yaml": WEB,
            ".github/workflows/ci.yml": "on: push\njobs: {}",
            ".github/workflows/pod.yml": line("Pod"),
            "package.json": '{"name": "shop", "kind": "app"}',
            "tsconfig.json": "// no JSON at all\n{",
            "deploy/values.yaml": "image: nginx\nkind: Deployment",
            "README.md": "# Shop",
            "schema.json": '{"properties": {"kind": {}, "apiVersion": {}}}',
            "off.yaml": "apiVersion: v1\nkind: List\nitems: []",
        }
    )
    assert subjects(reading) == ["Deployment web"]
    assert reading.report.refused == ()
    assert reading.report.taken == (("k8s/web.yaml", "Deployment web"),)
    assert reasons(reading) == {
        "k8s/.github": "hidden",
        "k8s/README.md": "another kind of file",
        "k8s/deploy/values.yaml": "without apiVersion and kind",
        "k8s/off.yaml": "without apiVersion and kind",
        "k8s/package.json": "without apiVersion and kind",
        "k8s/schema.json": "without apiVersion and kind",
        "k8s/tsconfig.json": "without apiVersion and kind",
    }
    assert len(reading.report.list_notes()) == 1


def test_a_helm_chart_is_skipped_as_a_whole_and_its_remedy_said():
    files = {
        "charts/web/Chart.yaml": "apiVersion: v2\nname: web",
        "charts/web/templates/web.yaml": "apiVersion: v1\nkind: {{ .Values.kind }}",
        "charts/web/crds/a.yaml": line("Pod"),
        "web.yaml": WEB,
    }
    reading = read_folder(files)
    assert subjects(reading) == ["Deployment web"]
    assert reasons(reading) == {"k8s/charts/web": "a Helm chart"}
    remedy = "a Helm chart: run `helm template k8s/charts/web` and give the result"
    assert remedy in reading.report.list_notes()


def test_of_a_kustomization_the_objects_are_taken_and_not_its_patches():
    overlay = """
        resources: [../base, extra.yaml]
        patches: [{path: ./replicas.yaml, target: {kind: Deployment}}]
        patchesStrategicMerge: [old/image.yaml, "kind: Deployment"]
        configMapGenerator: [{name: a, files: [data=pod.yaml]}]
        """
    files = {
        "base/kustomization.yaml": "resources: [web.yaml]",
        "base/web.yaml": WEB,
        "prod/kustomization.yaml": overlay,
        "prod/extra.yaml": line("Secret"),
        "prod/replicas.yaml": "[{op: replace, path: /spec/replicas, value: 9}]",
        "prod/old/image.yaml": line("Deployment", "web", "apps/v1"),
        "prod/pod.yaml": line("Pod"),
    }
    reading = read_folder(files)
    assert (subjects(reading), reading.report.refused) == (["Deployment web", "Secret a"], ())
    assert reasons(reading) == {
        "k8s/base/kustomization.yaml": "a kustomization",
        "k8s/prod/kustomization.yaml": "a kustomization",
        "k8s/prod/old/image.yaml": "part of a kustomization",
        "k8s/prod/pod.yaml": "part of a kustomization",
        "k8s/prod/replicas.yaml": "part of a kustomization",
    }
    notes = reading.report.list_notes()
    assert "a kustomization: run `kubectl kustomize k8s/base` and give the result, and so for 1 more" in notes


def test_settings_of_tools_are_no_objects():
    kind = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes: [{role: worker}]"
    reading = read_folder({"kind.yaml": kind, "web.yaml": WEB})
    assert (subjects(reading), reasons(reading)) == (
        ["Deployment web"],
        {"k8s/kind.yaml": "configuration of a tool"},
    )
    (problem,) = read_text(kind).report.refused
    assert "Cluster of kind.x-k8s.io/v1alpha4 is no API object" in str(problem)
    (problem,) = read_text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization").report.refused
    assert "run `kubectl kustomize`" in str(problem)


def test_a_group_that_no_api_server_could_have_is_a_tools():
    """The group of a custom resource has a dot: ValidateCustomResourceDefinition, "at least one dot"."""
    skaffold = line("Config", "build", "skaffold/v2beta22")
    reading = read_folder({"skaffold.yaml": skaffold, "web.yaml": WEB})
    assert (subjects(reading), reading.report.refused) == (["Deployment web"], ())
    assert reasons(reading) == {"k8s/skaffold.yaml": "configuration of a tool"}
    (problem,) = read_text(skaffold).report.refused
    assert "Config of skaffold/v2beta22 is no API object: its group has no dot" in str(problem)


@pytest.mark.parametrize(
    "kind, api_version, remedy",
    [
        ("Deployment", "app/v1", "Deployment is in apps/v1"),
        ("Deploymnt", "app/v1", "did you mean Deployment?"),
        ("DaemonSet", "extensions/v1beta1", "DaemonSet is in apps/v1"),
        ("PodSecurityPolicy", "extensions/v1beta1", "Kubernetes v1.36 has no such kind"),
        ("Unheard", "apps/v1", "Kubernetes v1.36 has no such kind"),
    ],
)
def test_a_slip_of_the_pen_in_a_folder_is_refused(kind, api_version, remedy):
    (problem,) = read_folder({"web.yaml": WEB, "slip.yaml": line(kind, "a", api_version)}).report.refused
    assert remedy in str(problem)


def test_a_broken_manifest_in_a_folder_is_still_refused():
    files = {"web.yaml": WEB, "bad.yaml": "apiVersion: v1\nkind: Pod\n\tmetadata: {}", "x.yaml": line("Podd")}
    refused = read_folder(files).report.refused
    assert [problem.source for problem in refused] == ["k8s/bad.yaml", "k8s/x.yaml"]


def test_in_a_folder_namespaces_go_first_and_all_else_keeps_its_order():
    files = {
        "a.yaml": f"{line('Pod', 'first')}\n---\n{line('ServiceAccount')}",
        "b.yaml": line("ConfigMap"),
        "c.yaml": f"{DEFINITION}\n---\n{line('Secret')}",
        "d.yaml": f"{line('Namespace')}\n---\n{line('Namespace', 'own', 'example.com/v1')}",
    }
    wanted = [
        "Namespace a",
        "Pod first",
        "ServiceAccount a",
        "ConfigMap a",
        "CustomResourceDefinition wides.x.io",
        "Secret a",
        "Namespace own",
    ]
    assert subjects(read_folder(files)) == wanted
    by_name = read_batches([Batch({name: text.encode()}) for name, text in files.items()])
    assert subjects(by_name)[0] == "Pod first"


@pytest.mark.parametrize(
    "text", ["", "# only a comment", "---\n---\n", "{apiVersion: v1, kind: List, items: []}"]
)
def test_nothing_to_apply_is_an_error(text):
    reading = read_text(text)
    with pytest.raises(ManifestError, match="no objects passed to apply"):
        reading.require_sound()


@pytest.mark.parametrize(
    "name", ["../up.yaml", "/root.yaml", "a//b.yaml", "a\\b.yaml", "é\x00.yaml", ".yaml", "x"]
)
def test_whatever_a_path_of_an_archive_is_it_is_only_a_name(name):
    reading = read_folder({name: line("Pod")})
    assert len(reading.documents) + len(reading.report.skipped) == 1


def test_half_a_character_in_a_folder_is_refused():
    text = "{apiVersion: v1, kind: Pod, metadata: {name: \ud83d}}"
    (problem,) = read_batches([Batch({"a.yaml": text}, is_folder=True)]).report.refused
    assert "not valid UTF-8" in str(problem)


def test_files_of_two_bytes_a_letter_are_read_too():
    reading = read_batches([Batch({"a.yaml": line("Pod").encode("utf-16")}, is_folder=True)])
    assert subjects(reading) == ["Pod a"]


# --- namespaces -------------------------------------------------------------------------------------------


def test_objects_without_a_namespace_go_where_they_are_told_to():
    text = "\n---\n".join(
        [
            line("ConfigMap"),
            "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: shop}}",
            line("Namespace", "shop"),
            line("ClusterRole", "a", "rbac.authorization.k8s.io/v1"),
            DEFINITION,
            line("Wide", "a", "x.io/v1"),
            line("Narrow", "a", "x.io/v1"),
            line("Scenario", "s", "podline.dev/v1alpha1"),
        ]
    )
    reading = read_batches([Batch({"": text})], namespace="shop")
    placed = [document.data["metadata"].get("namespace") for document in reading.documents]
    assert placed == [None, "shop", "shop", None, None, None, "shop", None]


def test_an_object_of_another_namespace_stays_there():
    text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  namespace: bank\n"
    reading = read_batches([Batch({"": text})], namespace="shop")
    assert [document.data["metadata"]["namespace"] for document in reading.require_sound()] == ["bank"]


# --- exports of a cluster ---------------------------------------------------------------------------------

EXPORT = """
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    namespace: shop
    uid: u1
    resourceVersion: "12"
    generation: 3
    creationTimestamp: "2026-01-01T00:00:00Z"
    managedFields: [{manager: kubectl, operation: Update, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}]
    annotations: {deployment.kubernetes.io/revision: "3", mine: "1"}
  spec:
    selector: {matchLabels: {app: web}}
    template:
      metadata: {creationTimestamp: null, labels: {app: web}}
      spec: {containers: [{name: web, image: nginx}]}
  status: {replicas: 1, fieldOfTheFuture: 1}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata:
    name: web-1
    namespace: shop
    uid: u2
    ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u1, controller: true}]
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-1-x
    namespace: shop
    uid: u3
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: u2, controller: true}]
- apiVersion: v1
  kind: Pod
  metadata:
    name: lone
    namespace: shop
    uid: u4
    ownerReferences: [{apiVersion: batch/v1, kind: Job, name: gone, uid: u9, controller: true}]
  spec: {nodeName: worker-7, containers: [{name: web, image: nginx}]}
  status: {phase: Running}
- {apiVersion: v1, kind: Event, metadata: {name: e, namespace: shop, uid: u5}}
- apiVersion: v1
  kind: Node
  metadata: {name: big, uid: u6}
  spec:
    taints:
    - {key: node.kubernetes.io/not-ready, effect: NoExecute}
    - {key: node.kubernetes.io/memory-pressure, effect: NoSchedule}
    - {key: mine, effect: NoSchedule}
  status: {capacity: {cpu: "64"}, conditions: [{type: Ready, status: "False"}], volumesInUse: [a]}
"""


def test_what_a_cluster_gave_out_is_made_manifests_again():
    reading = read_text(EXPORT)
    deployment, pod, node = (document.data for document in reading.require_sound())
    assert deployment["metadata"] == {"name": "web", "namespace": "shop", "annotations": {"mine": "1"}}
    assert "status" not in deployment
    assert pod["metadata"] == {"name": "lone", "namespace": "shop"}
    assert pod["spec"] == {"containers": [{"name": "web", "image": "nginx"}]}
    assert node["status"] == {"capacity": {"cpu": "64"}}
    assert node["spec"] == {"taints": [{"key": "mine", "effect": "NoSchedule"}]}
    assert {one.name: one.why for one in reading.report.left} == {
        "ReplicaSet shop/web-1": "its owner Deployment web is given, and makes it",
        "Pod shop/web-1-x": "its owner ReplicaSet web-1 is given, and makes it",
        "Event shop/e": "told what happened in another cluster",
    }
    assert "6 objects are exports of a cluster" in reading.report.assumed[0]
    assert "Pod shop/lone: the owner is not given" in reading.report.assumed[1]


def test_what_a_cluster_gave_out_stays_where_what_it_is_bound_to_is_given():
    pod = EXPORT.replace("worker-7", "big")
    (found,) = [one.data for one in read_text(pod).documents if one.data["kind"] == "Pod"]
    assert found["spec"]["nodeName"] == "big"


@pytest.mark.parametrize(
    "kind, version, spec, wanted",
    [
        ("Service", "v1", {"clusterIP": "10.9.8.7", "clusterIPs": ["10.9.8.7"], "type": "ClusterIP"},
            {"type": "ClusterIP"}),
        ("Service", "v1", {"clusterIP": "None", "clusterIPs": ["None"]},
            {"clusterIP": "None", "clusterIPs": ["None"]}),
        ("PersistentVolumeClaim", "v1", {"volumeName": "pv-1", "accessModes": ["ReadWriteOnce"]},
            {"accessModes": ["ReadWriteOnce"]}),
        ("PersistentVolume", "v1", {"claimRef": {"name": "a", "uid": "u"}, "hostPath": {"path": "/"}},
            {"hostPath": {"path": "/"}}),
        ("Job", "batch/v1", {"selector": {"matchLabels": {"controller-uid": "u"}},
            "template": {"metadata": {"labels": {"controller-uid": "u", "mine": "1"}}}},
            {"template": {"metadata": {"labels": {"mine": "1"}}}}),
        ("Job", "batch/v1", {"manualSelector": True, "selector": {"matchLabels": {"job-name": "a"}}},
            {"manualSelector": True, "selector": {"matchLabels": {"job-name": "a"}}}),
    ],
)  # fmt: skip
def test_what_was_handed_out_in_another_cluster_is_left_out(kind, version, spec, wanted):
    data = {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "uid": "u"}, "spec": spec}
    (document,) = read_text(json.dumps(data)).require_sound()
    assert document.data["spec"] == wanted


def test_manifests_that_people_wrote_are_left_as_they_are():
    owner = "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: u}]"
    metadata = f"metadata:\n  name: a\n  creationTimestamp: null\n  {owner}\n"
    text = f"apiVersion: v1\nkind: Pod\n{metadata}status: {{}}\n"
    reading = read_text(text)
    assert reading.documents[0].data["metadata"]["ownerReferences"]
    assert reading.report.assumed == ()


@pytest.mark.parametrize(
    "wrong",
    [
        "ownerReferences: 5",
        "ownerReferences: [5, {}]",
        "annotations: [a]",
        "labels: 5",
        "name: [a]",
        "managedFields: x",
    ],
)
def test_an_odd_export_is_refused_or_taken_but_never_a_crash(wrong):
    for kind in ("Pod", "Service", "Thing", "List", "PersistentVolumeClaim"):
        version = "x.io/v1" if kind == "Thing" else "v1"
        read_text(f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  uid: u\n  {wrong}\nspec: [a]\n")


@pytest.mark.parametrize(
    "address, left",
    [
        ("172.20.4.5", None),
        ("10.95.0.1", None),
        ("10.100.4.5", "10.100.4.5"),
        ("None", "None"),
        ("", ""),
        ("fd00::1", "fd00::1"),
        ("nonsense", "nonsense"),
    ],
)
def test_an_address_of_another_cluster_is_left_off(address, left):
    reading = read_text(
        f"{{apiVersion: v1, kind: Service, metadata: {{name: s}}, spec: {{clusterIP: {address!r}}}}}"
    )
    (service,) = reading.documents
    assert service.data["spec"].get("clusterIP") == left
    told = "Service s: given another clusterIP, as theirs is not of 10.96.0.0/12"
    assert (told in reading.report.assumed) is (left is None)
