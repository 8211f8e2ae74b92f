"""What may change on a pod that scheduling gates hold back: fewer gates, a narrower choice of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....objects.names import REQUIRED
from ..words.field_error import FieldError, forbidden, invalid
from ..words.go_structs import GoText, show_struct

Json = Mapping[str, Any]
_TERMS = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"

_TERM = "NodeSelectorTerm"


def validate_fewer_gates(before: Json, after: Json) -> list[FieldError]:
    """Scheduling gates of a spec may only be taken away (SGATE-04)."""
    known = {gate.get("name") for gate in before.get("schedulingGates") or ()}
    return [
        forbidden(
            f"spec.schedulingGates[{index}].name",
            f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'",
        )
        for index, gate in enumerate(after.get("schedulingGates") or ())
        if gate.get("name") not in known
    ]


def validate_direction(before: Json, after: Json) -> list[FieldError]:
    """A gated pod's selector and required node affinity may only become narrower."""
    errors = []
    old, new = before.get("nodeSelector") or {}, after.get("nodeSelector") or {}
    if any(new.get(name) != value for name, value in old.items()):
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        errors.append(invalid("spec.nodeSelector", new, detail))
    return errors + _validate_terms(_terms_of(before), _terms_of(after))


def _validate_terms(old: list[Json], new: list[Json]) -> list[FieldError]:
    # Where nothing was required anything may be.
    if old and len(old) != len(new):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        shown = ",".join(show_struct(_TERM, term) for term in new)
        return [invalid(_TERMS, GoText(f"[{shown}]"), detail)]
    detail = "only additions are allowed (no mutations or deletions)"
    return [
        invalid(f"{_TERMS}[{index}]", show_struct(_TERM, wanted), detail)
        for index, (was, wanted) in enumerate(zip(old, new, strict=False))
        if not _is_narrower(was, wanted)
    ]


def _terms_of(spec: Json) -> list[Json]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return list((affinity.get(REQUIRED) or {}).get("nodeSelectorTerms") or ())


def _is_narrower(was: Json, wanted: Json) -> bool:
    """Whether a term keeps its requirements in their places. An empty one matches nothing, and stays so."""
    lists = ("matchExpressions", "matchFields")
    if not any(was.get(name) for name in lists):
        return not any(wanted.get(name) for name in lists)
    return all(
        list(wanted.get(name) or ())[: len(was.get(name) or ())] == list(was.get(name) or ())
        for name in lists
    )
