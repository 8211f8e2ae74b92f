"""The gallery: what the scenarios of this package show, as stories by topic, and a cluster that plays one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path

import yaml
from django.db import transaction

import lifecycle
from lifecycle.input.manifests import read_documents
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.runs.forks import find_free_name
from lifecycle.runs.inbox import User
from lifecycle.simulation import Plan, make_plan

GALLERY = Path(lifecycle.__file__).with_name("scenarios")
# A story is watched, not waited for.
PLAYED_AT_SPEED = 10.0
# A topic's name, the story that leads it, how the names of its stories begin; the first that fits counts.
TOPICS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Rolling updates", "slow-pre-stop", ("nginx", "sc-dep", "slow-pre", "probed", "quota", "sc-wl", "s40")),
    ("Crash loops", "crash-loop-liveness-probe", ("crash-loop", "s05", "s06", "s07", "s08", "s09", "s22")),
    ("Probes", "s19-startup-never", ("s10", "s18", "s19", "s26", "slow-start")),
    ("How pods end", "s15-hook-then-kill", ("s12", "s13", "s14", "s15", "s16", "s17", "s25", "drains")),
    ("Sidecars and init containers", "sidecar-service-mesh", ("sidecar", "s04", "s28", "s31", "s32", "s39")),
    ("StatefulSets", "stateful-set-rolling-update", ("stateful-set", "sc-sts", "s11")),
    ("DaemonSets", "sc-ds-09-rolling-update", ("sc-ds",)),
    ("Jobs", "job-back-off-per-index", ("job", "s02")),
    ("CronJobs", "cron-replace", ("cron",)),
    ("Autoscaling", "hpa-php-apache", ("hpa", "autoscal", "s47", "s48", "s49", "s50", "sc-hpa")),
    (
        "Nodes, drains and budgets",
        "s29-drain-with-a-budget",
        ("node", "drain", "rolling-drain", "budget", "s27", "s29", "s30", "s33", "s34", "s38"),
    ),
    ("Scheduling", "s36-scheduling-gates", ("s36", "sched", "preempt", "spread", "affinity", "priority")),
    ("Storage", "storage-multi-attach", ("storage", "volume", "claim")),
    ("ReplicaSets and ReplicationControllers", "sc-rs-07-five-of-eight", ("sc-rs", "replication")),
    ("Managing workloads", "manage-canary", ("manage",)),
    ("Tutorials of the documentation", "tutorial-guestbook", ("tutorial",)),
    ("More about pods", "s01-plain-pod", ("",)),
)


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario of the gallery: the name of its file, and in a line what it shows."""

    name: str
    line: str


@dataclass(frozen=True, slots=True)
class Topic:
    """Stories about one thing; the first is the one to begin with."""

    title: str
    stories: Sequence[Story]


@cache
def list_topics() -> tuple[Topic, ...]:
    """Every story of the gallery, by topic."""
    by_topic: dict[str, list[Story]] = {title: [] for title, _, _ in TOPICS}
    leads = {lead for _, lead, _ in TOPICS}
    for path in sorted(GALLERY.glob("*.yaml"), key=lambda path: (path.stem not in leads, path.stem)):
        title = next(title for title, _, begins in TOPICS if path.stem.startswith(begins))
        by_topic[title].append(Story(path.stem, _describe(path)))
    return tuple(Topic(title, tuple(stories)) for title, stories in by_topic.items() if stories)


def _describe(path: Path) -> str:
    line = next(line for line in path.read_text().splitlines() if line.startswith("  description:"))
    return str(yaml.safe_load(line)["description"])


@lru_cache(maxsize=64)
def find_plan(name: str) -> Plan | None:
    """What a story is made of; None when there is none of that name."""
    if not any(story.name == name for topic in list_topics() for story in topic.stories):
        return None
    return make_plan(read_documents((GALLERY / f"{name}.yaml").read_text()))


def play(plan: Plan, name: str, user: User) -> Cluster:
    """A new cluster of the user in which a plan's objects are made and its steps will be taken, running.

    It begins now, unless the plan's Scenario says when. ValidationError when its input would give no cluster.
    """
    epoch = None
    if plan.is_epoch_given:
        epoch = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=plan.epoch_ms)
    settings = plan.settings.to_json()
    with transaction.atomic():
        made = inbox.create_cluster(
            user,
            find_free_name(name.replace(".", "-"), user),
            plan.seed,
            epoch,
            settings,
            speed=PLAYED_AT_SPEED,
        )
        for data in plan.objects:
            inbox.append(made, "apply", {"object": dict(data)}, user, pinned_ms=0)
        for step in plan.steps:
            inbox.append(made, step.kind, step.payload, user, pinned_ms=step.at_ms)
    return made
