"""Verbs that change something, as commands of the engine, each with what kubectl says when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from lifecycle.agents.kubectl.showing import name_kind, need, refuse_kind
from lifecycle.agents.kubectl.views import View
from lifecycle.agents.kubectl.words import Line, Misread, read_number, read_targets
from lifecycle.engine.kinds.registry import entry_of
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.node import NODE_KIND

_PATCHES = ("strategic", "merge", "json")
_SETTINGS = ("image", "resources", "env")
_CREATED = 201
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class Change(NamedTuple):
    """One command of the engine, and what is said when it was carried out."""

    kind: str
    payload: dict[str, Any]
    said: str
    made: str = ""
    """What is said instead where there was no such object before."""

    def tell(self, code: int) -> str:
        """What is said of it, by the code of the answer."""
        return self.made if self.made and code == _CREATED else self.said


def list_changes(view: View, line: Line) -> list[Change]:
    """What a line asks to be done, in order. Raises Misread."""
    return list(_VERBS[line.verb](view, line))


def _name(kind: Kind, line: Line, name: str) -> dict[str, Any]:
    place = {"namespace": line.namespace} if kind.namespaced else {}
    return {"kind": kind.id, "name": name, **place}


def _say(kind: Kind, name: str, what: str) -> str:
    return f"{name_kind(kind)}/{name} {what}"


def _targets(view: View, words: tuple[str, ...]) -> Iterator[tuple[Kind, str]]:
    """The objects that are named; kinds that are not shown are not there."""
    for kind, name in read_targets(words):
        if not view.shows(kind):
            raise refuse_kind(kind)
        yield kind, name


def _scale(view: View, line: Line) -> Iterator[Change]:
    replicas = read_number(line, "--replicas")
    if replicas is None:
        raise Misread('error: required flag(s) "replicas" not set: write --replicas=3')
    for kind, name in _targets(view, line.words):
        yield Change("scale", {**_name(kind, line, name), "replicas": replicas}, _say(kind, name, "scaled"))


def _rollout(view: View, line: Line) -> Iterator[Change]:
    action, done = line.words[0], {"restart": "restarted", "undo": "rolled back"}
    for kind, name in _targets(view, line.words[1:]):
        payload = {**_name(kind, line, name), "action": action}
        if revision := read_number(line, "--to-revision"):
            payload["toRevision"] = revision
        yield Change("rollout", payload, _say(kind, name, done.get(action, f"{action}d")))


def _delete(view: View, line: Line) -> Iterator[Change]:
    grace = 1 if line.has("--now") else read_number(line, "--grace-period", -1)
    for kind, name in _list_selected(view, line):
        payload = {**_name(kind, line, name), "force": line.has("--force")}
        if grace is not None and grace >= 0:
            payload["gracePeriodSeconds"] = grace
        yield Change("delete", payload, f'{name_kind(kind)} "{name}" deleted')


def _list_selected(view: View, line: Line) -> list[tuple[Kind, str]]:
    selector = line.selector()
    if selector is None:
        return list(_targets(view, line.words))
    [(kind, _)] = _targets(view, (f"{line.words[0]}/-",))
    found = view.list(kind, line.namespace)
    return [
        (kind, one["metadata"]["name"])
        for one in found
        if selector.matches(one["metadata"].get("labels") or {})
    ]


def _patch(view: View, line: Line) -> Iterator[Change]:
    how, text = line.flags.get("--type", "strategic"), line.flags.get("--patch")
    if how not in _PATCHES:
        raise Misread(f"error: --type must be one of {', '.join(_PATCHES)}, not {how[:40]!r}")
    if text is None:
        raise Misread('error: must specify --patch, such as -p \'{"spec":{"replicas":3}}\'')
    patch = read_json(text)
    for kind, name in _targets(view, line.words):
        payload = {**_name(kind, line, name), "type": how, "patch": patch}
        yield Change("patch", payload, _say(kind, name, "patched"))


def read_json(text: str) -> Any:
    """The JSON of a patch. Raises Misread."""
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as problem:
        raise Misread(f"error: unable to parse the patch as JSON: {problem}") from None


def _set(view: View, line: Line) -> Iterator[Change]:
    setting = line.words[0] if line.words else ""
    if setting not in _SETTINGS:
        raise Misread(f"error: `set` knows {', '.join(_SETTINGS)}; anything else by `patch`")
    names = [word for word in line.words[1:] if not _is_setting(word)]
    settings = [word for word in line.words[1:] if _is_setting(word)]
    for kind, name in _targets(view, tuple(names)):
        data = need(view, kind, line.namespace, name)
        if not entry_of(kind).pod_spec_path:
            raise Misread(f"error: {name_kind(kind)}/{name} has no containers")
        if setting == "image":
            yield from _set_images(kind, name, line, settings)
        else:
            entries = _make_env(settings) if setting == "env" else _make_resources(line)
            yield _change_containers(kind, name, line, data, entries)


def _is_setting(word: str) -> bool:
    return "=" in word or (word.endswith("-") and "/" not in word)


def _set_images(kind: Kind, name: str, line: Line, settings: list[str]) -> Iterator[Change]:
    if not settings:
        raise Misread("error: at least one image update is required, such as app=shop/web:2")
    for setting in settings:
        container, _, image = setting.partition("=")
        payload = {**_name(kind, line, name), "container": container, "image": image}
        yield Change("setImage", payload, _say(kind, name, "image updated"))


def _make_env(settings: list[str]) -> dict[str, Any]:
    if not settings:
        raise Misread("error: at least one environment variable must be provided, such as LEVEL=info")
    entries: list[dict[str, Any]] = []
    for setting in settings:
        name, sign, value = setting.partition("=")
        entries.append({"name": name, "value": value} if sign else {"name": name[:-1], "$patch": "delete"})
    return {"env": entries}


def _make_resources(line: Line) -> dict[str, Any]:
    found = {
        part: _read_amounts(line.flags[f"--{part}"])
        for part in ("limits", "requests")
        if line.flags.get(f"--{part}")
    }
    if not found:
        raise Misread(
            "error: you must specify an update to requests or limits, such as --limits=memory=256Mi"
        )
    return {"resources": found}


def _read_amounts(text: str) -> dict[str, str]:
    amounts = {}
    for part in text.split(","):
        name, sign, amount = part.partition("=")
        if not sign or not name:
            raise Misread(f"error: {part[:40]!r}: write resource=amount, such as memory=256Mi")
        amounts[name] = amount
    return amounts


def _change_containers(
    kind: Kind, name: str, line: Line, data: Mapping[str, Any], entries: dict[str, Any]
) -> Change:
    path, wanted = entry_of(kind).pod_spec_path, line.flags.get("--container", "*")
    spec: Any = data
    for step in path:
        spec = spec.get(step) or {}
    names = [one["name"] for one in spec.get("containers") or () if wanted in ("*", one["name"])]
    if not names:
        raise Misread(f"error: unable to find container named {wanted[:60]!r}")
    patch: dict[str, Any] = {"containers": [{"name": one, **entries} for one in names]}
    for step in reversed(path):
        patch = {step: patch}
    what = "env updated" if "env" in entries else "resource requirements updated"
    payload = {**_name(kind, line, name), "type": "strategic", "patch": patch}
    return Change("patch", payload, _say(kind, name, what))


def _note(part: str) -> Callable[[View, Line], Iterator[Change]]:
    def change(view: View, line: Line) -> Iterator[Change]:
        names = tuple(word for word in line.words if not _is_setting(word))
        notes: dict[str, str | None] = {}
        for word in filter(_is_setting, line.words):
            key, sign, value = word.partition("=")
            notes[key if sign else key[:-1]] = value if sign else None
        if not notes:
            raise Misread(f"error: at least one {part[:-1]} update is required, such as tier=web or tier-")
        for kind, name in _targets(view, names):
            payload = {**_name(kind, line, name), "type": "merge", "patch": {"metadata": {part: notes}}}
            yield Change("patch", payload, _say(kind, name, "labeled" if part == "labels" else "annotated"))

    return change


def _read_nodes(line: Line, words: tuple[str, ...]) -> list[str]:
    if not words:
        raise Misread(f"error: USAGE: {line.verb} NODE")
    return [word.removeprefix("node/").removeprefix("nodes/") for word in words]


def _cordon(view: View, line: Line) -> Iterator[Change]:
    for name in _read_nodes(line, line.words):
        need(view, NODE_KIND, "", name)
        yield Change(line.verb, {"node": name}, f"node/{name} {line.verb}ed")


def _drain(view: View, line: Line) -> Iterator[Change]:
    flags = {
        "force": line.has("--force"),
        "ignoreDaemonSets": line.has("--ignore-daemonsets"),
        "deleteEmptyDirData": line.has("--delete-emptydir-data"),
        "disableEviction": line.has("--disable-eviction"),
    }
    grace = read_number(line, "--grace-period", -1)
    for name in _read_nodes(line, line.words):
        need(view, NODE_KIND, "", name)
        payload = {"node": name, **flags, **({} if grace is None else {"gracePeriodSeconds": grace})}
        if timeout := line.flags.get("--timeout"):
            payload["timeout"] = timeout
        yield Change("drain", payload, f"node/{name} drain begins; wait and look at its pods")


def _taint(view: View, line: Line) -> Iterator[Change]:
    words = line.words[1:] if line.words[:1] in (("node",), ("nodes",)) else line.words
    names = _read_nodes(line, tuple(word for word in words if ":" not in word and not word.endswith("-")))
    asked = [word for word in words if word not in names and f"node/{word}" not in words]
    for name in names:
        node = need(view, NODE_KIND, "", name)
        taints = list(node["spec"].get("taints") or ())
        for word in asked:
            taints = _change_taints(taints, word)
        yield Change(
            "taint",
            {"node": name, "taints": taints},
            f"node/{name} {'un' if asked and all(word.endswith('-') for word in asked) else ''}tainted",
        )


def _change_taints(taints: list[dict[str, Any]], word: str) -> list[dict[str, Any]]:
    """The taints with `key=value:Effect` among them, or without those of `key-`, `key:Effect-`."""
    body, _, effect = word.rstrip("-").partition(":")
    key, _, value = body.partition("=")
    kept = [one for one in taints if one["key"] != key or (effect and one["effect"] != effect)]
    if word.endswith("-"):
        if len(kept) == len(taints):
            raise Misread(f'error: taint "{word[:60].rstrip("-")}" not found')
        return kept
    if effect not in _EFFECTS:
        raise Misread(f"error: invalid taint {word[:60]!r}: write key=value:Effect, {' or '.join(_EFFECTS)}")
    return [*kept, {"key": key, "effect": effect, **({"value": value} if value else {})}]


_VERBS: Mapping[str, Callable[[View, Line], Iterator[Change]]] = {
    "scale": _scale,
    "rollout": _rollout,
    "delete": _delete,
    "patch": _patch,
    "set": _set,
    "label": _note("labels"),
    "annotate": _note("annotations"),
    "cordon": _cordon,
    "uncordon": _cordon,
    "drain": _drain,
    "taint": _taint,
}
