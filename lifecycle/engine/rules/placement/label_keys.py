"""`matchLabelKeys` and `mismatchLabelKeys`: the API server writes a new pod's own values into its selectors.

So a Deployment's pods can be spread, or kept apart, revision by revision. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...objects.names import PREFERRED, REQUIRED

Json = Mapping[str, Any]
Labels = Mapping[str, str]
_FORMS = (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))


def list_label_keys(spec: Json) -> tuple[str, ...]:
    """The keys whose values matter to a spec, each once."""
    terms = [*(spec.get("topologySpreadConstraints") or ()), *_list_terms(spec.get("affinity") or {})]
    keys = (key for term in terms for name, _operator in _FORMS for key in term.get(name) or ())
    return tuple(dict.fromkeys(keys))


def _list_terms(affinity: Json) -> Iterator[Json]:
    for side in ("podAffinity", "podAntiAffinity"):
        rules = affinity.get(side) or {}
        yield from rules.get(REQUIRED) or ()
        yield from (one.get("podAffinityTerm") or {} for one in rules.get(PREFERRED) or ())


def merge_label_keys(spec: Json, labels: Labels) -> dict[str, Any]:
    """The spec of a pod with these labels; keys that it has not are left out."""
    merged = dict(spec)
    constraints = spec.get("topologySpreadConstraints")
    if constraints:
        merged["topologySpreadConstraints"] = [narrow(one, labels) for one in constraints]
    if spec.get("affinity"):
        merged["affinity"] = merge_into_affinity(spec["affinity"], labels)
    return merged


def merge_into_affinity(affinity: Json, labels: Labels) -> Json:
    """The same of the terms about other pods alone."""
    merged = dict(affinity)
    for side in ("podAffinity", "podAntiAffinity"):
        rules = dict(affinity.get(side) or {})
        if rules.get(REQUIRED):
            rules[REQUIRED] = [narrow(one, labels) for one in rules[REQUIRED]]
        if rules.get(PREFERRED):
            rules[PREFERRED] = [
                {**one, "podAffinityTerm": narrow(one.get("podAffinityTerm") or {}, labels)}
                for one in rules[PREFERRED]
            ]
        if rules:
            merged[side] = rules
    return merged


def narrow(term: Json, labels: Labels) -> Json:
    """A term or constraint with the pod's own values in its selector, unless they are there already."""
    selector = term.get("labelSelector")
    if selector is None:
        # It selects nobody, whatever is added.
        return term
    there: Sequence[Json] = selector.get("matchExpressions") or ()
    known = {(one.get("key"), one.get("operator")) for one in there}
    added = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for name, operator in _FORMS
        for key in term.get(name) or ()
        if key in labels and (key, operator) not in known
    ]
    if not added:
        return term
    return {**term, "labelSelector": {**selector, "matchExpressions": [*there, *added]}}
