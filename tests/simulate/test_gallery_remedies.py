"""Whatever is offered for a workload of a gallery's story was run, and reaches what it says."""

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.remedies import LONG_MS, STEADY_MS, list_remedies, try_remedies
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import run
from lifecycle.simulation.seen import Watch
from lifecycle.simulation.stories import find_story, list_stories
from lifecycle.verdicts import judge_rollout
from tests.texts import read_manifests

SOME = list(list_stories())[::20]
LONGEST_RUN_MS = 60 * 60_000


def check(name: str) -> int:
    """Offer what helps at the end of a story, do each on a copy; how many there were."""
    watch, plan = Watch(), make_plan(read_manifests(find_story(name).read_text()), Overrides())
    _, cluster = run(plan, watch, LONGEST_RUN_MS)
    judged, offered = watch.judge(cluster), 0
    for entry in list_workloads():
        for data in cluster.list(entry.kind.id):
            seen = judged.see(data)
            for one in try_remedies(cluster, seen):
                offered += 1
                assert one.remedy in list_remedies(seen)
                check_one(cluster, seen.kind, data["metadata"], one)
    return offered


def check_one(cluster: Cluster, kind: str, meta, tried) -> None:
    fork = Cluster.load(cluster.save())
    for number, (what, payload) in enumerate(tried.remedy.orders):
        assert fork.submit(Command(id=f"again-{number}", kind=what, payload=payload)).ok, tried.tell()
    seconds = sum(
        int(part.rstrip("ms")) * (60 if part.endswith("m") else 1)
        for part in tried.outcome.partition(",")[0].removeprefix("whole after ").split()
    )
    steady_ms = LONG_MS if tried.remedy.is_long else STEADY_MS
    fork.run_until(cluster.now_ms + seconds * 1000 + steady_ms)
    found = fork.get(kind, meta["namespace"], meta["name"])
    rollout, status = judge_rollout(kind, found), found["status"]
    wanted = status.get("desiredNumberScheduled", found["spec"].get("replicas"))
    assert rollout is None or rollout.is_done, tried.tell()
    assert status.get("readyReplicas", status.get("numberReady", 0)) == wanted, tried.tell()


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_what_is_offered_for_some_stories_helps(name):
    check(name)


@pytest.mark.deep
@pytest.mark.parametrize("name", list(list_stories()))
def test_what_is_offered_for_every_story_helps(name):
    check(name)


def test_a_story_of_a_bad_image_is_offered_something():
    assert check("sc-dep-06-bad-image") >= 1
