"""The preset `instant`: the release's rules, with no latency at all.

What happens in it is what happens where a kubelet looks at its runtime every millisecond, a few of them
earlier. And it is what the source of v1.35 says: worker.go for probes, kuberuntime_manager.go for pulls,
starts and back-offs, pod_workers.go for when a worker comes back.
"""

from typing import Any

import pytest

from tests.engine.kubelet.world import Lane, World

NEARLY = {"preset": "instant", "kubelet_look": "1ms"}
EXEC = {"exec": {"command": ["true"]}}
CRASHES = {"runs": [{"for": "5s", "exit": 1}]}
NEVER = [{"at": "0s", "result": "failure"}]
SLOW_PULL = {"pull": {"takes": "7s"}}
HOOKS = {"postStart": EXEC, "preStop": EXEC}
MISSING = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "none", "key": "a"}}}]
SECONDS = 157
_FIELDS = (".state", ".ready", ".started", ".restartCount", "phase", "condition.Ready")
_REASONS = ("Pulling", "Pulled", "Created", "Started", "Killing", "Failed", "InspectFailed")


def live(timing: Any, apps: tuple[Any, ...], behavior: Any, spec: Any) -> dict[str, list[tuple[int, Any]]]:
    """What has become of a pod, by what changes: instants in ms, and what it was then."""
    world = World(timing=timing)
    assert world.pod(*apps, behavior=behavior, **spec).ok
    told: dict[str, list[tuple[int, Any]]] = {}
    for row in world.to(SECONDS).rows:
        if row["name"] != "web":
            continue
        if row["type"] == "event" and row["reason"] in _REASONS:
            told.setdefault(f"{row['reason']} {row['fieldPath']}", []).append((row["at_ms"], row["count"]))
        elif row["type"] == "transition" and row["field"].endswith(_FIELDS):
            told.setdefault(row["field"], []).append((row["at_ms"], (row["new"], row["reason"])))
    return told


def app(name: str = "app", **fields: Any) -> dict[str, Any]:
    return {"name": name, **fields}


@pytest.mark.parametrize(
    "apps, behavior, spec",
    [
        pytest.param([app()], {"app": CRASHES}, {}, id="crash loop"),
        pytest.param([app()], {"app": {"pull": {"error": "ErrImagePull", "times": 3}}}, {}, id="pulls fail"),
        pytest.param([app(image="A:1")], {}, {}, id="no name of an image"),
        pytest.param([app(imagePullPolicy="Never", image="a:1")], {}, {}, id="an image that is not there"),
        pytest.param([app(env=MISSING)], {}, {}, id="a source that is not there"),
        pytest.param(
            [app()], {"app": {"start": {"error": "RunContainerError", "times": 3}}}, {}, id="starts fail"
        ),
        pytest.param(
            [app("slow", image="a:1"), app(image="b:1")],
            {"slow": SLOW_PULL},
            {},
            id="one start after another",
        ),
        pytest.param(
            [app("slow", image="a:1"), app(image="b:1")],
            {"slow": SLOW_PULL, "app": CRASHES},
            {},
            id="an end beside a pull",
        ),
        pytest.param(
            [app(livenessProbe={**EXEC, "initialDelaySeconds": 3, "periodSeconds": 4})],
            {"app": {"probes": {"liveness": NEVER}}},
            {"terminationGracePeriodSeconds": 1},
            id="liveness",
        ),
        pytest.param(
            [app(readinessProbe={**EXEC, "initialDelaySeconds": 3, "periodSeconds": 4}), app("other")],
            {"app": {"probes": {"readiness": NEVER}}, "other": CRASHES},
            {},
            id="readiness beside what crashes",
        ),
        pytest.param([app(lifecycle=HOOKS), app("other")], {"other": CRASHES}, {}, id="hooks"),
        pytest.param(
            [app()], {"one": {"runs": [{"for": "3s", "exit": 1}]}}, {"init": ("one", "side*")}, id="init"
        ),
    ],
)
def test_it_is_what_ever_shorter_looks_come_to(apps: Any, behavior: Any, spec: Any) -> None:
    now, soon = (live(timing, tuple(apps), behavior, spec) for timing in ("instant", NEARLY))
    assert now.keys() == soon.keys()
    for what, rows in now.items():
        assert [said for _, said in rows] == [said for _, said in soon[what]], what
        late = [later - sooner for (sooner, _), (later, _) in zip(rows, soon[what], strict=True)]
        assert all(0 <= ms < 100 for ms in late), (what, late)


def probed(kind: str, seen: Any, **probe: int) -> World:
    world = World()
    container = app(**{f"{kind}Probe": {**EXEC, **probe}})
    assert world.pod(container, behavior={"app": {"probes": {kind: seen}, "onTerm": {"takes": "0s"}}}).ok
    return world


@pytest.mark.parametrize(
    "probe, seen, ready",
    [
        # Asked for at 0, which is too early and begins its ticks anew.
        pytest.param(
            {"periodSeconds": 4, "initialDelaySeconds": 3, "successThreshold": 2},
            [{"at": "0s", "result": "failure"}, {"at": "12s", "result": "success"}],
            16,
            id="checks at 4, 8, 12 and 16 s",
        ),
        pytest.param({"periodSeconds": 7, "initialDelaySeconds": 8}, [], 14, id="checks at 7 and 14 s"),
        pytest.param({"periodSeconds": 7}, [], 0, id="a check at once"),
    ],
)
def test_readiness_is_asked_with_the_ticks_of_its_worker(probe: Any, seen: Any, ready: int) -> None:
    always: Lane = [(0, "True")] if not ready else [(0, "False"), (ready, "True")]
    assert probed("readiness", seen, **probe).to(60).lane("condition.Ready")[-len(always) :] == always


@pytest.mark.parametrize(
    "kind, probe, starts",
    [
        # The look that kills counts the back-off from the end before: none, 15 s of 10, 15 s of 20.
        pytest.param(
            "startup", {"periodSeconds": 5, "failureThreshold": 3}, [0, 15, 30, 45, 80], id="startup"
        ),
        pytest.param(
            "liveness", {"periodSeconds": 5, "failureThreshold": 3}, [0, 15, 30, 45, 80], id="liveness"
        ),
        pytest.param(
            "liveness",
            {"periodSeconds": 10, "initialDelaySeconds": 4, "failureThreshold": 2},
            [0, 20, 40, 60],
            id="a delay shorter than the period changes nothing",
        ),
    ],
)
def test_what_a_probe_kills_begins_again_in_the_same_look(kind: str, probe: Any, starts: list[int]) -> None:
    world = probed(kind, NEVER, **probe).to(starts[-1] + 1)
    assert world.starts() == starts


def test_the_containers_of_a_pod_start_one_after_the_other() -> None:
    """SyncPod starts them in turn, and its worker tells of them when it is through."""
    world = World()
    slow = {"pull": {"takes": "7s"}, "start": {"takes": "2s"}}
    containers = [app("one", image="a:1"), app("two", image="b:1"), app("three", image="c:1")]
    assert world.pod(*containers, behavior={"one": slow, "two": slow}).ok
    world.to(30)
    begun = {row["fieldPath"]: row["at_ms"] for row in world.rows if row.get("reason") == "Started"}
    assert list(begun.values()) == [9_000, 18_000, 18_000]
    assert [world.starts(name) for name in ("one", "two", "three")] == [[18]] * 3
