"""A cluster's story as a Scenario: what it is made from, what was asked of it and when, how it stands now.

Played by `manage.py simulate` or in another cluster it comes out the same, and its claims hold; so it can be
kept as a test, sent to somebody, or begun from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import yaml

from lifecycle.engine.heart.settings import read_release
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.times import format_time
from lifecycle.input.scenario import API_VERSION, KIND, format_duration
from lifecycle.input.scenario_steps import READERS
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs.inbox import is_rehearsal
from lifecycle.runs.retelling.seen_claims import list_seen
from lifecycle.stored_kinds import kind_of_stored, of_kind

Json = dict[str, Any]
MOST_CLAIMS = 50
AT_THE_END = "end"
"""The key of all claims on how everything stands in the end."""
_UNNAMED = ("", None)


def retell(cluster: Cluster, chosen: Collection[str] = (AT_THE_END,)) -> str:
    """YAML: the manifests of its beginning, then the Scenario. What no step can say stands in a comment.

    `chosen`: which claims it has, by their keys. ValueError for one that nothing was seen of.
    """
    claims = choose_claims(cluster, chosen)
    commands = cluster.commands.filter(state=Command.State.DONE, result__code__lt=400)
    manifests: list[Json] = []
    steps: list[Json] = []
    untold: list[str] = []
    for command in commands.order_by("instant_ms", "order").iterator():
        if is_rehearsal(command):
            continue
        at_ms, step = command.instant_ms or 0, _make_step(command)
        if step is None:
            untold.append(f"# at {format_duration(at_ms)} there was also: {command.kind}")
        elif at_ms == 0 and command.kind == "apply" and not steps:
            manifests.append(command.payload["object"])
        else:
            steps.append({"at": format_duration(at_ms), **step})
    for command in cluster.commands.filter(state=Command.State.PENDING, pinned_ms__gt=cluster.instant_ms):
        if step := _make_step(command):
            steps.append({"at": format_duration(command.pinned_ms or 0), **step})
    kubelets = cluster.settings.get("kubelet") or []
    documents = [*kubelets, *manifests, _make_scenario(cluster, steps, claims)]
    texts = [yaml.safe_dump(one, sort_keys=False, allow_unicode=True, width=100) for one in documents]
    return "\n".join([*untold, "---\n".join(texts)])


def choose_claims(cluster: Cluster, chosen: Collection[str]) -> list[Json]:
    """The entries of `expect`, those of how all stands in the end last."""
    seen = {one.key: one for one in list_seen(cluster)} if {*chosen} - {AT_THE_END} else {}
    if unknown := sorted({*chosen} - {AT_THE_END} - seen.keys()):
        raise ValueError(f"nothing was seen of {unknown[0][:100]!r}: choose among what the page offers")
    claims = [entry for key, one in seen.items() if key in chosen for entry in one.expect]
    if AT_THE_END in chosen:
        now = format_duration(cluster.instant_ms)
        claims += [{"at": now, "holds": claim} for claim in list_claims(cluster)]
    return claims


def _make_scenario(cluster: Cluster, steps: list[Json], claims: list[Json]) -> Json:
    settings = {name: value for name, value in cluster.settings.items() if name != "kubelet" and value}
    if settings.pop("compatibility", None):
        # Older engines took any text here; a Scenario names the release that came of it.
        settings["kubernetes"] = read_release(cluster.settings).name
    spec = {
        "description": f"What was seen in the cluster {cluster.shown_name}",
        "seed": cluster.seed,
        "epoch": format_time(0, cluster.epoch_ms),
        **settings,
        "steps": steps,
        "until": format_duration(cluster.instant_ms),
        "expect": claims,
    }
    written = {name: value for name, value in spec.items() if value not in ([], {})}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": cluster.shown_name},
        "spec": written,
    }


def list_claims(cluster: Cluster) -> list[str]:
    """How its workloads and lone pods stand, as what must hold: numbers of a status, conditions, phases."""
    kinds = [entry.kind.id for entry in registry.list_workloads()]
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True, owner__isnull=True)
    rows = alive.filter(of_kind(*kinds, POD_KIND.id)).order_by("kind", "namespace", "name")
    claims = [claim for row in rows[:MOST_CLAIMS] for claim in _claim(row)]
    return claims[:MOST_CLAIMS]


def _claim(row: StoredObject) -> Iterator[str]:
    kind = registry.entry_of_id(kind_of_stored(row)).kind
    place = "" if row.namespace == "default" else f" -n {row.namespace}"
    subject = f"{kind.words[0]}/{row.name}{place}"
    status: Mapping[str, Any] = row.data.get("status") or {}
    if kind.id == POD_KIND.id:
        yield f"{subject} .status.phase == {status.get('phase')}"
    for name, value in status.items():
        if isinstance(value, int) and not isinstance(value, bool) and name not in ("observedGeneration",):
            yield f"{subject} .status.{name} == {value}"
    for condition in status.get("conditions") or ():
        yield f"{subject} condition {condition['type']} == {condition['status']}"


# --- steps ------------------------------------------------------------------------------------------------


def _make_step(command: Command) -> Json | None:
    """The entry of `steps` that becomes this command again; None where there is none."""
    if command.payload.get("type") == "apply":
        # Of apply on the server's side a step says what is applied, not by whom.
        return {"apply": command.payload["patch"]}
    write = _WRITERS.get(command.kind)
    if write is None or command.kind not in READERS:
        return None
    return {command.kind: write(dict(command.payload))}


def _kind(payload: Json) -> Kind:
    return registry.entry_of_id(payload.pop("kind")).kind


def _rest(payload: Json, *left_out: str) -> Json:
    return {name: value for name, value in payload.items() if value not in _UNNAMED and name not in left_out}


def _write_target(payload: Json) -> Json:
    """`{deployment: web, …}`"""
    kind = _kind(payload)
    return {kind.words[0]: payload.pop("name"), **_rest(payload, "request", "fieldValidation")}


def _write_named(payload: Json) -> Json:
    """`{kind: Pod, name: web-0, …}`"""
    kind = _kind(payload)
    return {"apiVersion": kind.api_version, "kind": kind.name, **_rest(payload, "request")}


def _write_rollout(payload: Json) -> Json:
    """`{undo: deployment/web, toRevision: 1}`"""
    kind, action = _kind(payload), payload.pop("action")
    return {action: f"{kind.words[0]}/{payload.pop('name')}", **_rest(payload, "request")}


_WRITERS: Mapping[str, Callable[[Json], Any]] = {
    "apply": lambda payload: payload["object"],
    "create": lambda payload: payload["object"],
    "replace": lambda payload: payload["object"],
    "setImage": _write_target,
    "scale": _write_target,
    "evict": lambda payload: _write_target(
        {"kind": POD_KIND.id, **_rest(payload, "dryRun", "preconditions")}
    ),
    "patch": _write_named,
    "delete": _write_named,
    "rollout": _write_rollout,
    "drain": _rest,
    "cordon": _rest,
    "uncordon": _rest,
    "taint": _rest,
    "fault": _rest,
    "staticPod": _rest,
    "remove": _rest,
    "upgrade": _rest,
    "chance": lambda payload: payload["seed"],
}
"""By the command: what stands under its name in a step. What is not here no step can say."""
