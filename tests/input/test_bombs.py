"""A few hundred bytes that would fill the memory are answered at once, in few words, wherever they arrive."""

import json
import time
import tracemalloc

import pytest

from lifecycle.admin.spec_form import read_spec
from lifecycle.engine import Cluster, Command
from lifecycle.engine.heart.settings import FEATURE_DEFAULTS, Settings
from lifecycle.engine.heart.trace import EventRow
from lifecycle.engine.programs.behavior_yaml import read_annotation
from lifecycle.engine.programs.profiles import read_profile
from lifecycle.input.manifest_admission import list_problems
from lifecycle.input.manifests import ManifestError, read_documents
from lifecycle.simulation import make_plan
from tests.seeds import each_once
from tests.simulate.running import run_plan
from tests.texts import read_manifests, read_text

pytestmark = pytest.mark.slow

BEHAVIOR = "podline.dev/behavior"
NOTE_LIMIT = 1024


def make_bomb(levels, leaf="x"):
    """Nine entries, each of nine entries, each of nine ...: the last level expands to 9 ** levels values."""
    lines = [f"a0: &a0 [{', '.join([leaf] * 9)}]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines)


def pod_with_behavior(behavior):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "annotations": {BEHAVIOR: behavior}},
        "spec": {"containers": [{"name": "web", "image": "nginx"}]},
    }


def on_page(bomb):
    (document,) = read_text(json.dumps(pod_with_behavior(bomb))).require_sound()
    if problems := list_problems(document):
        raise ManifestError(problems)


def in_simulate(bomb):
    make_plan(read_manifests(json.dumps(pod_with_behavior(bomb))))


def in_profile(bomb):
    head = (
        "apiVersion: podline.dev/v1alpha1\nkind: ContainerProfile\nmetadata: {name: a}\nspec:\n  behavior:\n"
    )
    indented = "\n".join(f"    {line}" for line in bomb.splitlines())
    make_plan(read_manifests(head + indented))


def in_admin(bomb):
    template = "".join(f"\n        {line}" for line in bomb.splitlines())
    annotations = f"{{{BEHAVIOR}: {json.dumps(bomb)}}}"
    stored = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {}}
    read_spec(
        f"template:\n  metadata:\n    labels: {{a: b}}\n    annotations: {annotations}\n"
        f"  spec:\n    containers:\n    - name: web\n      image: b\n      env:{template}",
        stored,
        FEATURE_DEFAULTS,
    )


@pytest.fixture
def frugal():
    """What the test does takes less than a second and 50 MB."""
    tracemalloc.start()
    started = time.process_time()
    yield
    seconds, (_, peak_bytes) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Memory is traced at the cost of some time.
    assert seconds < 3
    assert peak_bytes < 50_000_000


@pytest.mark.parametrize(
    "levels, surface", each_once([4, 6, 12], [on_page, in_simulate, in_profile, in_admin])
)
def test_a_bomb_in_a_manifest_is_refused_in_few_words(surface, levels, frugal):
    with pytest.raises(ManifestError) as caught:
        surface(make_bomb(levels))
    assert len(str(caught.value)) < 60 * 1024


@pytest.mark.parametrize("levels", [4, 6, 12])
def test_a_bomb_that_a_step_or_a_command_brings_is_told_in_notes_of_the_usual_length(levels, frugal):
    """What was not looked at before is taken, as by Kubernetes, and what cannot be read of it is left out."""
    step = {"at": "1s", "create": pod_with_behavior(make_bomb(levels))}
    scenario = {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "a"},
        "spec": {"steps": [step], "until": "10s"},
    }
    run = run_plan(make_plan(read_manifests(json.dumps(scenario))))
    told = [row["message"] for row in run.rows if row.get("reason") == "UninterpretedBehavior"]
    assert run.outcome.exit_status == 0
    assert told
    assert all(len(text) <= NOTE_LIMIT for text in told)
    cluster = Cluster(1, 0, Settings.from_json({"nodes": {"count": 1}}))
    assert cluster.submit(Command("one", "create", {"object": pod_with_behavior(make_bomb(levels))})).ok


def test_a_long_word_is_shown_by_its_ends():
    (problem,) = read_annotation(f"web: {{pull: {{takes: {'x' * 100_000}}}}}").problems
    assert "'xxx" in problem.text
    assert len(problem.text) < 400


def test_a_reason_is_no_longer_than_a_message():
    reading = read_annotation(f"web: {{pull: {{error: {'x' * 1025}}}, start: {{error: {'x' * 1024}}}}}")
    assert [problem.path.rpartition(".web.")[2] for problem in reading.problems] == ["pull.error"]
    assert reading.behaviors["web"].start.error == "x" * 1024


def test_a_note_is_cut_at_what_an_event_takes():
    """A reason of the longest kind, with the words around it, is longer than that."""
    cluster = Cluster(1, 0, Settings.from_json({"nodes": {"count": 1}}))
    pod = pod_with_behavior(f"web: {{pull: {{error: {'x' * 1024}}}}}")
    assert cluster.submit(Command("one", "create", {"object": pod})).ok
    cluster.run_until(30_000)
    rows = cluster.take_changes().rows
    lengths = {len(row.message) for row in rows if isinstance(row, EventRow)}
    assert max(lengths) == NOTE_LIMIT


def test_of_very_many_mistakes_the_first_are_told():
    problems = read_annotation("\n".join(f"{'k' * 500}{number}: 1" for number in range(500))).problems
    assert 10 < len(problems) <= 100
    assert all(len(str(problem)) < 650 for problem in problems)
    assert len(read_profile({"spec": {"behavior": {f"k{number}": 1 for number in range(5000)}}})[1]) <= 100


def test_aliases_of_one_long_text_are_a_bomb_too(frugal):
    """A text of a million letters, named a thousand times, is a gigabyte of JSON."""
    text = f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 1000)}]"
    with pytest.raises(ManifestError, match="aliases expand to more than 3,145,728 characters"):
        read_documents(text)
