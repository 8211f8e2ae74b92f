"""What scenarios are drawn of: pod templates whose containers act in a known way, and steps at instants.

How a container acts is said twice: by its script, for a real kubelet, and by the annotation that Podline and
the hollow nodes of this tool obey.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

Json = dict[str, Any]
Step = tuple[str, Any]
"""The kind of a step, and what it takes."""
Drawn = tuple[list[Json], list[Callable[[random.Random], Step]], int]
"""Manifests, the steps that may be taken, and how many seconds it goes on after the last one."""

BEHAVIOR = "podline.dev/behavior"
IMAGES = ("busybox:1.36", "busybox:1.37", "busybox:1.28")
APP = "app"
FIRST_STEP_SECONDS = 6
GAPS_SECONDS = (3, 4, 5, 8)
READY_FILE = "/tmp/ready"


def run_for_ever(end_seconds: int = 0, ready_after_seconds: int | None = 0) -> Json:
    """A container that serves until it is told to stop; `None` is never ready."""
    script = f"trap 'sleep {end_seconds}; exit 0' TERM; "
    behavior: Json = {"runs": [{"forever": True}], "onTerm": {"takes": f"{end_seconds}s", "exit": 0}}
    container: Json = {"name": APP, "image": IMAGES[0], "imagePullPolicy": "IfNotPresent"}
    if ready_after_seconds != 0:
        seen: list[Json] = [{"at": "0s", "result": "failure"}]
        if ready_after_seconds is not None:
            script += f"(sleep {ready_after_seconds}; touch {READY_FILE}) & "
            seen.append({"at": f"{ready_after_seconds}s", "result": "success"})
        behavior["probes"] = {"readiness": seen}
        container["readinessProbe"] = {"exec": {"command": ["test", "-f", READY_FILE]}, "periodSeconds": 1}
    container["command"] = ["sh", "-c", script + "sleep 3600 & wait"]
    return {"container": container, "behavior": behavior}


def end_after(seconds: int, exit_code: int) -> Json:
    """A container that ends by itself, and at once when it is told to."""
    container = {
        "name": APP,
        "image": IMAGES[0],
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", f"trap 'exit 143' TERM; sleep {seconds} & wait; exit {exit_code}"],
    }
    runs = [{"for": f"{seconds}s", "exit": exit_code}]
    return {"container": container, "behavior": {"runs": runs, "onTerm": {"takes": "0s", "exit": 143}}}


def make_template(labels: Json, acts: Json, **spec: Any) -> Json:
    """The template of pods that act so."""
    annotations = {BEHAVIOR: json.dumps({APP: acts["behavior"]}, sort_keys=True)}
    return {
        "metadata": {"labels": dict(labels), "annotations": annotations},
        "spec": {**spec, "containers": [dict(acts["container"])]},
    }


def make_pod(name: str, labels: Json, acts: Json, **spec: Any) -> Json:
    template = make_template(labels, acts, **spec)
    template["metadata"] = {"name": name, **template["metadata"]}
    return {"apiVersion": "v1", "kind": "Pod", **template}


def draw_server(rng: random.Random) -> Json:
    """Most are ready at once; some end slowly, are ready late, or never."""
    end_seconds = rng.choice((0, 0, 0, 3))
    return run_for_ever(end_seconds, rng.choice((0, 0, 0, 4, None)) if rng.random() < 0.5 else 0)


def maybe(rng: random.Random, chance: float, **fields: Any) -> Json:
    """The fields, or none of them."""
    return fields if rng.random() < chance else {}


def merge_patch(kind: str, name: str, patch: Json, **more: Any) -> Step:
    return "patch", {"kind": kind, "name": name, "type": "merge", "patch": patch, **more}


def patch_spec(kind: str, name: str, **spec: Any) -> Step:
    return merge_patch(kind, name, {"spec": spec})


def draw_deletion(rng: random.Random, kind: str, name: str) -> Step:
    policy = rng.choice(("Background", "Foreground", "Orphan"))
    return "delete", {"kind": kind, "name": name, "propagationPolicy": policy}


def set_image(rng: random.Random, kind: str, name: str) -> Step:
    return "setImage", {kind.lower(): name, "container": APP, "image": rng.choice(IMAGES)}


def lay_out(
    rng: random.Random, makers: Sequence[Callable[[random.Random], Step]], most: int, tail_seconds: int
) -> tuple[list[Json], int]:
    """Some of the steps at whole seconds, now and then two at one instant; and where the scenario ends."""
    at, steps = FIRST_STEP_SECONDS, list[Json]()
    for number in range(rng.randint(1, most)):
        if number and rng.random() > 0.1:
            at += rng.choice(GAPS_SECONDS)
        kind, value = rng.choice(makers)(rng)
        steps.append({"at": f"{at}s", kind: value})
        # What is done to an object that is gone is only refused: now and then is enough.
        if kind == "delete" and value["name"] == "web" and rng.random() < 0.6:
            break
    return steps, at + tail_seconds
