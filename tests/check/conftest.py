"""One small application, checked once for all tests: its pods are killed hard when they are to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifecycle.check import checking
from lifecycle.check.asking.places import Places
from lifecycle.check.checking import Checked, check
from lifecycle.check.film import Films
from lifecycle.check.findings import Finding
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.report import Report
from lifecycle.check.settled import settle
from lifecycle.input.manifests import read_documents
from lifecycle.lean_dataclasses import replace
from lifecycle.simulation.plan import make_plan

TRIED = ("rollout-healthy", "drain-each", "node-crash")
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {podline.dev/behavior: "app: {onTerm: {ignore: true}}"}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: app, image: "web:1", ports: [{containerPort: 80}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


@pytest.fixture(scope="session")
def checked() -> Checked:
    """Two futures of each ordeal in TRIED."""
    settled = settle(make_plan(read_documents(WEB, "web.yaml")))
    return check(settled, [one for one in list_ordeals() if one.name in TRIED], (1, 2))


@pytest.fixture(scope="session")
def report(checked: Checked, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """As the command makes it of a file called web.yaml."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("manifests"))
        Path("web.yaml").write_text(WEB)
        places = Places(read_documents(WEB, "web.yaml"))
    find_film = Films(checked.settled).find
    return Report(checked, places.find, lambda one: f"podline check web.yaml --scenario {one.id}", find_film)


@pytest.fixture
def uncured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for what helps, which takes ten times as long as the check itself."""
    monkeypatch.setattr(checking, "cure", lambda *_: [])


def find(report: Report, ordeal: str, claim: str) -> Finding:
    """The one finding of a claim about an ordeal."""
    (found,) = (one for one in report.findings if (one.ordeal, one.claim) == (ordeal, claim))
    return found


def say(report: Report, text: str) -> Report:
    """The same report, whose first finding says this, and came about by it."""
    first, *others = report.findings
    violation = first.worst.violation._replace(text=text)
    told = replace(first, worst=first.worst._replace(violation=violation), because=(text,))
    return replace(report, checked=replace(report.checked, findings=(told, *others)))
