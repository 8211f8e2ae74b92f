"""The same input gives the same history, however it is cut into slices, saved and loaded."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifecycle.engine import Cluster
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.simulation.stories import find_story
from tests.simulate.running import MANIFESTS, plan_of, run_file, run_plan

ROLLOUT = find_story("nginx-rolling-update")
END_MS = 180_000


def advance(cluster, plan, from_ms, to_ms, rows):
    """Run on with the plan's steps at their instants, keeping the rows."""
    steps = [step for step in plan.steps if from_ms < step.at_ms <= to_ms]
    for at_ms in [*sorted({step.at_ms for step in steps}), to_ms]:
        cluster.run_until(at_ms)
        for number, step in enumerate(plan.steps, 1):
            if step in steps and step.at_ms == at_ms:
                submit(cluster, f"step-{number}", step.kind, step.payload)
                steps.remove(step)
    rows += [row_to_json(row) for row in cluster.take_changes().rows]


def submit(cluster, id, kind, payload):
    from lifecycle.engine import Command

    assert cluster.submit(Command(id=id, kind=kind, payload=payload)).ok


def start(plan):
    cluster = Cluster(seed=plan.seed, epoch_ms=plan.epoch_ms, settings=plan.settings)
    for number, data in enumerate(plan.objects, 1):
        submit(cluster, f"manifest-{number}", "apply", {"object": data})
    return cluster


def history(borders, seed=1, save_at=()):
    plan = plan_of(ROLLOUT, seed=seed)
    cluster, rows, now_ms = start(plan), [], 0
    for border_ms in [*borders, END_MS]:
        advance(cluster, plan, now_ms, border_ms, rows)
        now_ms = border_ms
        if border_ms in save_at:
            cluster = Cluster.load(json.loads(json.dumps(cluster.save())))
    return rows


@pytest.fixture(scope="module")
def uncut():
    return history([])


def test_a_thousand_slices_change_nothing(uncut):
    assert history(range(180, END_MS, 180)) == uncut


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(instants=st.lists(st.integers(0, END_MS - 1), min_size=1, max_size=4, unique=True).map(sorted))
def test_saving_and_loading_at_any_instant_changes_nothing(uncut, instants):
    assert history(instants, save_at=instants) == uncut


@pytest.mark.slow
def test_another_seed_gives_another_history(uncut):
    assert history([], seed=2) != uncut
    assert run_file(ROLLOUT, seed=2).hash != run_file(ROLLOUT, seed=1).hash


@pytest.mark.slow
def test_hash_seeds_of_python_do_not_matter():
    hashes = set()
    for hash_seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "manage.py", "simulate", str(ROLLOUT), "--output", "ndjson"],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed, "PATH": ""},
            cwd=MANIFESTS.parents[2],
            text=True,
        )
        hashes.add(json.loads(done.stdout.splitlines()[-1])["hash"])
    assert len(hashes) == 1


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(MANIFESTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_public_manifests_run_as_they_are(path):
    first, second = run_file(path), run_plan(plan_of(path))
    assert first.hash == second.hash
    assert first.outcome.exit_status == 0
    assert first.rows
