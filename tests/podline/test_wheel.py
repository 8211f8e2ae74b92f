"""Who installs the wheel has one package more, and all of the command, on any Python that we name."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from lifecycle.version import VERSION
from tests.podline.conftest import PYTHONS, TOP, clean_environment, run

# What is in the wheel, and that it runs, has short tests in `test_wheel_layout`.
pytestmark = [pytest.mark.deep, pytest.mark.together("wheel")]

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "nginx:1.27", command: [sh, -c, "while true; do sleep 5; done"]}]}
"""
SERVER = ("django", "channels", "celery", "redis", "uvicorn")


@pytest.fixture
def folder(tmp_path):
    """A folder of a user's, with an own package called as one of ours is."""
    (tmp_path / "lifecycle").mkdir()
    (tmp_path / "lifecycle" / "__init__.py").write_text("OWN = 'mine'\n")
    (tmp_path / "web.yaml").write_text(WEB)
    return tmp_path


def list_names(programs: Path) -> set[str]:
    (packages,) = (programs.parent / "lib").glob("python*/site-packages")
    return {path.name for path in packages.iterdir() if not path.name.endswith(".dist-info")}


@pytest.mark.parametrize("version", PYTHONS)
def test_a_bare_environment_runs_manifests_as_a_checkout_does(install, folder, version):
    programs = install(version)
    done = run([programs / "podline", "simulate", "web.yaml"], folder, PYTHONPATH=str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    here = run([sys.executable, TOP / "manage.py", "simulate", "web.yaml"], folder)
    assert done.stdout == here.stdout
    assert json.loads(done.stdout.splitlines()[-1])["why"] == "idle"


def test_the_wheel_adds_one_name(install, wheel):
    programs = install()
    bare = {
        "pip",
        "setuptools",
        "pkg_resources",
        "_distutils_hack",
        "distutils-precedence.pth",
        "__pycache__",
    }
    needed = {"yaml", "_yaml", "orjson", "re2", "_re2.so", "tree_sitter", "tree_sitter_bash", "tzdata"}
    names = {name for name in list_names(programs) if not name.startswith("_re2")}
    assert names - bare - needed == {"podline"}


def test_nothing_of_the_server_is_installed_with_it(install):
    assert not list_names(install()) & {*SERVER}


def test_an_own_package_of_the_same_name_stays_what_it_is(install, folder):
    code = (
        "import lifecycle, podline; podline.simulate('web.yaml'); print(lifecycle.OWN, podline.__version__)"
    )
    done = run([install() / "python", "-c", code], folder, PYTHONPATH=str(folder))
    assert (done.stdout, done.stderr) == (f"mine {VERSION}\n", "")


@pytest.mark.parametrize("command", ["up", "api", "manage", "kubeconfig", "export", "import", "signin"])
def test_commands_of_the_server_say_what_to_install(install, tmp_path, command):
    done = run([install() / "podline", command], tmp_path)
    assert done.returncode == 2
    assert "run pip install 'podline[server]'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_kubectl_finds_the_command(install, tmp_path):
    programs = install()
    assert run([programs / "kubectl-podline", "version"], tmp_path).stdout.startswith(f"podline {VERSION} (")
    assert run([programs / "kubectl-podline", "help"], tmp_path).stdout.startswith("usage: kubectl podline")
    if shutil.which("kubectl"):
        path = f"{programs}:{Path(shutil.which('kubectl')).parent}"
        assert f"podline {VERSION}" in run(["kubectl", "podline", "version"], tmp_path, PATH=path).stdout


def test_what_notebooks_ask_for_is_said_when_it_is_missing(install, folder):
    code = "import podline\ntry: podline.Cluster().figure()\nexcept ImportError as error: print(error)"
    done = run([install() / "python", "-c", code], folder)
    assert done.stdout == "plotly is not installed: run pip install 'podline[notebook]'\n"


def test_in_a_notebook_rows_are_a_frame_and_pods_a_figure(install, folder):
    programs = install("3.11", "pandas", "plotly", "pytest")
    code = (
        "from podline import simulate; c = simulate('web.yaml').cluster; f = c.to_pandas()\n"
        "p = c.figure(); print(len(f) == len(c.rows), str(f['at'].dtype)[:9], type(p).__name__, p.data != ())"
    )
    done = run([programs / "python", "-c", code], folder)
    assert (done.stdout, done.stderr) == ("True timedelta Figure True\n", "")


SUITE = """
import pytest

@pytest.mark.podline(nodes=2, timing="instant")
def test_it_comes_up(podline_cluster):
    podline_cluster.apply("web.yaml")
    podline_cluster.expect("deployment/web Available", within="1m")
    assert len(podline_cluster.list("node")) == 2

def test_each_test_has_its_own(podline_cluster):
    assert podline_cluster.list("deployment") == []
    assert len(podline_cluster.list("node")) == 3

def test_what_fails_says_how_it_was(podline_cluster):
    podline_cluster.apply("web.yaml")
    podline_cluster.expect("deployment/web .status.readyReplicas == 9", within="1m")
"""


def test_the_plugin_gives_each_test_a_cluster(install, folder):
    programs = install("3.11", "pandas", "plotly", "pytest")
    (folder / "test_suite.py").write_text(SUITE)
    done = run(
        [programs / "python", "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider"], folder
    )
    assert "1 failed, 2 passed" in done.stdout
    assert "deployment/web .status.readyReplicas == 9: not so by 60s; seen: 2" in done.stdout
    assert "Deployment default/web: Successfully rolled out." in done.stdout


SERVED = """
import os, subprocess
import pytest
from kubernetes import client, config

def test_clients_of_the_api_see_what_time_brings(podline_api):
    assert podline_api.now_ms == 0
    with config.new_client_from_config(str(podline_api.kubeconfig)) as api:
        with open("web.yaml") as file:
            import yaml
            client.AppsV1Api(api).create_namespaced_deployment("default", yaml.safe_load(file))
        assert podline_api.run_until("deployment/web Available", limit="1m")
        assert client.AppsV1Api(api).read_namespaced_deployment("web", "default").status.ready_replicas == 2

@pytest.mark.podline(nodes=1)
@pytest.mark.skipif("KUBECTL" not in os.environ, reason="no kubectl")
def test_each_test_has_its_own(podline_api):
    kubectl = [os.environ["KUBECTL"], "--kubeconfig", podline_api.kubeconfig]
    done = subprocess.run([*kubectl, "get", "deploy,nodes", "-o", "name"], capture_output=True, text=True)
    assert done.stdout == "node/node-1\\n"
"""


def test_the_plugin_serves_the_api_to_clients(install, folder):
    programs = install("3.11", "podline[server]", "kubernetes", "pytest")
    (folder / "test_suite.py").write_text(SERVED)
    kubectl = {"KUBECTL": found} if (found := shutil.which("kubectl")) else {}
    done = run([programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"], folder, **kubectl)
    assert f"{2 if kubectl else 1} passed" in done.stdout, done.stdout


def test_the_plugin_says_what_an_api_needs(install, folder):
    programs = install("3.11", "pandas", "plotly", "pytest")
    (folder / "test_suite.py").write_text("def test_it(podline_api): pass\n")
    done = run([programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"], folder)
    assert "1 error" in done.stdout
    assert "run pip install 'podline[server]'" in done.stdout


def test_the_server_runs_from_the_wheel(install, tmp_path):
    """`podline up` in a folder of its own, until its first page; `kubeconfig` beside it; and it stops."""
    programs = install("3.11", "podline[server]")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [programs / "podline", "up", "--port", str(port), "--data", tmp_path / "data", "--workers", "1"]
    environment = clean_environment(PODLINE_DATA=str(tmp_path / "data"))
    with subprocess.Popen(
        [str(word) for word in command], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith("Podline is ready: http://127.0.0.1:"), line
            # The link signs in by a cookie.
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(line.split()[-1], timeout=30) as answer:
                page = answer.read().decode()
            assert "<title>Clusters" in page
            config = run(
                [programs / "podline", "kubeconfig", "demo"], tmp_path, PODLINE_DATA=f"{tmp_path}/data"
            )
            assert config.stdout.startswith("apiVersion: v1\nkind: Config")
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
