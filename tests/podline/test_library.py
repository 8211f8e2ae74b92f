"""The library: what notebooks, tests and programs do with a cluster in virtual time."""

from __future__ import annotations

import json
import sys

import pytest

import podline
from lifecycle.simulation.command_line import main
from podline import Cluster, ExpectationFailed, InputRefused, load, simulate

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "nginx:1.27"}]}
"""
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
SCENARIO = "---\napiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec: "


@pytest.fixture
def web(tmp_path):
    path = tmp_path / "web.yaml"
    path.write_text(WEB)
    return path


def test_every_public_name_is_there():
    assert all(getattr(podline, name) is not None for name in podline.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        podline.nothing  # noqa: B018


def test_a_run_is_the_one_of_the_command_line(web, capfdbinary):
    assert main([str(web), "--output", "ndjson", "--seed", "7"]) == 0
    lines = capfdbinary.readouterr().out.splitlines()
    assert simulate(web, seed=7).cluster.rows == [json.loads(line) for line in lines[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "given", [WEB, WEB.strip() + "\n", lambda path: path, str], ids=["text", "stripped", "path", "name"]
)
def test_manifests_are_a_text_a_path_or_a_name(web, given):
    assert simulate(given(web) if callable(given) else given).ok


def test_objects_are_taken_as_they_are():
    made = Cluster().apply(CONFIG_MAP, {**CONFIG_MAP, "metadata": {"name": "b", "namespace": "shop"}})
    assert [(one["metadata"]["name"], one["metadata"]["namespace"]) for one in made] == [
        ("a", "default"),
        ("b", "shop"),
    ]


def test_time_passes_only_when_it_is_told_to():
    cluster = Cluster()
    cluster.apply(WEB)
    assert cluster.now_ms == 0
    cluster.run_for("90s")
    cluster.run_for(500)
    assert cluster.now_ms == 90_500
    assert cluster.run_until("2m")
    assert cluster.now_ms == 120_000


@pytest.mark.parametrize(
    "when, limit, reached, now_ms",
    [
        pytest.param(["1m"], "24h", True, 60_000, id="an instant"),
        pytest.param(["1m", "2m"], "24h", True, 120_000, id="the later of two"),
        pytest.param(["deployment/web Available"], "0s", False, 0, id="no time at all"),
        pytest.param(["deployment/web .status.replicas == 9"], "1m", False, 60_000, id="never"),
        pytest.param(["deployment/web Available", "3m"], "24h", True, 180_000, id="an end and an instant"),
        pytest.param(["5m"], "1m", False, 60_000, id="the limit is before the instant"),
    ],
)
def test_ends_hold_together_or_the_limit_ends_it(when, limit, reached, now_ms):
    cluster = load(WEB)
    assert cluster.run_until(*when, limit=limit) is reached
    assert cluster.now_ms == now_ms


def test_without_an_end_it_runs_until_idle():
    cluster = load(WEB)
    assert cluster.run_until()
    assert [pod["status"]["phase"] for pod in cluster.list("pod")] == ["Running"] * 2
    assert cluster.now_ms < 60_000


def test_what_is_expected_holds_or_says_what_was_seen():
    cluster = load(WEB)
    cluster.expect("deployment/web Available", within="1m")
    with pytest.raises(ExpectationFailed, match=r"== 3: not so; seen: 2\nSuccessfully rolled out"):
        cluster.expect("deployment/web .status.readyReplicas == 3")
    with pytest.raises(AssertionError, match="there is no such object"):
        cluster.expect("deployment/other Available")


def test_objects_are_changed_and_deleted():
    cluster = load(WEB)
    assert cluster.patch("deployment/web", {"spec": {"replicas": 5}})["spec"]["replicas"] == 5
    cluster.expect("deployment/web .status.readyReplicas == 5", within="1m")
    cluster.delete("deployment/web")
    cluster.expect("deployment/web gone")


def test_names_are_looked_for_in_the_namespace_of_the_cluster():
    cluster = load(WEB, namespace="shop")
    cluster.run_until("deployment/web Available")
    assert cluster.why("deployment/web") == cluster.why("deployment/web -n shop")
    assert cluster.get("deployment", "web")["metadata"]["namespace"] == "shop"
    assert cluster.get("deployment", "web", "default") is None
    with pytest.raises(LookupError, match="there is no deployment/web -n default"):
        cluster.why("deployment/web -n default")


@pytest.mark.parametrize(
    "ask, error, said",
    [
        (lambda: simulate("missing.yaml"), InputRefused, "missing.yaml: cannot be read"),
        (lambda: load(WEB.replace("replicas", "replica")), InputRefused, 'unknown field "replica"'),
        (lambda: Cluster().apply({"kind": "Pod"}), InputRefused, "apiVersion"),
        (lambda: Cluster().patch("deployment/web", {}), InputRefused, 'deployments.apps "web" not found'),
        (lambda: load(WEB + SCENARIO + "{until: 1m}"), InputRefused, "are for `simulate`"),
        (lambda: Cluster().list("gadget"), ValueError, "no kind is called 'gadget'"),
        (lambda: Cluster().run_until("soon"), ValueError, '"soon" is neither a duration'),
        (lambda: Cluster().run_for("idle"), ValueError, "'idle' is no duration"),
        (lambda: Cluster(kubernetes="1.2"), ValueError, "1.2"),
        (lambda: Cluster(nodes=-1), ValueError, "nodes"),
        (lambda: Cluster(timing="slow"), ValueError, "slow"),
        (lambda: Cluster(epoch="noon"), ValueError, "noon"),
    ],
)
def test_what_is_wrong_is_said(ask, error, said):
    with pytest.raises(error) as raised:
        ask()
    assert said in str(raised.value)


def test_a_file_that_is_wrong_changes_nothing():
    cluster = Cluster()
    with pytest.raises(InputRefused):
        cluster.apply(CONFIG_MAP, {**CONFIG_MAP, "data": {"a": 1}})
    assert cluster.get("configmap", "a") is None


def test_a_run_says_what_failed():
    run = simulate(WEB + SCENARIO + '{until: 1m, expect: [{always: "deployment/web .status.replicas == 0"}]}')
    assert not run.ok
    assert run.problems[0].startswith('always "deployment/web .status.replicas == 0" failed at ')


def test_a_notebook_shows_a_table_of_verdicts():
    cluster = load(WEB.replace("nginx:1.27", "<b>"))
    cluster.run_until("idle")
    html = cluster._repr_html_()
    assert "<td>Deployment</td><td>default/web</td>" in html
    assert "InvalidImageName" in html
    assert "<b>" not in html
    assert repr(cluster).startswith("<podline.Cluster at ")


def test_what_notebooks_ask_for_is_said_when_it_is_missing(monkeypatch):
    # As Python has it for what is not there.
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(ImportError, match=r"plotly is not installed: run pip install 'podline\[notebook\]'"):
        Cluster().figure()
