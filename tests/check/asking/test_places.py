"""A finding points at the line of the field that its best remedy changes."""

import pytest

from lifecycle.check.asking.places import Places
from lifecycle.check.findings import Finding, Seen
from lifecycle.check.scene import SERIOUS, Violation
from lifecycle.input.manifests import read_documents

TEXT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: app
        image: web:1
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 1
"""
WEB, BUDGET = "Deployment/default/web", "PodDisruptionBudget/default/web"


@pytest.mark.parametrize(
    "changed, path, line",
    [
        pytest.param(WEB, ("spec", "template", "spec", "containers", 0, "image"), 9, id="its own field"),
        pytest.param(BUDGET, ("spec", "minAvailable"), 15, id="a field of another object"),
        pytest.param("ResourceQuota/default/team", ("spec",), 1, id="an object of nobody's file"),
        pytest.param("", (), 1, id="no remedy, and nothing written of what decides it"),
    ],
)
def test_a_finding_points_at_the_field_at_fault(changed, path, line):
    seen = Seen(Violation("budget-kept", WEB, SERIOUS, 0, ""), None, 1)
    finding = Finding("drain-each", "budget-kept", WEB, seen, 1, 1, field_object=changed, field_path=path)
    assert Places(read_documents(TEXT, "web.yaml")).find(finding).line == line
