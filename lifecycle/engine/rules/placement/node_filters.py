"""Which nodes a pod may go to at all: selectors, affinity, taints. Pure; models the scheduler's filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifecycle.late_patterns import late_pattern

from ...objects.names import PREFERRED, REQUIRED
from ...objects.node import Node, Taint
from ...objects.pods.pod import PodSpec, Toleration

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
CORDONED = "node(s) were unschedulable"
UNTOLERATED = "node(s) had untolerated taint(s)"
_NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"
NOT_WANTED = "node(s) didn't match Pod's node affinity/selector"
_EFFECTS = ("NoSchedule", "NoExecute")
_INTEGER, _MOST = late_pattern(r"[+-]?[0-9]{1,63}"), 1 << 63


def why_not(spec: PodSpec, node: Node) -> str:
    """Why a pod may never go to a node as it is, in the scheduler's words; "" when it may."""
    if node.spec.unschedulable and not tolerates(spec.tolerations, UNSCHEDULABLE_TAINT):
        return CORDONED
    if has_untolerated(spec, node, _EFFECTS):
        return UNTOLERATED
    return "" if wants_node(spec, node) else NOT_WANTED


def has_untolerated(spec: PodSpec, node: Node, effects: Sequence[str]) -> bool:
    """Whether a node has a taint of one of these effects that a pod does not tolerate."""
    taints = node.spec.taints
    return any(one.effect in effects and not tolerates(spec.tolerations, one) for one in taints)


def wants_node(spec: PodSpec, node: Node) -> bool:
    """Whether a node is one of those that a pod asks for by its selector and its affinity."""
    labels = node.meta.labels
    if any(labels.get(name) != value for name, value in spec.node_selector.items()):
        return False
    return _matches_affinity(spec.affinity, node)


def names_wanted(spec: PodSpec) -> frozenset[str] | None:
    """The only nodes worth a look, where every term of the required affinity names some; else None.

    None at all where no term can hold: each names nodes that differ.
    """
    required = (spec.affinity.get("nodeAffinity") or {}).get(REQUIRED)
    names: set[str] = set()
    terms = (required or {}).get("nodeSelectorTerms") or ()
    for term in terms:
        named = [
            set(one.get("values") or ())
            for one in term.get("matchFields") or ()
            if (one.get("key"), one.get("operator")) == ("metadata.name", "In")
        ]
        if not named:
            return None
        names |= set.intersection(*named)
    return frozenset(names) if terms else None


def count_unwelcome(spec: PodSpec, node: Node) -> int:
    """How many taints of a node a pod does not tolerate that only ask it to go elsewhere."""
    taints = (one for one in node.spec.taints if one.effect == "PreferNoSchedule")
    return sum(not tolerates(spec.tolerations, one) for one in taints)


def weigh_preferences(spec: PodSpec, node: Node) -> int:
    """The sum of the weights of the terms that a pod prefers its node to match; an empty one matches none."""
    preferred = spec.affinity.get("nodeAffinity") or {}
    terms = preferred.get(PREFERRED) or ()
    return sum(one.get("weight") or 0 for one in terms if _matches_term(one.get("preference") or {}, node))


def has_preferences(spec: PodSpec) -> bool:
    """Whether a pod prefers some nodes by their labels."""
    of_nodes = spec.affinity.get("nodeAffinity") or {}
    return bool(of_nodes.get(PREFERRED))


def tell_unreadable(spec: PodSpec) -> str:
    """What of the preferred terms cannot be read, so that no nodes can be compared; "" for nothing."""
    preferred = spec.affinity.get("nodeAffinity") or {}
    terms = preferred.get(PREFERRED) or ()
    found = [
        f'[{number}].matchExpressions[{place}].values[0]: Invalid value: "{value}": {_NO_INTEGER}'
        for number, term in enumerate(terms)
        for place, value in _list_unreadable((term.get("preference") or {}).get("matchExpressions") or ())
        if term.get("weight")
    ]
    text = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
    return f'running PreScore plugin "NodeAffinity": {text}' if found else ""


def _list_unreadable(expressions: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    for place, one in enumerate(expressions):
        values = one.get("values") or ()
        if one.get("operator") in ("Gt", "Lt") and values and _read_integer(values[0]) is None:
            yield place, values[0]


def tolerates(tolerations: Sequence[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations covers a taint."""
    return any(one.covers(taint) for one in tolerations)


def _matches_affinity(affinity: Mapping[str, Any], node: Node) -> bool:
    required = (affinity.get("nodeAffinity") or {}).get(REQUIRED)
    if not required:
        return True
    return matches_a_term(required.get("nodeSelectorTerms") or (), node)


def matches_a_term(terms: Sequence[Mapping[str, Any]], node: Node) -> bool:
    """Whether a node is meant by one of the terms of a node selector."""
    return any(_matches_term(term, node) for term in terms)


def _matches_term(term: Mapping[str, Any], node: Node) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    names = {"metadata.name": node.meta.name}
    return all(_matches(one, node.meta.labels) for one in expressions) and all(
        _matches(one, names) for one in fields
    )


def _matches(expression: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    operator, wanted = expression.get("operator"), expression.get("values") or ()
    value = values.get(expression.get("key", ""))
    match operator:
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            bound, number = _read_integer(wanted[0] if wanted else None), _read_integer(value)
            # A term with a bound that is no number is none: it holds nowhere.
            if bound is None or number is None:
                return False
            return number > bound if operator == "Gt" else number < bound
    return False


def _read_integer(text: str | None) -> int | None:
    """A number of 64 bits as Go reads it; None for anything else."""
    if text is None or _INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if -_MOST <= number < _MOST else None
