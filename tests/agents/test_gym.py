"""Incidents: each is mended by its reference solution and by nothing less, and none gives itself away."""

from __future__ import annotations

import json

import pytest

from lifecycle.engine.kinds.registry import list_entries
from podline.command import main
from podline.gym import Gym, list_incidents
from podline.gym.agents import AGENTS, do_nothing, play, read_why, restart_everything
from podline.gym.causes import CAUSES
from podline.gym.episode import MOST_SLEEP_MS, MOST_STEPS, STEP_MS, list_actions
from podline.gym.incidents import find_incident

pytestmark = pytest.mark.slow
NAMES = list_incidents()
DIFFICULTY = {
    "do-nothing": (0, 0),
    "restart-everything": (1, 0),
    "raise-limits": (3, 0),
    "undo-last-rollout": (12, 0),
    "read-why": (19, 24),
}
"""By agent how many incidents it mends, and of how many it names the cause, as the documentation says."""


def solve(name: str) -> Gym:
    gym = Gym(name)
    for action in list_actions(find_incident(name)):
        told, *_ = gym.step(action, is_scored=False)
        assert "rror" not in told, (name, action, told)
    return gym


def assert_only_the_solution_helps(names):
    wrong = {name: solve(name).score() for name in names}
    assert not {name: score.problems for name, score in wrong.items() if score.score < 1}
    assert not [name for name in names if play(name, do_nothing).score().repaired]


def test_there_are_thirty_and_each_has_a_cause_of_the_list():
    assert len(NAMES) >= 30
    words = {word for name in NAMES for word, _about in find_incident(name).causes}
    assert words <= CAUSES.keys()
    assert len({find_incident(name).title for name in NAMES}) == len(NAMES)


def test_a_solution_mends_and_doing_nothing_does_not():
    assert_only_the_solution_helps(NAMES[::6])


@pytest.mark.deep
def test_every_solution_mends_and_doing_nothing_does_not():
    assert_only_the_solution_helps(NAMES)


@pytest.mark.deep
@pytest.mark.parametrize("agent", AGENTS)
def test_simple_agents_come_to_what_the_table_says(agent):
    scores = [play(name, AGENTS[agent]).score() for name in NAMES]
    told = sum(one.repaired for one in scores), sum(one.named for one in scores)
    assert told == DIFFICULTY[agent]


def test_an_agent_that_reads_mends_what_one_that_restarts_does_not():
    assert play("pods-wait-after-upgrade", read_why).score().score == 1
    assert not play("pods-wait-after-upgrade", restart_everything).score().repaired


def test_what_an_agent_sees_gives_nothing_away():
    gym = Gym("api-restarts-all-day")
    kinds = [one.kind for one in list_entries() if one.served and one.kind.group != "podline.dev"]
    looks = [f"get {kind.resource} -A -o yaml" for kind in kinds]
    for look in (*looks, "events -A", "describe pods -n shop", "describe nodes"):
        told = gym._act(look)
        assert "podline" not in told and "profile" not in told, look
    for look in (
        "get containerprofiles",
        "describe containerprofile profile-0",
        "delete containerprofile profile-0",
    ):
        assert gym._act(look) == 'error: the server doesn\'t have a resource type "containerprofiles"'


@pytest.mark.parametrize(
    "name, actions, problem",
    [
        (
            "api-has-too-few-pods",
            ["delete resourcequota limits -n shop"],
            "resourcequota/limits -n shop exists",
        ),
        (
            "web-unreachable",
            ["delete service web -n shop", "scale deployment/web --replicas=0 -n shop"],
            "gone",
        ),
        ("collector-misses-a-node", ["taint nodes node-3 dedicated-"], "taints[0].key == dedicated"),
        ("web-release-hangs", ["delete deployment web -n shop"], "deployment/web is gone"),
    ],
)
def test_a_repair_that_harms_is_none(name, actions, problem):
    gym = Gym(name)
    for action in (*actions, "sleep 10m", "done"):
        gym.step(action, is_scored=False)
    score = gym.score()
    assert not score.repaired
    assert any(problem in one for one in score.problems), score.problems


def test_no_wait_is_longer_than_half_an_hour():
    gym = Gym("web-unreachable")
    gym.reset()
    before = gym._cluster.now_ms
    gym.step("wait deployment/web --for=condition=Nope --timeout=24h -n shop", is_scored=False)
    assert before + MOST_SLEEP_MS <= gym._cluster.now_ms <= before + MOST_SLEEP_MS + STEP_MS


def test_an_episode_is_the_same_each_time_and_ends():
    tellings = []
    for _ in range(2):
        gym = Gym("web-unreachable")
        first, info = gym.reset()
        assert first.startswith("Everything is green, and nobody reaches web.\n")
        seen = [
            gym.step(action)
            for action in ("get endpoints -n shop", "sleep 1m", "answer wrong-selector svc/web")
        ]
        assert [one[1:4] for one in seen] == [(0.0, False, False)] * 3
        last = gym.step("done")
        tellings.append((seen, last, info))
        assert last[1:3] == (0.5, True)
        with pytest.raises(ValueError, match="over"):
            gym.step("get pods")
    assert tellings[0] == tellings[1]
    gym.reset()
    assert gym.step("answer wrong-selector service/web")[0] == "Taken down: wrong-selector service/web."
    hostile = (
        "",
        "\n",
        "sleep",
        "sleep 99h",
        "sleep -1s",
        "answer",
        "answer x y",
        "answer quota x",
        "exec a -- sh",
    )
    for action in (
        *hostile,
        "apply -f -\nkind: [",
        "annotate deployment web podline.dev/behavior=x -n shop",
        "²" * 50,
    ):
        assert gym.step(action)[1:4] == (0.0, False, False), action
    while not (told := gym.step("get nodes", is_scored=False))[3]:
        assert not told[2]
    assert gym._commands == MOST_STEPS


def test_an_agent_with_a_shell_plays_in_a_folder(tmp_path, capsys):
    folder = str(tmp_path / "episode")
    assert main(["gym", "list"]) == 0
    assert f"{'web-unreachable':<28}Everything is green" in capsys.readouterr().out
    assert main(["gym", "start", "web-unreachable", "-o", folder]) == 0
    assert main(["gym", "start", "web-unreachable", "-o", folder]) == 2
    assert main(["gym", "score", folder]) == 1
    capsys.readouterr()
    patch = '{"spec":{"selector":{"app":"web"}}}'
    assert main(["gym", "do", folder, "--", "patch", "service", "web", "-n", "shop", "-p", patch]) == 0
    assert capsys.readouterr().out == "service/web patched\n"
    assert main(["gym", "do", folder, "answer wrong-selector service/web"]) == 0
    capsys.readouterr()
    assert main(["gym", "score", folder]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "score": 1.0, "repaired": True, "named": True, "commands": 2, "virtual_seconds": 5, "problems": []
    }  # fmt: skip
    for broken in (
        "{",
        "[]",
        '{"format": 1}',
        '{"format": 1, "incident": "../x", "actions": []}',
        "[" * 100_000,
    ):
        (tmp_path / "episode" / "episode.json").write_text(broken)
        assert main(["gym", "do", folder, "get pods"]) == 2
        assert "episode" in capsys.readouterr().err
    assert main(["gym", "do", str(tmp_path / "nosuch"), "get pods"]) == 2
    assert main(["gym", "start", "../nosuch", "-o", folder]) == 2
