"""Releases are values: each is found by its names, says all there is to say, and all it says is read."""

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from lifecycle.engine.heart.settings import Settings, read_release
from lifecycle.engine.releases import switches
from lifecycle.engine.releases.gates import is_enabled
from lifecycle.engine.releases.known import NOT_RECORDED, find_release, load_releases
from lifecycle.engine.releases.release import MODELLED, Release
from lifecycle.engine.releases.switches import SWITCHES
from lifecycle.engine.schema.tables import load_tables
from tests.recordings.scenario_files import RELEASES
from tests.test_floors import is_in, modules, resolve

# The worker that reads the trees for the floors reads them for these too.
pytestmark = pytest.mark.together("floors")

KNOWN = (
    "v1.37 (v1.37.0, not recorded), v1.36 (v1.36.3), v1.35 (v1.35.6), v1.34 (v1.34.9), v1.23.1 (not recorded)"
)
SETS_GATE = "MaxUnavailableStatefulSet"
NAMES = {getattr(switches, name): name for name in vars(switches) if isinstance(getattr(switches, name), str)}


@pytest.mark.parametrize(
    "text, name",
    [
        ("v1.35", "v1.35"),
        ("1.35", "v1.35"),
        ("v1.35.6", "v1.35"),
        ("1.35.6", "v1.35"),
        ("v1.23.1", "v1.23.1"),
        ("1.23.1", "v1.23.1"),
        ("1.36", "v1.36"),
        ("v1.36.3", "v1.36"),
        ("1.34", "v1.34"),
        ("v1.34.9", "v1.34"),
        ("1.35.0", "v1.35.0"),
        ("v1.36.0", "v1.36.0"),
        ("v1.35.12", "v1.35.12"),
        ("1.37", "v1.37"),
    ],
)
def test_a_release_is_found_by_each_of_its_names(text: str, name: str) -> None:
    assert find_release(text).name == name


@pytest.mark.parametrize(
    "text",
    [
        *("v1.33", "1.99", "v9.9", "1.35,1.36", "1.3", "35", "V1.35", "", "v", "1.23", "1.23.2"),
        *(
            "1.35.",
            "1.35.x",
            "1.35.-1",
            "1.35.00",
            "1.35.06",
            "1.35.1000",
            "1.35.²",
            "1.35.6.1",
            "1.35.0-rc.1",
        ),
    ],
)
@pytest.mark.parametrize("spelling", ["kubernetes", "compatibility"])
def test_an_unknown_release_is_refused_with_those_that_are_known(text: str, spelling: str) -> None:
    with pytest.raises(ValueError) as caught:
        Settings.from_json({spelling: text})
    assert str(caught.value) == f"Kubernetes {text!r} is not modelled; there are {KNOWN}"


@pytest.mark.parametrize(
    "given, name",
    [
        pytest.param({}, "v1.36", id="none is asked for"),
        pytest.param({"kubernetes": "1.35"}, "v1.35", id="asked for"),
        pytest.param({"compatibility": "v1.23.1"}, "v1.23.1", id="in the older spelling"),
        pytest.param({"kubernetes": "1.35", "compatibility": "v1.35.6"}, "v1.35", id="twice the same"),
    ],
)
def test_a_cluster_is_of_the_release_that_it_asks_for(given: dict, name: str) -> None:
    settings = Settings.from_json(given)
    assert settings.release.name == name
    assert Settings.from_saved(settings.to_json()).release is settings.release


def test_two_releases_at_once_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"compatibility is v1.23.1, and kubernetes is v1.35: give kubernetes"
    ):
        Settings(kubernetes="v1.35", compatibility="v1.23.1")


@pytest.mark.parametrize(
    "saved, name",
    [
        pytest.param({}, "v1.35", id="before there was a choice"),
        pytest.param({"compatibility": None}, "v1.35", id="by an older engine"),
        pytest.param({"compatibility": "v1.23.1"}, "v1.23.1", id="by an older engine, as of old"),
        pytest.param({"compatibility": "v9.9"}, "v1.35", id="older engines took any text"),
        pytest.param({"kubernetes": "v1.99"}, "v1.35", id="by a newer engine"),
    ],
)
def test_a_saved_cluster_loads_whatever_it_says_of_its_release(saved: dict, name: str) -> None:
    assert Settings.from_saved(saved).release.name == name
    assert read_release(saved).name == name


@pytest.mark.parametrize(
    "text, is_on",
    [
        # CHANGELOG-1.35.md: beta and on with v1.35.0 (#133153), off again with v1.35.4 (#137926).
        ("1.34.9", False),
        ("1.35.0", True),
        ("1.35.3", True),
        ("1.35.4", False),
        ("1.35.6", False),
        ("1.35.9", False),
        ("1.36.0", False),
    ],
)
def test_a_patch_release_sets_a_gate_as_it_did(text: str, is_on: bool) -> None:
    release = find_release(text)
    assert (release.defaults[SETS_GATE], release.gates[SETS_GATE].default) == (is_on, is_on)
    assert Settings(kubernetes=text).feature_gates[SETS_GATE] is is_on


@pytest.mark.parametrize(
    "text, borrows",
    [
        ("1.35.0", "as v1.35.6, but that MaxUnavailableStatefulSet is on"),
        ("1.35.5", "as v1.35.6"),
    ],
)
def test_a_patch_release_says_of_which_it_is_made(text: str, borrows: str) -> None:
    release = find_release(text)
    assert (release.told, release.version) == (f"not recorded: {borrows}", f"v{text}")
    assert find_release("1.35").told == ""


def test_a_cluster_of_a_patch_release_stays_one() -> None:
    settings = Settings(kubernetes="1.35.0")
    assert Settings.from_saved(settings.to_json()).release is settings.release is find_release("v1.35.0")


# --- switches ---------------------------------------------------------------------------------------------


def test_a_switch_is_as_its_release_has_it_or_as_it_is_given() -> None:
    release = find_release("v1.36")
    assert Settings().switches == release.switches
    given = Settings(switches={"deploymentRollbackEvents": True})
    assert given.switches == {**release.switches, "deploymentRollbackEvents": True}
    assert Settings.from_saved(given.to_json()).switches == given.switches


def test_v1_23_1_differs_in_two_switches() -> None:
    now, then = find_release("v1.35").switches, find_release("v1.23.1").switches
    changed = {name for name in now if now[name] is not then[name]}
    assert changed == {"evictionsIgnorePodGrace", "graceOverrideIsLast"}


@pytest.mark.parametrize(
    "name",
    [
        "cronJobsStartAfterManyMisses",
        "deploymentRollbackEvents",
        "scalingEventsNameFormerSize",
        "statefulSetMaxUnavailableRoundsUp",
    ],
)
def test_what_was_a_flag_of_the_controller_manager_is_read_as_a_switch(name: str) -> None:
    changed = not find_release("v1.35").switches[name]
    for settings in (
        Settings(controller_manager={name: changed, "terminatedPodGCThreshold": 5}),
        Settings.from_saved({"controllerManager": {name: changed, "terminatedPodGCThreshold": 5}}),
    ):
        assert settings.switches[name] is changed
        assert settings.controller_manager == {"terminatedPodGCThreshold": 5}


@pytest.mark.parametrize(
    "given, complaint",
    [
        ({"newSwitch": True}, "unknown switch 'newSwitch'; there are evictionsIgnorePodGrace, "),
        (
            {"deploymentRollbackEvents": "no"},
            "switch deploymentRollbackEvents: 'no' is neither true nor false",
        ),
        ({"deploymentRollbackEvents": 0}, "switch deploymentRollbackEvents: 0 is neither true nor false"),
    ],
)
def test_a_switch_that_cannot_be_set_so_is_refused(given: dict, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        Settings(switches=given)
    assert str(caught.value).startswith(complaint)


def test_a_saved_switch_that_is_known_no_more_is_left_out() -> None:
    saved = {"switches": {"goneLongAgo": True, "deploymentRollbackEvents": True}}
    assert Settings.from_saved(saved).switches["deploymentRollbackEvents"] is True


@pytest.mark.parametrize(
    "given, is_on",
    [
        pytest.param({"kubernetes": "1.35"}, False, id="before the gate"),
        pytest.param({"kubernetes": "1.36"}, True, id="as the gate is"),
        pytest.param(
            {"kubernetes": "1.36", "featureGates": {"PLEGOnDemandRelist": False}}, False, id="gate off"
        ),
        pytest.param(
            {
                "kubernetes": "1.36",
                "featureGates": {"PLEGOnDemandRelist": False},
                "switches": {"kubeletRelistsOnDemand": True},
            },
            True,
            id="said itself",
        ),
    ],
)
def test_a_switch_with_a_gate_follows_it(given: dict, is_on: bool) -> None:
    settings = Settings.from_json(given)
    assert settings.switches["kubeletRelistsOnDemand"] is is_on
    assert Settings.from_saved(settings.to_json()).switches == settings.switches


def test_a_gate_that_the_release_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="unrecognized feature gate 'PLEGOnDemandRelist'"):
        Settings(kubernetes="1.35", feature_gates={"PLEGOnDemandRelist": True})


@pytest.mark.slow
def test_each_switch_is_read_somewhere() -> None:
    """By its constant, as an index: `switches[ROLLBACK_EVENTS]`."""
    names = {NAMES[switch] for switch in SWITCHES}
    read = {
        node.slice.id
        for _name, node in engine_nodes()
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)
        # Only a switch's is worth writing out again.
        if node.slice.id in names and "switches" in ast.unparse(node.value)
    }
    assert names <= read


# --- gates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("release", load_releases(), ids=lambda release: release.name)
def test_a_release_says_all_there_is_to_say(release: Release) -> None:
    assert release.switches.keys() == SWITCHES.keys()
    assert release.defaults.keys() >= MODELLED
    assert all(release.defaults[name] is gate.default for name, gate in release.gates.items())
    assert load_tables(release).kinds[("v1", "Pod")] == "Pod"
    assert release.tables.protobuf.is_file()
    assert find_release(release.name) is find_release(release.version) is release


def test_a_release_without_recordings_does_not_say_that_it_was_recorded() -> None:
    assert {one.name for one in load_releases() if one.is_recorded} == set(RELEASES)


def test_it_is_said_which_releases_are_not_recorded() -> None:
    assert {one.name for one in load_releases() if not one.is_recorded} == NOT_RECORDED
    told = find_release("1.37").told
    assert told.startswith("not recorded: by its release notes ") and told.endswith("and as in v1.36")


def test_gates_are_as_v1_35_sets_them() -> None:
    gates = find_release("v1.35").gates
    found = {
        name: (gates[name].stage, gates[name].default, gates[name].is_locked)
        for name in ("SidecarContainers", "MaxUnavailableStatefulSet", "MemoryQoS", "PodDeletionCost")
    }
    # pkg/features/kube_features.go
    assert found == {
        "SidecarContainers": ("GA", True, True),
        "MaxUnavailableStatefulSet": ("Beta", False, False),
        "MemoryQoS": ("Alpha", False, False),
        "PodDeletionCost": ("Beta", True, False),
    }


@cache
@cache
@cache
def engine_nodes() -> list[tuple[str, ast.Subscript | ast.Call]]:
    """Every index and every call in the engine, by module."""
    return [
        (name, node)
        for name, tree in modules().items()
        if is_in(name, "lifecycle.engine")
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Call)
    ]


def find_lookups() -> Iterator[tuple[str, str]]:
    """What `is_enabled` is asked for, a gate by name, else the expression; and where."""
    for name, node in engine_nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "is_enabled":
            gate = node.args[1]
            text = gate.value if isinstance(gate, ast.Constant) else ast.unparse(gate)
            yield constants_of(name).get(str(text), str(text)), f"{name}:{node.lineno}"


def constants_of(name: str) -> dict[str, str]:
    """Texts that a module gives names to, and those whose names it imports from modules that do."""
    found: dict[str, str] = {}
    for node in modules()[name].body:
        if isinstance(node, ast.ImportFrom) and (source := resolve(name, node)) in modules():
            given = texts_of(source)
            found |= {one.asname or one.name: given[one.name] for one in node.names if one.name in given}
    return found | texts_of(name)


def texts_of(name: str) -> dict[str, str]:
    return {
        target.id: node.value.value
        for node in modules()[name].body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


@pytest.mark.slow
def test_each_gate_that_is_asked_for_is_one_of_a_release() -> None:
    # `one.gate` is of a table, whose gates another test looks at.
    asked = {gate: where for gate, where in find_lookups() if gate != "one.gate"}
    assert len(asked) > 15
    known = {gate for release in load_releases() for gate in release.gates}
    assert not asked.keys() - known, asked
    # Where a release has none of that name, it is told how that release acts.
    assert asked.keys() <= MODELLED | find_release("v1.35").gates.keys()


@pytest.mark.slow
def test_no_gate_has_a_default_beside_its_release() -> None:
    wrong = [
        f"{name}:{node.lineno}"
        for name, node in engine_nodes()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        if name != "lifecycle.engine.releases.gates"
        if ast.unparse(node.func.value).rpartition(".")[2]
        in ("gates", "features", "_features", "feature_gates")
    ]
    assert not wrong, f"ask is_enabled: {wrong}"


@pytest.mark.parametrize(
    "given, expected",
    [
        pytest.param({}, True, id="as the release sets it"),
        pytest.param({"PodDeletionCost": False}, False, id="as given"),
    ],
)
def test_a_gate_is_as_given_or_as_its_release_sets_it(given: dict, expected: bool) -> None:
    assert is_enabled(given, "PodDeletionCost") is expected


def test_a_gate_that_nobody_knows_is_a_bug() -> None:
    with pytest.raises(KeyError):
        is_enabled({}, "PodDeletionCosts")


def test_volumes_of_repositories_cannot_be_turned_on_since_v1_36() -> None:
    """kubernetes/kubernetes#136400. Before, a kubelet could be told to mount them, which is not modelled."""
    locked = "cannot set feature gate GitRepoVolumeDriver to true, feature is locked to false"
    said = "feature gate GitRepoVolumeDriver is not modelled; leave it at false, its default"
    for release, words in (("v1.34", said), ("v1.35", said), ("v1.36", locked)):
        with pytest.raises(ValueError, match=words):
            Settings(kubernetes=release, feature_gates={"GitRepoVolumeDriver": True})
