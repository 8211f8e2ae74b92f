"""`podline check --kubernetes A,B`: figures and findings that come out otherwise, with the change behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lifecycle.check.command_line import main

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: example.com/web
        readinessProbe: {periodSeconds: 1, httpGet: {port: 80}}
"""


@pytest.fixture
def web(tmp_path: Path) -> str:
    (tmp_path / "web.yaml").write_text(WEB)
    return str(tmp_path / "web.yaml")


@pytest.mark.slow
def test_a_figure_that_comes_out_otherwise_has_its_change(web, capfdbinary) -> None:
    more = ["--ordeals", "rollout-healthy,drain-each", "--jobs", "1", "-o", "json"]
    main([web, "--kubernetes", "1.35,1.36", *more])
    told = json.loads(capfdbinary.readouterr().out)
    assert told["kubernetes"] == ["v1.35", "v1.36"]
    found = [one for one in told["differences"] if one["topic"] == "recoverySeconds"]
    assert found
    for one in found:
        assert one["kind"] == "Ordeal"
        assert one["name"].endswith(" of Deployment/default/web")
        # What is seen at once is over sooner.
        assert int(one["new"]["values"][0]) < int(one["old"]["values"][0])
        assert "kubeletRelistsOnDemand" in [lever["name"] for lever in one["because"]]


@pytest.mark.slow
def test_what_comes_out_the_same_under_both_is_not_told(web, capfdbinary) -> None:
    main([web, "--kubernetes", "1.34,1.35", "--ordeals", "node-cut", "--jobs", "1"])
    out = capfdbinary.readouterr().out.decode()
    assert "containerEventsNameContainer" not in out
    assert "requests" not in out


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(("-o", "sarif"), id="an output of one release"),
        pytest.param(("--against", "main"), id="a comparison with something else"),
        pytest.param(("--scenario", "abc"), id="a counter-example"),
    ],
)
def test_what_is_about_one_release_is_refused(web, capfdbinary, more) -> None:
    assert main([web, "--kubernetes", "1.35,1.36", *more]) == 2
    assert "one release" in capfdbinary.readouterr().err.decode()
