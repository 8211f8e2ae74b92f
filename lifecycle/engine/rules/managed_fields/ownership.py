"""What a write does to the managers of an object: who gains fields, who loses them, who is in the way.

An update takes what it changes, whoever had it. An apply states all that its manager wants: what others have
and it would change is a conflict unless it is forced; what is the same is shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from .managers import UPDATE, Manager, Managers, Share, cap_updaters
from .paths import NONE, Comparison, FieldSet, Path, format_path, order_of, path_to

NEVER_OWNED: FieldSet = frozenset(
    (
        path_to("apiVersion"),
        path_to("kind"),
        path_to("metadata"),
        *(
            path_to("metadata", name)
            for name in (
                "name namespace creationTimestamp selfLink uid clusterName generation managedFields"
                " resourceVersion"
            ).split()
        ),
    )
)
"""What identifies an object belongs to nobody."""
Conflict = tuple[Manager, Path]


def is_ignored(path: Path, ignored: Sequence[Path]) -> bool:
    """Whether a path is one of these, or below one: a write to where they are not written leaves them."""
    return any(path[: len(one)] == one for one in ignored)


def without(fields: FieldSet, ignored: Sequence[Path]) -> FieldSet:
    """The fields that a request of its kind can own."""
    return frozenset(path for path in fields - NEVER_OWNED if not is_ignored(path, ignored))


# --- updates ----------------------------------------------------------------------------------------------


def after_update(
    managers: Managers, change: Comparison, writer: Manager, api_version: str, time: str
) -> Managers:
    """The managers after a create, an update or a patch: the writer has what it wrote, nobody what is gone.

    Who wrote nothing is no manager, and keeps the time it had.
    """
    kept = _dispossess(managers, change, None)
    written = change.written - NEVER_OWNED
    if written:
        before = kept[writer].fields if writer in kept else NONE
        kept[writer] = Share(before | written, api_version, time)
    return cap_updaters(kept)


def _dispossess(managers: Managers, change: Comparison, spared: Manager | None) -> Managers:
    """What others have after a change: not what was written, nor what is gone."""
    kept = {}
    for manager, share in managers.items():
        fields = share.fields if manager == spared else share.fields - change.written - change.removed
        if fields or manager == spared:
            kept[manager] = Share(fields, share.api_version, share.time)
    return kept


# --- applies ----------------------------------------------------------------------------------------------


def find_conflicts(managers: Mapping[Manager, Share], change: Comparison, applier: Manager) -> list[Conflict]:
    """Fields of others that an apply would change, in order of their managers and paths."""
    written = change.written
    found = [
        (manager, path)
        for manager, share in managers.items()
        if manager != applier
        for path in share.fields & written
    ]
    return sorted(found, key=lambda one: (_name(one[0]), order_of(one[1])))


def _name(manager: Manager) -> tuple[str, str, str, str]:
    return manager.name, manager.operation, manager.api_version, manager.subresource


def after_apply(
    managers: Managers, change: Comparison, applier: Manager, applied: Share, is_changed: bool
) -> Managers:
    """The managers after an apply that met no conflict, or was forced: the applier has what it states.

    Its time is that of the change. Where nothing changed it is the one it had, and a new one has none, as
    recorded.
    """
    kept = _dispossess(managers, change, applier)
    before = managers.get(applier)
    time = applied.time if is_changed else before.time if before is not None else ""
    fields = applied.fields - NEVER_OWNED
    kept.pop(applier, None)
    if fields:
        kept[applier] = Share(fields, applied.api_version, time)
    return kept


def owned_by_any(managers: Mapping[Manager, Share]) -> FieldSet:
    """All that somebody owns."""
    return NONE.union(*(share.fields for share in managers.values()))


# --- words ------------------------------------------------------------------------------------------------


def describe_manager(manager: Manager, api_version: str) -> str:
    """A manager as conflicts name it: `"hpa" with subresource "scale" using apps/v1`."""
    text = f'"{manager.name}"'
    if manager.subresource:
        text += f' with subresource "{manager.subresource}"'
    return f"{text} using {api_version}" if manager.operation == UPDATE else text


def describe_conflicts(managers: Mapping[Manager, Share], conflicts: Sequence[Conflict]) -> str:
    """All conflicts in a message: one in a line, several by their managers."""
    count = len(conflicts)
    if count == 1:
        manager, path = conflicts[0]
        who = describe_manager(manager, managers[manager].api_version)
        return f"Apply failed with 1 conflict: conflict with {who}: {format_path(path)}"
    lines = []
    for manager, group in groupby(conflicts, key=lambda one: one[0]):
        lines.append(f"conflicts with {describe_manager(manager, managers[manager].api_version)}:")
        lines += [f"- {format_path(path)}" for _manager, path in group]
    return f"Apply failed with {count} conflicts: " + "\n".join(lines)


def list_causes(managers: Mapping[Manager, Share], conflicts: Sequence[Conflict]) -> list[dict[str, str]]:
    """The same as the causes of a Status."""
    return [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {describe_manager(manager, managers[manager].api_version)}",
            "field": format_path(path),
        }
        for manager, path in conflicts
    ]
