"""`get`, `describe`, `events`, `logs`, `rollout history`: what is there, as kubectl prints it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.agents.kubectl.views import Json, View
from lifecycle.agents.kubectl.words import Line, Misread, read_kind, read_number, read_targets
from lifecycle.engine.kinds.registry import entry_of, list_workloads
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.controller_revision import CONTROLLER_REVISION_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.replica_set import REPLICA_SET_KIND
from lifecycle.engine.rules.columns.ages import Ages, human_duration
from lifecycle.engine.rules.columns.column import Row, add_name

ALL = "all"
_REVISION = "deployment.kubernetes.io/revision"
_GAP = "   "
_OUTPUTS = ("", "wide", "name", "yaml", "json")


def get(view: View, line: Line) -> str:
    """`get pods`, `get pod/web-0 -o yaml`, `get deployments,services -A`. Raises Misread."""
    output = line.flags.get("--output", "")
    if output not in _OUTPUTS:
        raise Misread(f"error: output {output[:40]!r}: use one of {', '.join(filter(None, _OUTPUTS))}")
    if not line.words:
        raise Misread("error: You must specify the type of resource to get, such as pods")
    if line.words[0] in ("event", "events", "ev"):
        return tell_events(view, line)
    found = _find(view, line)
    if output in ("yaml", "json"):
        return _encode([data for _, objects in found for data in objects], output, _is_one(line))
    if output == "name":
        return "\n".join(
            f"{name_kind(kind)}/{one['metadata']['name']}" for kind, these in found for one in these
        )
    blocks = [_make_table(view, line, kind, objects, len(found) > 1) for kind, objects in found if objects]
    if not blocks:
        place = "" if line.has("--all-namespaces") else f" in {line.namespace} namespace"
        return f"No resources found{place if any(kind.namespaced for kind, _ in found) else ''}."
    return "\n\n".join(blocks)


def _is_one(line: Line) -> bool:
    """Whether one object is named, which is printed as itself and not as a list."""
    first = line.words[0]
    return len(line.words) == (1 if "/" in first else 2) and "," not in first


def _find(view: View, line: Line) -> list[tuple[Kind, Sequence[Json]]]:
    """By kind the objects that a line names. Raises Misread."""
    first = line.words[0]
    namespace = None if line.has("--all-namespaces") else line.namespace
    selector = line.selector()
    if "/" in first or len(line.words) > 1:
        return [(kind, [need(view, kind, line.namespace, name)]) for kind, name in read_targets(line.words)]
    kinds = [read_kind(part) for part in first.split(",") if part != ALL]
    if ALL in first.split(","):
        kinds += [POD_KIND, read_kind("service"), *(entry.kind for entry in list_workloads())]
    found = []
    for kind in {kind.id: kind for kind in kinds}.values():
        if not view.shows(kind):
            raise refuse_kind(kind)
        objects = view.list(kind, namespace)
        if selector is not None:
            objects = [one for one in objects if selector.matches(one["metadata"].get("labels") or {})]
        found.append((kind, objects))
    return found


def refuse_kind(kind: Kind) -> Misread:
    """What is said of a kind that is not there."""
    return Misread(f'error: the server doesn\'t have a resource type "{kind.plural}"')


def need(view: View, kind: Kind, namespace: str, name: str) -> Json:
    """One object. Raises Misread where there is none."""
    if not view.shows(kind):
        raise refuse_kind(kind)
    found = view.get(kind, namespace, name)
    if found is None:
        raise Misread(f'Error from server (NotFound): {kind.resource} "{name[:253]}" not found')
    return found


def name_kind(kind: Kind) -> str:
    """`deployment.apps`, `pod`: as kubectl begins what it says of an object."""
    return f"{kind.name.lower()}.{kind.group}" if kind.group else kind.name.lower()


def _encode(objects: list[Json], output: str, is_one: bool) -> str:
    shown: Any = objects[0] if is_one and objects else {"apiVersion": "v1", "kind": "List", "items": objects}
    if output == "json":
        import json

        return json.dumps(shown, indent=2, ensure_ascii=False)
    import yaml

    text: str = yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, width=1000)
    return text.rstrip("\n")


def _make_table(view: View, line: Line, kind: Kind, objects: Sequence[Json], is_named: bool) -> str:
    is_wide, engine = line.flags.get("--output") == "wide", view.engine
    columns = add_name(entry_of(kind).find_columns(engine.settings.release.served_minor))
    columns = tuple(one for one in columns if one.is_headed and (is_wide or not one.priority))
    ages, has_place = Ages(engine.now_ms, engine.epoch_ms), line.has("--all-namespaces") and kind.namespaced
    head = [*(["NAMESPACE"] if has_place else []), *(one.name.upper() for one in columns)]
    with_labels = line.has("--show-labels")
    rows = [[*head, *(["LABELS"] if with_labels else [])]]
    for data in objects:
        row = Row(data, ages, is_wide)
        cells = ["" if (cell := one.fill(row)) is None else str(cell) for one in columns]
        if is_named:
            cells[0] = f"{name_kind(kind)}/{cells[0]}"
        labels = ",".join(f"{key}={value}" for key, value in (data["metadata"].get("labels") or {}).items())
        place = [data["metadata"].get("namespace") or ""] if has_place else []
        rows.append([*place, *cells, *([labels or "<none>"] if with_labels else [])])
    return align(rows)


def align(rows: Sequence[Sequence[str]]) -> str:
    """Rows of equally many cells below each other, as kubectl pads them."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = (_GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def describe(view: View, line: Line) -> str:
    """What an object is, and the events about it: its fields as YAML, where kubectl has words of its own."""
    if not line.words:
        raise Misread("error: You must specify the type of resource to describe, such as pod/web-0")
    found = _find(view, line)
    events: dict[str, list[Mapping[str, Any]]] = {}
    for row in view.history.list_events():
        events.setdefault(row["uid"], []).append(row)
    told = (
        _describe(view, kind, one, events.get(one["metadata"]["uid"], ()))
        for kind, these in found
        for one in these
    )
    return "\n\n\n".join(told)


def _describe(view: View, kind: Kind, data: Json, events: Sequence[Mapping[str, Any]]) -> str:
    meta = data["metadata"]
    shown = {
        "Name": meta["name"],
        **({"Namespace": meta.get("namespace")} if kind.namespaced else {}),
        "Labels": meta.get("labels") or {},
        "Annotations": meta.get("annotations") or {},
        "Controlled By": next(
            (
                f"{one['kind']}/{one['name']}"
                for one in meta.get("ownerReferences") or ()
                if one.get("controller")
            ),
            None,
        ),
    }
    rest = {key: value for key, value in data.items() if key not in ("apiVersion", "kind", "metadata")}
    text = _encode([{key: value for key, value in shown.items() if value} | rest], "yaml", True)
    return f"{text}\nEvents: {'<none>' if not events else ''}{_tell_rows(view, events, False)}"


def tell_events(view: View, line: Line) -> str:
    """`events`, `events --for deployment/web`, `get events -A`. Raises Misread."""
    rows: Iterable[Mapping[str, Any]] = view.history.list_events()
    rows = [row for row in rows if view.shows(read_kind(row["kind"]))]
    is_everywhere = line.has("--all-namespaces")
    if not is_everywhere:
        rows = [row for row in rows if (row["namespace"] or "default") == line.namespace]
    if about := line.flags.get("--for"):
        [(kind, name)] = read_targets((about,))
        rows = [row for row in rows if (row["kind"], row["name"]) == (kind.name, name)]
    if types := line.flags.get("--types"):
        rows = [row for row in rows if row["eventType"] in types.split(",")]
    if not rows:
        return "No events found." if is_everywhere else f"No events found in {line.namespace} namespace."
    return _tell_rows(view, rows, is_everywhere).lstrip("\n")


def _tell_rows(view: View, rows: Iterable[Mapping[str, Any]], is_everywhere: bool) -> str:
    """A table of events, the latest last."""
    now_ms = view.engine.now_ms
    ordered = sorted(rows, key=lambda row: (row["last_ms"], row["seq"]))
    if not ordered:
        return ""
    head = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    cells = [[*(["NAMESPACE"] if is_everywhere else []), *head]]
    for row in ordered:
        times = f" (x{row['count']})" if row["count"] > 1 else ""
        told = [human_duration(now_ms - row["last_ms"]) + times, row["eventType"], row["reason"]]
        subject = f"{row['kind'].lower()}/{row['name']}"
        place = [row["namespace"] or "default"] if is_everywhere else []
        cells.append([*place, *told, subject, " ".join(str(row["message"]).split())])
    return f"\n{align(cells)}"


def read_log(view: View, line: Line) -> str:
    """`logs web-0 -c app --previous --tail 20`, `logs deployment/web`. Raises Misread."""
    if not line.words:
        raise Misread("error: expected 'logs (POD | TYPE/NAME)', such as logs web-0")
    kind, name = read_targets(line.words[:1])[0] if "/" in line.words[0] else (POD_KIND, line.words[0])
    pod = need(view, kind, line.namespace, name)
    if kind is not POD_KIND:
        pod = _find_pod(view, kind, pod)
    spec = pod["spec"]
    lists = ("containers", "initContainers", "ephemeralContainers")
    names = [one["name"] for part in lists for one in spec.get(part) or ()]
    container = line.flags.get("--container") or (line.words[1] if len(line.words) > 1 else names[0])
    name = pod["metadata"]["name"]
    if container not in names:
        raise Misread(
            f"error: container {container[:60]} is not valid for pod {name}; it has {', '.join(names)}"
        )
    lines = view.history.read_log(pod["metadata"]["uid"], container, _find_attempt(pod, container, line))
    tail = read_number(line, "--tail", -1)
    return "\n".join(lines if tail is None or tail < 0 else lines[len(lines) - min(tail, len(lines)) :])


def _find_attempt(pod: Json, container: str, line: Line) -> int:
    """Which run is meant, as a kubelet finds it: of one that waits for a restart the last. Raises Misread."""
    parts = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    statuses = (one for part in parts for one in pod.get("status", {}).get(part) or ())
    status: Json = next((one for one in statuses if one["name"] == container), {})
    state, is_previous = status.get("state") or {}, line.has("--previous")
    has_ended = bool((status.get("lastState") or {}).get("terminated"))
    is_waiting = not (state.get("running") or state.get("terminated"))
    name, count = pod["metadata"]["name"], int(status.get("restartCount") or 0)
    if is_previous and not has_ended:
        what = f'previous terminated container "{container}" in pod "{name}" not found'
        raise Misread(f"Error from server (BadRequest): {what}")
    if is_waiting and not has_ended:
        reason = (state.get("waiting") or {}).get("reason") or "ContainerCreating"
        what = f'container "{container}" in pod "{name}" is waiting to start: {reason}'
        raise Misread(f"Error from server (BadRequest): {what}")
    return count - 1 if is_previous and not is_waiting else count


def _find_pod(view: View, kind: Kind, owner: Json) -> Json:
    """The first pod below a workload. Raises Misread where it has none."""
    owners = {owner["metadata"]["uid"]}
    for between in (*(entry.kind for entry in list_workloads()), POD_KIND):
        for one in view.list(between, owner["metadata"].get("namespace")):
            above = {reference["uid"] for reference in one["metadata"].get("ownerReferences") or ()}
            if above & owners:
                if between is POD_KIND:
                    return one
                owners.add(one["metadata"]["uid"])
    raise Misread(f"error: no pods found for {name_kind(kind)}/{owner['metadata']['name']}")


def tell_history(view: View, kind: Kind, data: Json) -> str:
    """`rollout history`: the revisions that are kept. Raises Misread."""
    uid, place = data["metadata"]["uid"], data["metadata"].get("namespace")
    below = REPLICA_SET_KIND if kind is DEPLOYMENT_KIND else CONTROLLER_REVISION_KIND
    rows = [["REVISION", "CHANGE-CAUSE"]]
    numbers = []
    for one in view.list(below, place):
        if any(reference["uid"] == uid for reference in one["metadata"].get("ownerReferences") or ()):
            notes = one["metadata"].get("annotations") or {}
            number = notes.get(_REVISION) if below is REPLICA_SET_KIND else one.get("revision")
            numbers.append((int(number or 0), notes.get("kubernetes.io/change-cause") or "<none>"))
    rows += [[str(number), cause] for number, cause in sorted(numbers)]
    return f"{name_kind(kind)}/{data['metadata']['name']}\n{align(rows)}"
