"""The gallery: what the scenarios of this package show, as stories by topic, and a cluster that plays one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import yaml

from lifecycle.engine.kinds.registry import entry_of_id, kind_of_json
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.input.manifests import read_documents
from lifecycle.input.scenario import KIND as SCENARIO
from lifecycle.models import DNS_LABEL, Cluster
from lifecycle.runs.forks import find_free_name
from lifecycle.runs.inbox import User
from lifecycle.runs.plans import begin
from lifecycle.simulation import Plan, make_plan
from lifecycle.simulation.stories import find_story, list_stories

# The family of a topic's stories, the topic's name, the story that leads it; in the order of the page.
TOPICS: tuple[tuple[str, str, str], ...] = (
    ("rolling-updates", "Rolling updates", "slow-pre-stop"),
    ("requests", "Lost requests", "requests-lost-in-a-rollout"),
    ("deployments", "Deployments", "sc-dep-14-heals"),
    ("crash-loops", "Crash loops", "crash-loop-liveness-probe"),
    ("probes", "Probes", "s19-startup-never"),
    ("endings", "How pods end", "s15-hook-then-kill"),
    ("sidecars", "Sidecars and init containers", "sidecar-service-mesh"),
    ("stateful-sets", "StatefulSets", "stateful-set-rolling-update"),
    ("daemon-sets", "DaemonSets", "sc-ds-09-rolling-update"),
    ("jobs", "Jobs", "job-back-off-per-index"),
    ("cron-jobs", "CronJobs", "cron-replace"),
    ("autoscaling", "Autoscaling", "hpa-php-apache"),
    ("drains", "Drains and budgets", "s29-drain-with-a-budget"),
    ("nodes", "Nodes and zones", "s24-node-returns-late"),
    ("scheduling", "Scheduling", "s36-scheduling-gates"),
    ("storage", "Storage", "storage-multi-attach"),
    ("replica-sets", "ReplicaSets and ReplicationControllers", "sc-rs-07-five-of-eight"),
    ("managing", "Managing workloads", "manage-canary"),
    ("tutorials", "Tutorials of the documentation", "tutorial-guestbook"),
    ("pods", "More about pods", "s01-plain-pod"),
)


LENGTHS, _MOST_PARTS = ("short", "middling", "long"), (3, 6)
"""How many objects and steps a story has, to know where to begin."""
_OWN_WORD = re.compile(r"\b[A-Z](?=\w*[a-z])(?=\w*[A-Z])[A-Za-z]+\b")
"""`OOMKilled`, `RollingUpdate`: reasons, conditions and values, none of which is an English word."""
_STEP = re.compile(r"  - \{?at: ")


TRIED, MOST_OF_NAME = "try", 50
"""What a cluster is called whose objects have no name for it; a number has to fit behind one."""


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario of the gallery: the name of its file, in a line what it shows, its length.

    `words`: its kinds and what else of Kubernetes' own words it has, by which it is found.
    """

    name: str
    line: str
    length: str
    words: str


@dataclass(frozen=True, slots=True)
class Topic:
    """Stories about one thing; the first is the one to begin with."""

    title: str
    stories: Sequence[Story]


@cache
def list_topics() -> tuple[Topic, ...]:
    """Every story of the gallery, by topic."""
    return tuple(Topic(title, tuple(_list_family(family, lead))) for family, title, lead in TOPICS)


def _list_family(family: str, lead: str) -> list[Story]:
    """The stories of a family: the one that leads, then the short ones before the long ones, by name."""
    paths = [path for path in list_stories().values() if path.parent.name == family]
    found = sorted(map(_read, paths), key=lambda story: (LENGTHS.index(story.length), story.name))
    return sorted(found, key=lambda story: story.name != lead)


def _read(path: Path) -> Story:
    """From the text alone: to read hundreds of manifests takes seconds."""
    lines = path.read_text().splitlines()
    line = next(line for line in lines if line.startswith("  description:"))
    kinds = [line.removeprefix("kind: ") for line in lines if line.startswith("kind: ")]
    steps = sum(1 for line in lines if _STEP.match(line))
    # The Scenario itself counts, and so does each object and each step.
    parts = len(kinds) + steps
    length = next(
        (name for name, most in zip(LENGTHS, _MOST_PARTS, strict=False) if parts <= most), LENGTHS[-1]
    )
    words = dict.fromkeys((*kinds, *(word for one in lines for word in _OWN_WORD.findall(one))))
    words.pop(SCENARIO, None)
    return Story(path.stem, str(yaml.safe_load(line)["description"]), length, " ".join(words))


@lru_cache(maxsize=64)
def find_plan(name: str) -> Plan | None:
    """What a story is made of; None when there is none of that name."""
    if name not in list_stories():
        return None
    return make_plan(read_documents(find_story(name).read_text()))


def name_for(plan: Plan) -> str:
    """What the cluster of some manifests is called: as their first workload, where that may be a name."""
    for data in plan.objects:
        name = str((data.get("metadata") or {}).get("name") or "").replace(".", "-")
        kind = kind_of_json(data)
        is_run = kind.id == POD_KIND.id or entry_of_id(kind.id).is_workload
        if is_run and len(name) <= MOST_OF_NAME and re.match(DNS_LABEL.regex, name):
            return name
    return TRIED


def play(plan: Plan, name: str, user: User) -> Cluster:
    """A new cluster of the user in which a plan's objects are made and its steps will be taken, running.

    It begins now, unless the plan's Scenario says when. ValidationError when its input would give no cluster.
    """
    return begin(plan, find_free_name(name.replace(".", "-"), user), user)
