"""`podline simulate --kubernetes A,B`: only what comes out otherwise, each with the change behind it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lifecycle
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.releases.known import VERSIONS
from lifecycle.engine.releases.switches import SWITCHES
from lifecycle.engine.releases.tables.gate_changes import GATE_CHANGES
from lifecycle.simulation.command_line import main
from lifecycle.simulation.releases.attribution import attribute
from lifecycle.simulation.releases.levers import GATE, SWITCH, Lever, list_levers

A, B, C = (Lever(SWITCH, name, False) for name in "abc")

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata: {a: b}\n"
ONCE = """
apiVersion: v1
kind: Pod
metadata: {name: once}
spec:
  restartPolicy: Never
  containers: [{name: app, image: busybox, command: [sh, -c, exit 0]}]
"""
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: nginx}]}
"""
GANG = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  workloadRef: {name: w, podGroup: g}
  containers: [{name: app, image: nginx}]
"""
ENDPOINTS = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: old}\n"
BUDGET = (
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: few}\nspec: {minAvailable: 1}\n"
)


@pytest.fixture
def simulate(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    """Runs the command on a manifest: (exit status, what it wrote, what it said)."""

    def run(manifest: str, releases: str, *more: str) -> tuple[int, str, str]:
        (tmp_path / "a.yaml").write_text(manifest)
        status = main([str(tmp_path / "a.yaml"), "--kubernetes", releases, *more])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


# --- which change -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "still_there, found",
    [
        # By difference, in which sets of levers set back it is still there.
        pytest.param(lambda back: "b" not in back, (B,), id="one alone"),
        pytest.param(lambda back: not {"a", "c"} <= back, (A, C), id="two only together"),
        pytest.param(lambda back: True, None, id="none of them"),
        pytest.param(lambda back: not back, (A,), id="each of them: the first will do"),
    ],
)
def test_the_change_is_that_without_which_a_difference_goes_away(still_there, found) -> None:
    def try_without(levers) -> set[str]:
        return {"it"} if still_there({one.name for one in levers}) else set()

    assert attribute({"it"}, [A, B, C], try_without) == ({"it": found} if found else {})


def test_differences_of_several_changes_are_told_apart() -> None:
    behind = {"one": "a", "two": "c", "three": "c"}

    def try_without(levers) -> set[str]:
        return {key for key, name in behind.items() if name not in {one.name for one in levers}}

    assert attribute(behind, [A, B, C], try_without) == {"one": (A,), "two": (C,), "three": (C,)}


def test_without_differences_nothing_is_run() -> None:
    def try_without(levers) -> set[str]:
        raise AssertionError

    assert attribute(set(), [A, B], try_without) == {}


def test_a_gate_that_turns_a_switch_is_told_once() -> None:
    levers = list_levers(Settings(kubernetes="1.35"), Settings(kubernetes="1.36"))
    names = {one.name for one in levers}
    assert "kubeletRelistsOnDemand" in names
    assert "PLEGOnDemandRelist" not in names


def test_every_gate_that_releases_set_otherwise_says_what_it_does() -> None:
    names = [name for name in VERSIONS if name != "v1.23.1"]
    for older, newer in zip(names[1:], names, strict=False):
        for one in list_levers(Settings(kubernetes=older), Settings(kubernetes=newer)):
            assert one.name in (GATE_CHANGES if one.kind == GATE else SWITCHES)


# --- runs -------------------------------------------------------------------------------------------------


def test_what_comes_out_the_same_is_not_told(simulate) -> None:
    assert simulate(MAP, "1.34,1.35,1.36") == (
        0,
        "Kubernetes v1.34 to v1.35: all comes out the same\n\n"
        "Kubernetes v1.35 to v1.36: all comes out the same\n",
        "",
    )


def test_the_order_in_which_releases_are_given_does_not_matter(simulate) -> None:
    assert simulate(MAP, "v1.36, 1.35")[1] == "Kubernetes v1.35 to v1.36: all comes out the same\n"


@pytest.mark.slow
def test_a_container_that_ends_at_once_is_told_running_first_by_the_relist(simulate) -> None:
    status, out, _ = simulate(ONCE, "1.35,1.36", "-o", "json")
    told = json.loads(out)
    (phase,) = [one for one in told["differences"] if one["topic"] == "phase"]
    assert (phase["old"]["values"], phase["new"]["values"]) == (
        ["Pending", "Succeeded"],
        ["Pending", "Running", "Succeeded"],
    )
    assert [one["name"] for one in phase["because"]] == ["kubeletRelistsOnDemand"]
    assert "kubernetes/kubernetes#137362" in phase["because"][0]["upstream"]
    assert (status, told["exit_status"], told["kubernetes"]) == (0, 0, ["v1.35", "v1.36"])
    assert told["schema_version"] == 1


@pytest.mark.slow
def test_terminating_replicas_come_with_their_gate(simulate) -> None:
    _, out, _ = simulate(WEB, "1.34,1.35", "-o", "json")
    found = {
        one["topic"]: [lever["name"] for lever in one["because"]]
        for one in json.loads(out)["differences"]
        if one["kind"] in ("Deployment", "ReplicaSet")
    }
    assert found == {"terminatingReplicas": ["DeploymentReplicaSetTerminatingReplicas"]}


def test_an_input_that_one_release_refuses_is_told_with_what_is_wrong(simulate) -> None:
    status, out, _ = simulate(GANG, "1.35,1.36")
    assert status == 1
    assert out.startswith(
        "Kubernetes v1.35 to v1.36: nothing to compare, since the input is refused\n  v1.36: "
    )
    assert 'unknown field "workloadRef"' in out


def test_an_input_that_all_refuse_is_bad_and_what_to_write_is_told(simulate) -> None:
    status, out, _ = simulate(BUDGET, "1.35,1.36")
    assert status == 2
    assert (
        "PodDisruptionBudget few: policy/v1beta1 PodDisruptionBudget is deprecated since v1.21 and served"
        " until before v1.25: write policy/v1 PodDisruptionBudget (v1.35: gone, v1.36: gone)" in out
    )


def test_deprecated_kinds_are_listed(simulate) -> None:
    _, out, _ = simulate(ENDPOINTS, "1.35,1.36", "-o", "json")
    (api,) = json.loads(out)["apis"]
    assert api["states"] == {"v1.35": "deprecated", "v1.36": "deprecated"}
    assert "use discovery.k8s.io/v1 EndpointSlice" in api["text"]


@pytest.mark.parametrize("more", [("-o", "ndjson"), ("-o", "sarif"), ("--logs", "logs")])
def test_what_is_of_one_run_is_refused(simulate, more) -> None:
    status, _, err = simulate(MAP, "1.35,1.36", *more)
    assert status == 2
    assert "one" in err


STORY = Path(lifecycle.__file__).parent / "scenarios/probes/readiness-by-command-while-ending.yaml"


@pytest.mark.slow
@pytest.mark.parametrize(
    "releases, was",
    [
        pytest.param("1.34,1.35", False, id="v1.35 brought the defect"),
        pytest.param("1.35,1.36", None, id="v1.36 has it still"),
        pytest.param("1.36,1.37", True, id="v1.37 is without"),
    ],
)
def test_a_defect_of_v1_35_shows_beside_the_releases_that_do_not_have_it(simulate, releases, was) -> None:
    _, out, _ = simulate(STORY.read_text(), releases, "-o", "json")
    found = [
        lever["was"]
        for one in json.loads(out)["differences"]
        if (one["name"], one["topic"], one["aspect"]) == ("web", "condition.Ready", "what")
        for lever in one["because"]
        if lever["name"] == "execProbesEndAtTermination"
    ]
    assert found == ([] if was is None else [was])
