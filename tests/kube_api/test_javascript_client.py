"""The official JavaScript client: an informer, patches, server-side apply, exec, metrics and deletions."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.kube_api.live import Installation

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]

HERE = Path(__file__).parent / "javascript"
INSTALL_SECONDS, RUN_SECONDS = 300, 240


def skip(why: str) -> None:
    """Nothing is tested, and the run says so loudly."""
    message = f"NO JAVASCRIPT CLIENT: nothing of it is tested; {why}"
    warnings.warn(message, stacklevel=2)
    pytest.skip(message)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script, beside the client library as npm gives it."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip("install Node.js and npm")
    folder = tmp_path_factory.mktemp("javascript")
    for name in ("package.json", "client.mjs"):
        shutil.copy(HERE / name, folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        skip("npm reached no registry in time")
    else:
        if done.returncode:
            skip(f"npm could not install it: {done.stderr[-300:]}")
    return folder / "client.mjs"


@pytest.fixture
def told(installation: Installation, client: Path) -> Any:
    """What the client saw."""
    installation.kubectl("create", "namespace", "javascript")
    done = subprocess.run(
        ["node", str(client), str(installation.kubeconfig), "javascript"],
        cwd=client.parent,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
    return json.loads(done.stdout)


def test_the_client_of_javascript(told):
    seen = told.pop("informer")
    assert told == {
        "created": "RollingUpdate",
        "listed": 2,
        "chosen": 0,
        "patched": ["nginx:1.28"],
        "operated": 3,
        "conflict": [409, "Conflict"],
        "applied": 1,
        "missing": 404,
        "allowed": True,
        "exec": "Success",
        "said": "from within\n",
        "metrics": "PodMetricsList",
    }
    by_verb = {verb: [name for one, name in seen if one == verb] for verb in ("add", "delete")}
    assert sorted(by_verb["add"]) == sorted(by_verb["delete"]), "each came once and went once"
    assert len(by_verb["add"]) == len(set(by_verb["add"])) >= 4
    for name in by_verb["add"]:
        verbs = [verb for verb, one in seen if one == name]
        assert verbs[0] == "add" and verbs[-1] == "delete"
