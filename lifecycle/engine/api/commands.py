"""What may come from outside: commands, versioned, and what answers them.

Payloads by kind (`namespace` may be left out: `default`); `payloads.py` checks them field by field. What a
client of the API sends has a `request`, what it says beside its object; {dryRun?: [All]} answers as if done.
    create {object}            apply {object}             replace {object, subresource?}
    patch {kind, namespace, name, type: merge|strategic|json|apply, patch, subresource?}
    delete {kind, namespace, name, gracePeriodSeconds?, propagationPolicy?, force?, preconditions?, options?}
    scale {kind, namespace, name, replicas}
    setImage {kind, namespace, name, container, image}
    rollout {kind, namespace, name, action: restart|pause|resume|undo, toRevision?}
    evict {namespace, name, gracePeriodSeconds?, preconditions?, dryRun?}
    drain {node | nodes, ignoreDaemonSets?, deleteEmptyDirData?, force?, disableEviction?,
        gracePeriodSeconds?, podSelector?, timeout?, uncordonAfter?}
    cordon {node}  uncordon {node}  taint {node, taints}  remove {node}
    bind {namespace, name, node}
    staticPod {node, manifest}  staticPod {node, remove, namespace?}
    exec {pod, namespace, container, command: [word…], stdin?}
    fault {pod, namespace, container, kind: exit, code, reason?}  fault {pod, container, kind: lost}
    fault {pod, kind: sandbox|unknown}  fault {node, kind, for?}
    fault {node, kind: pressure, resource?: memory|disk|pid, available?, for?}

create, replace, patch, delete and evict may have a `request`, what a client of the API says beside its
object: {fieldManager?, userAgent?, fieldValidation?: Strict|Warn|Ignore, force?, dryRun?: [All], problems?}.
Its presence says that a client asks: from then on the object's fields have managers, by `fieldManager` or by
the beginning of `userAgent`; unknown fields are warned of (Warn, the default), refused or let be; errors are
worded as the API server words them. `force` is for the patch of type apply, which creates what is not there.
`problems` are what the reader of a body saw that its value does not show, such as `duplicate field "data.k"`:
they count as unknown fields do. What is only warned of stands in the result's `warnings`. Without a `request`
a patch of type apply is forced, and may leave out apiVersion, kind and name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

VERSION = 1


@dataclass(frozen=True, slots=True)
class Command:
    """One request. `id` is unique in its cluster; rows it causes name it as `command:<id>`."""

    id: str
    kind: str
    payload: dict[str, Any]
    version: int = VERSION


@dataclass(slots=True)
class Result:
    """The answer: an HTTP code, the object as stored, or a Kubernetes Status saying what was wrong."""

    code: int
    object: dict[str, Any] | None = None
    status: dict[str, Any] | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the command was carried out."""
        return self.code < 400

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"code": self.code, "object": self.object, "status": self.status, "warnings": self.warnings}
