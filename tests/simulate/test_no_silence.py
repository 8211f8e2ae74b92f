"""What Kubernetes would not schedule, create or mount: a run shows the same, or says that it does not."""

import pytest
import yaml

from lifecycle.input.scenario import read_until
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.summaries import describe_assumed
from tests.simulate.running import run_plan
from tests.texts import read_manifests

APART = "3 node(s) didn't match pod anti-affinity rules"
NEAR = "3 node(s) didn't match pod affinity rules"
SKEWED = "3 node(s) didn't match pod topology spread constraints (missing required label)"
ON_HOSTS = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
AFFINE = {"requiredDuringSchedulingIgnoredDuringExecution": [ON_HOSTS]}
ON_NOBODY = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}
ALONE = {"requiredDuringSchedulingIgnoredDuringExecution": [ON_NOBODY]}
SPREAD = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}
ON_CLAIM = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "yesterday"}
LOCALHOST = {"seccompProfile": {"type": "Localhost", "localhostProfile": "absent.json"}}


def web(replicas=5, container=None, **pod):
    labels = {"app": "web"}
    containers = [{"name": "web", "image": "nginx", **(container or {})}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers, **pod}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def of(kind, spec):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "data"}, "spec": spec}


def run_for_a_minute(objects):
    plan = make_plan(read_manifests(yaml.safe_dump_all(objects)), Overrides(untils=(read_until("1m"),)))
    return plan, run_plan(plan)


@pytest.mark.slow
@pytest.mark.parametrize(
    "objects, told",
    [
        pytest.param(
            [web(**ON_CLAIM), of("PersistentVolumeClaim", CLAIM | {"dataSource": SNAPSHOT})],
            "the volume is made empty", id="a volume filled from a snapshot",
        ),
        pytest.param(
            [web(resourceClaims=[{"name": "gpu", "resourceClaimName": "nope"}])],
            "pods run without the devices they claim", id="a device nobody has",
        ),
        pytest.param([web(securityContext=LOCALHOST)], "is taken to be on every node", id="a profile"),
        pytest.param(
            [web(volumes=[{"name": "data", "image": {"reference": "quay.io/absent:1"}}])],
            "the image is not pulled, and none of its files is there", id="a volume of an image",
        ),
        pytest.param(
            [web(volumes=[{"name": "data", "hostPath": {"path": "/run/a.sock", "type": "Socket"}}])],
            "is taken to be on every node", id="a socket of the node",
        ),
        pytest.param(
            [web(volumes=[{"name": "data", "hostPath": {"path": "/data", "type": "Directory"}}])],
            "what its type asks for is taken to be on every node", id="a folder of the node",
        ),
        *(
            pytest.param(
                [web(volumes=[{"name": "data", source: value}])], f"spec.volumes[].{source} ", id=source
            )
            for source, value in {
                "csi": {"driver": "nobody.example.com"},
                "nfs": {"server": "nfs.example.com", "path": "/"},
                "iscsi": {"targetPortal": "192.0.2.1", "iqn": "iqn.2001-04.com.example:a", "lun": 0},
            }.items()
        ),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_said(objects, told):
    plan, run = run_for_a_minute(objects)
    assert any(told in note for note in plan.notes)
    assert run.outcome.exit_status == 0


PORT = "3 node(s) didn't have free ports for the requested pod ports"


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, running, said",
    [
        pytest.param(web(container={"ports": [{"containerPort": 80, "hostPort": 80}]}), 3, PORT, id="ports"),
        pytest.param(
            web(container={"ports": [{"containerPort": 80}]}, hostNetwork=True), 3, PORT, id="its host's"
        ),
        pytest.param(web(affinity={"podAntiAffinity": AFFINE}), 3, APART, id="a node for each"),
        pytest.param(web(affinity={"podAffinity": ALONE}), 0, NEAR, id="beside pods nobody has"),
        pytest.param(web(topologySpreadConstraints=[SPREAD]), 0, SKEWED, id="spread over zones"),
        pytest.param(web(schedulerName="volcano"), 0, None, id="a scheduler nobody runs"),
        pytest.param(
            web(priorityClassName="high-priority"), 0,
            "no PriorityClass with name high-priority was found", id="a priority nobody has",
        ),
        pytest.param(
            web(runtimeClassName="gvisor"), 0, 'RuntimeClass "gvisor" not found', id="a runtime nobody has"
        ),
        pytest.param(
            web(imagePullSecrets=[{"name": "missing"}]), 5,
            "Unable to retrieve some image pull secrets (missing)", id="a secret for a registry",
        ),
    ],
)  # fmt: skip
def test_what_keeps_pods_from_running_does(spec, running, said):
    _, run = run_for_a_minute([spec])
    warnings = [row["message"] for row in run.rows if row.get("eventType") == "Warning"]
    assert sum(pod["status"]["phase"] == "Running" for pod in run.cluster.list("Pod")) == running
    assert warnings == [] if said is None else any(said in text for text in warnings)


def test_storage_that_is_taken_for_granted_is_said_at_the_end():
    fast = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}}
    claims = [of("PersistentVolumeClaim", CLAIM), {**fast, "provisioner": "ebs.csi.aws.com"}]
    _, run = run_for_a_minute([web(1, **ON_CLAIM), *claims])
    said = list(describe_assumed(run.cluster))
    assert any("StorageClass podline-default is made" in line and "default/data" in line for line in said)
    assert "assumed: StorageClass fast: the driver ebs.csi.aws.com is taken to be there" in "\n".join(said)
    assert [pod["status"]["phase"] for pod in run.cluster.list("Pod")] == ["Running"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param(
            {"storageClassName": "nope"},
            'storageclass.storage.k8s.io "nope" not found',
            id="a class nobody has",
        ),
        pytest.param(
            {"storageClassName": ""}, "no persistent volumes available", id="no class and no volume"
        ),
        pytest.param({"volumeName": "none", "storageClassName": ""}, None, id="a volume nobody has"),
    ],
)
def test_a_claim_that_nothing_binds_keeps_its_pods_waiting(spec, said):
    plan, run = run_for_a_minute([web(1, **ON_CLAIM), of("PersistentVolumeClaim", CLAIM | spec)])
    unbound = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    told = [row["message"] for row in run.rows if row["type"] == "event"]
    assert unbound in told
    assert said is None or any(said in text for text in told)
    assert any("StorageClass nope" in line for line in plan.missing) == (
        spec.get("storageClassName") == "nope"
    )
    assert [pod["status"]["phase"] for pod in run.cluster.list("Pod")] == ["Pending"]


@pytest.mark.parametrize(
    "container, told",
    [
        pytest.param(
            {"image": "ngnix:1.27"}, ["nobody knows ngnix:1.27: did you mean nginx:1.27?"], id="typed wrong",
        ),
        pytest.param(
            {"image": "bussybox", "command": ["sleep", "1d"]},
            ["nobody knows bussybox: did you mean busybox?"], id="whatever it runs",
        ),
        pytest.param({"image": "shop/api:1"}, [], id="somebody's own"),
        pytest.param({"image": "nginx:1.27"}, [], id="known"),
    ],
)  # fmt: skip
def test_an_image_that_is_nearly_a_known_one_is_asked_about(container, told):
    _, run = run_for_a_minute([web(container=container)])
    asked = [line for line in describe_assumed(run.cluster) if "did you mean" in line]
    assert asked == [f"{line} Try it: --unknown-images meant" for line in told]
