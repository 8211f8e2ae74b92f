"""The commands of the documentation, typed into the real kubectl: what it prints, and what then is so."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kube_api.live import Installation, find_kubectl

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]
SERVICE = """apiVersion: v1
kind: Service
metadata: {name: my-nginx-svc, labels: {app: nginx}}
spec: {type: LoadBalancer, ports: [{port: 80}], selector: {app: nginx}}
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: my-nginx, labels: {app: nginx}}
spec:
  replicas: 3
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: "nginx:1.14.2", ports: [{containerPort: 80}]}]}
"""
PI = """apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  backoffLimit: 4
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: pi, image: "perl:5.34.0", command: ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]}
"""


class Shell:
    """kubectl in a namespace and a folder of a test's own."""

    def __init__(self, installation: Installation, folder: Path) -> None:
        self.installation, self.folder = installation, folder
        self.namespace = f"t{time.time_ns() % 10**10}"
        installation.kubectl("create", "namespace", self.namespace)
        self.write("app.yaml", f"{SERVICE}---\n{DEPLOYMENT}")

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, line: str, check: bool = True) -> str:
        """What a shell line prints, where `kubectl` is the real one."""
        kubectl = f'{find_kubectl()} --kubeconfig "$CONFIG" -n {self.namespace} "$@"'
        alias = f"kubectl() {{ {kubectl}; }}; export -f kubectl"
        environment = {
            "CONFIG": str(self.installation.kubeconfig),
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
        }
        environment["EDITOR"] = str(self.folder / "editor")
        done = subprocess.run(
            ["bash", "-c", f"{alias}; {line}"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert not check or done.returncode == 0, (line, done.stdout, done.stderr)
        return done.stdout + (done.stderr if not check else "")

    def get(self, what: str) -> Any:
        return json.loads(self.run(f"kubectl get {what} -o json"))

    def edit_with(self, script: str) -> None:
        """What the editor does to the file it is given."""
        self.write("editor", f"#!/bin/sh\nsed -i '{script}' \"$1\"\n").chmod(0o755)


@pytest.fixture
def shell(installation: Installation, tmp_path: Path) -> Iterator[Shell]:
    made = Shell(installation, tmp_path)
    yield made
    installation.kubectl("delete", "namespace", made.namespace, "--wait=false")


CREATED = "service/my-nginx-svc created\ndeployment.apps/my-nginx created\n"
DELETED = 'deployment.apps "my-nginx" deleted\nservice "my-nginx-svc" deleted\n'


@pytest.mark.spec("MANAGE-01", "MANAGE-02", "MANAGE-03", "MANAGE-04", "MANAGE-06", "MANAGE-08", "MANAGE-09")
def test_several_resources_in_one_file(shell):
    assert shell.run("kubectl apply -f app.yaml") == CREATED
    versions = [int(shell.get(one)["metadata"]["resourceVersion"]) for one in ("svc/my-nginx-svc",)]
    assert versions[0] < int(shell.get("deploy/my-nginx")["metadata"]["resourceVersion"])
    shell.run("kubectl rollout status deploy/my-nginx")
    nodes = {pod["spec"]["nodeName"] for pod in shell.get("pods -l app=nginx")["items"]}
    assert len(nodes) == 3
    out = shell.run("kubectl delete -f app.yaml")
    assert sorted(out.splitlines()) == sorted(DELETED.splitlines())
    shell.write("svc.yaml", SERVICE)
    shell.write("deploy.yaml", DEPLOYMENT)
    assert shell.run("kubectl apply -f svc.yaml -f deploy.yaml") == CREATED
    assert shell.run("kubectl delete deployments/my-nginx services/my-nginx-svc") == DELETED


@pytest.mark.spec("MANAGE-05")
def test_a_manifest_from_an_address(shell):
    serve = "python3 -m http.server 18987 --bind 127.0.0.1 >/dev/null 2>&1 & s=$!; sleep 1"
    out = shell.run(f"{serve}; kubectl apply -f http://127.0.0.1:18987/app.yaml; kill $s")
    assert out == CREATED


@pytest.mark.spec("MANAGE-10", "MANAGE-11", "MANAGE-12")
def test_labels_and_chains_of_commands(shell):
    out = shell.run(
        "kubectl create -f app.yaml -o name | grep service/ | xargs -i bash -c \"kubectl get '{}'\""
    )
    header, row = out.splitlines()
    assert header.split() == ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"]
    name, kind, _ip, external, ports, _age = row.split()
    assert (name, kind, external, ports.partition(":")[0]) == (
        "my-nginx-svc",
        "LoadBalancer",
        "<pending>",
        "80",
    )
    shell.run("kubectl create configmap stays --from-literal=k=v")
    assert shell.run("kubectl delete deployment,services -l app=nginx") == DELETED
    assert shell.get("configmap/stays")["data"] == {"k": "v"}


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: my-config}\n"
CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: my-pvc}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


@pytest.mark.spec("MANAGE-13", "MANAGE-14", "MANAGE-15", "MANAGE-16")
def test_folders(shell):
    shell.write("project/dev/configmap/my-configmap.yaml", CONFIG)
    shell.write("project/dev/pvc/my-pvc.yaml", CLAIM)
    # kubectl's own words differ from version to version; that nothing is found does not.
    refused = shell.run("kubectl apply -f project/dev || echo refused", check=False)
    assert refused.splitlines()[0] == "refused" and shell.get("pvc")["items"] == []
    lines = ["configmap/my-config", "persistentvolumeclaim/my-pvc"]
    assert shell.run("kubectl apply -f project/dev --recursive").splitlines() == [
        f"{one} created" for one in lines
    ]
    shell.write("more/svc.yaml", SERVICE)
    assert shell.run("kubectl apply -f project/dev -f more -R").splitlines() == [
        *(f"{one} unchanged" for one in lines),
        "service/my-nginx-svc created",
    ]
    assert "my-pvc" in shell.run("kubectl get -R -f project/dev")
    assert "Name:" in shell.run("kubectl describe -R -f project/dev")
    assert shell.run("kubectl delete -R -f project/dev").count("deleted") == 2


@pytest.mark.spec("MANAGE-07")
def test_kustomize(shell):
    shell.write("base/app.yaml", DEPLOYMENT)
    shell.write("base/kustomization.yaml", "resources: [app.yaml]\nnamePrefix: dev-\n")
    assert shell.run("kubectl apply -k base") == "deployment.apps/dev-my-nginx created\n"


@pytest.mark.spec("MANAGE-20", "MANAGE-21", "MANAGE-22", "MANAGE-23", "MANAGE-24", "MANAGE-25", "MANAGE-27")
@pytest.mark.spec("MANAGE-47", "MANAGE-48", "MANAGE-49", "KCTL-14")
def test_an_update_without_an_outage(shell):
    said = "deployment.apps/my-nginx"
    assert shell.run("kubectl create deployment my-nginx --image=nginx:1.14.2") == f"{said} created\n"
    made = shell.get("deploy/my-nginx")
    assert made["metadata"]["labels"] == {"app": "my-nginx"} and made["spec"]["replicas"] == 1
    assert shell.run("kubectl scale --replicas=1 deployment/my-nginx") == f"{said} scaled\n"
    patch = '{"spec": {"strategy": {"rollingUpdate": {"maxSurge": "100%" }}}}'
    assert shell.run(f"kubectl patch --type=merge deployment/my-nginx -p '{patch}'") == f"{said} patched\n"
    shell.run("kubectl rollout status deployment/my-nginx --timeout 10m")
    shell.edit_with("s/nginx:1.14.2/nginx:1.16.1/")
    assert shell.run("kubectl edit deployment/my-nginx") == f"{said} edited\n"
    watching = subprocess.Popen(
        [
            *(find_kubectl(), "--kubeconfig", str(shell.installation.kubeconfig), "-n", shell.namespace),
            *("rollout", "status", "deployment/my-nginx"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(0.5)
    before = shell.get("deploy/my-nginx")
    watching.send_signal(signal.SIGINT)
    watching.wait(20)
    # Who stops watching changes nothing.
    assert shell.get("deploy/my-nginx")["spec"] == before["spec"]
    done = shell.run("kubectl rollout status deployment/my-nginx")
    assert done.endswith('deployment "my-nginx" successfully rolled out\n')
    sets = shell.get("rs")["items"]
    assert sorted((one["spec"]["replicas"], one["status"]["replicas"]) for one in sets) == [(0, 0), (1, 1)]


@pytest.mark.spec("MANAGE-26", "MANAGE-28", "MANAGE-29")
def test_rollouts_of_every_workload(shell):
    shell.write("app.yaml", DEPLOYMENT)
    stateful = DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet").replace("my-nginx", "db")
    daemon = DEPLOYMENT.replace("kind: Deployment", "kind: DaemonSet").replace("my-nginx", "agent")
    shell.write("sets.yaml", f"{stateful}---\n{daemon.replace('  replicas: 3', '')}")
    shell.run("kubectl apply -f app.yaml -f sets.yaml")
    assert shell.run("kubectl rollout status statefulsets/db --watch=false", check=False)
    for one in ("deploy/my-nginx", "statefulset/db", "daemonset/agent"):
        shell.run(f"kubectl rollout status {one} --timeout=90s")
    assert shell.run("kubectl rollout pause deploy/my-nginx") == "deployment.apps/my-nginx paused\n"
    assert shell.run("kubectl rollout resume deploy/my-nginx") == "deployment.apps/my-nginx resumed\n"
    shell.run("kubectl set image deploy/my-nginx nginx=nginx:1.16.1")
    shell.run("kubectl rollout status deploy/my-nginx --timeout=90s")
    assert shell.run("kubectl rollout undo deploy/my-nginx") == "deployment.apps/my-nginx rolled back\n"


@pytest.mark.spec("MANAGE-40", "MANAGE-41", "MANAGE-42", "MANAGE-44", "MANAGE-45", "MANAGE-46")
def test_annotating_scaling_and_applying(shell):
    shell.run("kubectl apply -f app.yaml")
    shell.run("kubectl rollout status deploy/my-nginx --timeout=90s")
    pod = shell.get("pods")["items"][0]["metadata"]["name"]
    assert shell.run(f"kubectl annotate pods {pod} description='my frontend'") == f"pod/{pod} annotated\n"
    assert shell.get(f"pod/{pod}")["metadata"]["annotations"]["description"] == "my frontend"
    assert shell.run("kubectl scale deployment/my-nginx --replicas=1") == "deployment.apps/my-nginx scaled\n"
    shell.run("kubectl wait --for=jsonpath='{.status.replicas}'=1 deploy/my-nginx --timeout=60s")
    said = "horizontalpodautoscaler.autoscaling/my-nginx autoscaled\n"
    assert shell.run("kubectl autoscale deployment/my-nginx --min=1 --max=3") == said
    shell.run("kubectl annotate deploy my-nginx live=only")
    shell.write("app.yaml", DEPLOYMENT.replace("1.14.2", "1.16.1"))
    assert shell.run("kubectl apply -f app.yaml") == "deployment.apps/my-nginx configured\n"
    kept = shell.get("deploy/my-nginx")["metadata"]["annotations"]
    assert kept["live"] == "only" and "1.16.1" in kept["kubectl.kubernetes.io/last-applied-configuration"]
    shell.write("config.yaml", CONFIG + "data: {k: v}\n")
    assert (
        shell.run("kubectl apply --server-side -f config.yaml") == "configmap/my-config serverside-applied\n"
    )
    shell.write("config.yaml", CONFIG + "data: {k: other}\n")
    refused = shell.run("kubectl apply --server-side --field-manager=hand -f config.yaml", check=False)
    assert 'conflict with "kubectl": .data.k' in refused
    shell.run("kubectl apply --server-side --field-manager=hand --force-conflicts -f config.yaml")


@pytest.mark.spec("MANAGE-50", "MANAGE-51", "MANAGE-52")
def test_disruptive_updates(shell):
    shell.write("app.yaml", DEPLOYMENT)
    shell.run("kubectl apply -f app.yaml")
    uid = shell.get("deploy/my-nginx")["metadata"]["uid"]
    shell.write("app.yaml", DEPLOYMENT.replace("app: nginx", "app: other"))
    assert "field is immutable" in shell.run("kubectl apply -f app.yaml", check=False)
    out = shell.run("kubectl replace -f app.yaml --force")
    assert out == 'deployment.apps "my-nginx" deleted\ndeployment.apps/my-nginx replaced\n'
    assert shell.get("deploy/my-nginx")["metadata"]["uid"] != uid


@pytest.mark.spec("MANAGE-30", "MANAGE-31", "MANAGE-32", "MANAGE-33")
def test_a_canary(shell):
    def write(name: str, replicas: int, track: str, version: str) -> str:
        labels = f"{{app: guestbook, tier: frontend, track: {track}}}"
        return (
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n"
            f"spec:\n  replicas: {replicas}\n"
            f"  selector: {{matchLabels: {labels}}}\n  template:\n    metadata: {{labels: {labels}}}\n"
            f'    spec: {{containers: [{{name: app, image: "gb-frontend:{version}"}}]}}\n---\n'
        )

    service = SERVICE.replace("selector: {app: nginx}", "selector: {app: guestbook, tier: frontend}")
    shell.write(
        "app.yaml",
        write("frontend", 3, "stable", "v3") + write("frontend-canary", 1, "canary", "v4") + service,
    )
    shell.run("kubectl apply -f app.yaml")
    shell.run(
        "kubectl rollout status deploy/frontend --timeout=90s; kubectl rollout status deploy/frontend-canary"
    )

    def count() -> int:
        slices = shell.get("endpointslices -l kubernetes.io/service-name=my-nginx-svc")["items"]
        return sum(len(one.get("endpoints") or ()) for one in slices)

    assert count() == 4
    shell.run("kubectl set image deploy/frontend app=gb-frontend:v4; kubectl delete deploy/frontend-canary")
    shell.run("kubectl rollout status deploy/frontend --timeout=90s")
    shell.run("kubectl wait --for=delete pod -l track=canary --timeout=60s")
    time.sleep(1)
    images = {pod["spec"]["containers"][0]["image"] for pod in shell.get("pods")["items"]}
    assert images == {"gb-frontend:v4"} and count() == 3


@pytest.mark.spec("JOB-EX-05", "JOB-EX-06", "JOB-EX-09", "JOB-EX-16", "JOB-EX-17", "JOB-EX-18")
def test_the_pi_job(shell):
    shell.write("job.yaml", PI)
    assert shell.run("kubectl apply -f job.yaml") == "job.batch/pi created\n"
    shell.run("kubectl wait --for=condition=complete job/pi --timeout=110s")
    described = shell.run("kubectl describe job pi")
    fields = "Name Namespace Selector Labels Annotations Parallelism Completions".split()
    fields += "Start Completed Duration Pods".split()
    places = [described.index(f"\n{name}" if at else name) for at, name in enumerate(fields)]
    assert places == sorted(places) and "Pod Template:" in described and "Events:" in described
    template = [line.strip() for line in described.partition("Command:")[2].splitlines()]
    assert template[1:4] == ["perl", "-Mbignum=bpi", "-wle"] and template[4] == "print bpi(2000)"
    for line in ("Environment:  <none>", "Mounts:       <none>", "Volumes:         <none>"):
        assert " ".join(line.split()) in " ".join(described.split())
    selector = "--selector=batch.kubernetes.io/job-name=pi --output=jsonpath='{.items[*].metadata.name}'"
    name = shell.run(f"kubectl get pods {selector}")
    assert name.startswith("pi-") and " " not in name
    log = shell.run(f"kubectl logs {name}")
    assert log == shell.run("kubectl logs job/pi")
    assert log.startswith("3.14159265358979") and log.endswith("275901\n") and len(log) == 2002
