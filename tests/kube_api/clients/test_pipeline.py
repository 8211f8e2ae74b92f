"""A release, a broken one and a return, by helm at speed `auto`: the same history each time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.kube_api.live import Installation, find_program

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]

CHART = """apiVersion: v2
name: shop
version: 1.0.0
"""
WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  progressDeadlineSeconds: 60
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: {{ .Values.image }}
        ports: [{containerPort: 80}]
        readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 20}
"""
MIGRATION = """apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1.37", command: [sh, -c, sleep 30]}]
"""
BROKEN = """apiVersion: podline.dev/v1alpha1
kind: ContainerProfile
metadata: {name: broken}
spec: {match: {image: "nginx:broken"}, behavior: {pull: {error: ErrImagePull}}}
"""


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    templates = tmp_path / "shop" / "templates"
    templates.mkdir(parents=True)
    (tmp_path / "shop" / "Chart.yaml").write_text(CHART)
    (templates / "web.yaml").write_text(WEB)
    (templates / "migration.yaml").write_text(MIGRATION)
    return tmp_path / "shop"


def run(installation: Installation, name: str, chart: Path, home: Path) -> list[str]:
    """A new cluster, the pipeline in it, and its history: transitions and events."""
    installation.manage("cluster", "create", name, "--speed", "auto", "--epoch", "2026-01-01T00:00:00Z")
    config = home / f"{name}.kubeconfig"
    config.write_text(installation.manage("kubeconfig", name))
    environment = {**os.environ, "HOME": str(home), "KUBECONFIG": str(config)}

    def call(program: str, *arguments: str, code: int = 0, stdin: str = "") -> str:
        done = subprocess.run(
            [find_program(program), *arguments],
            env=environment, input=stdin, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def ship(image: str, code: int = 0) -> str:
        wait = ("--wait", "--rollback-on-failure", "--timeout", "60s")
        return call(
            "helm", "upgrade", "--install", "shop", str(chart), "--set", f"image={image}", *wait, code=code
        )

    def read_image() -> str:
        path = "jsonpath={.spec.template.spec.containers[0].image} {.status.readyReplicas}"
        return call("kubectl", "get", "deployment", "web", "-o", path)

    call("kubectl", "apply", "-f", "-", stdin=BROKEN)
    ship("nginx:1.27")
    ship("nginx:1.28")
    assert "Progress deadline exceeded" in ship("nginx:broken", code=1)
    assert read_image() == "nginx:1.28 2"
    call("helm", "rollback", "shop", "1", "--wait", "--timeout", "60s")
    assert read_image() == "nginx:1.27 2"
    return [installation.manage("export", name, "--what", what) for what in ("transitions", "events")]


@pytest.mark.spec("MANAGE-53")
def test_a_broken_release_goes_back_and_the_same_pipeline_makes_the_same_history(
    installation: Installation, chart: Path, tmp_path: Path
) -> None:
    if subprocess.check_output([find_program("helm"), "version", "--short"], text=True).startswith("v3"):
        pytest.skip("helm 3 has no --rollback-on-failure, and waits for its own timeout")
    first, second = (run(installation, name, chart, tmp_path) for name in ("pipeline-1", "pipeline-2"))
    transitions, events = first
    assert "ErrImagePull" in events and "Progressing" in transitions
    assert first == second
