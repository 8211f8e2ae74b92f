"""LimitRanges: what the containers of a namespace get where they say nothing, and what they may not exceed.

Models the admission plug-in LimitRanger. Amounts stay texts, as the API server writes them in its refusals;
names that it walks in no order come here by the alphabet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import gt, lt
from typing import Any

from ...objects.quantity import canonical, canonical_sum, parse_quantity

Json = Mapping[str, Any]
Amounts = Mapping[str, Any]

ANNOTATION = "kubernetes.io/limit-ranger"
"""Says on a pod what of its resources a LimitRange filled in."""
CONTAINER, POD, CLAIM = "Container", "Pod", "PersistentVolumeClaim"
_GROUPS = (("containers", "container"), ("initContainers", "init container"))
_FILLED = (("requests", "request"), ("limits", "limit"))
_POD_LEVEL = ("cpu", "memory")
_BOUNDS = {"min": ("minimum", lt), "max": ("maximum", gt)}


# --- defaults ---------------------------------------------------------------------------------------------


def fill_limits(spec: Json, ranges: Iterable[Json]) -> tuple[Json, str]:
    """A pod's spec with the defaults of its namespace's LimitRanges (specs), and the text of ANNOTATION.

    What a container says itself stays. The text is "" where nothing was filled in; of several LimitRanges
    that fill in something, the last one's stands.
    """
    told = ""
    for one in ranges:
        defaults = _list_defaults(one)
        texts: list[str] = []
        filled = {
            group: [_fill(container, word, defaults, texts) for container in spec[group]]
            for group, word in _GROUPS
            if spec.get(group)
        }
        if texts:
            spec, told = {**spec, **filled}, f"LimitRanger plugin set: {'; '.join(texts)}"
    return spec, told


def _list_defaults(limit_range: Json) -> dict[str, dict[str, Any]]:
    """Requests and limits for containers that say nothing of them."""
    found: dict[str, dict[str, Any]] = {"requests": {}, "limits": {}}
    for item in _items_of(limit_range, CONTAINER):
        found["requests"] |= item.get("defaultRequest") or {}
        found["limits"] |= item.get("default") or {}
    return found


def _items_of(limit_range: Json, kind: str) -> Iterator[Json]:
    return (item for item in limit_range.get("limits") or () if item.get("type") == kind)


def _fill(container: Json, word: str, defaults: Mapping[str, Amounts], texts: list[str]) -> Json:
    resources = container.get("resources") or {}
    filled = dict(resources)
    for group, noun in _FILLED:
        has = resources.get(group) or {}
        names = sorted(name for name in defaults[group] if name not in has)
        if names:
            filled[group] = {**has, **{name: canonical(defaults[group][name]) for name in names}}
            texts.append(f"{', '.join(names)} {noun} for {word} {container.get('name')}")
    return {**container, "resources": filled} if filled != resources else container


# --- bounds -----------------------------------------------------------------------------------------------


def find_pod_excess(spec: Json, ranges: Iterable[Json]) -> str:
    """What a pod's spec has too much or too little of, by the first LimitRange (spec) against it; or ""."""
    return _first(_check_pod(spec, one) for one in ranges)


def find_claim_excess(spec: Json, ranges: Iterable[Json]) -> str:
    """The same of a volume claim: only what it requests counts."""
    return _first(_check_claim(spec, one) for one in ranges)


def _first(problems: Iterable[list[str]]) -> str:
    for found in problems:
        texts = list(dict.fromkeys(found))
        if texts:
            return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return ""


def _check_pod(spec: Json, limit_range: Json) -> list[str]:
    found: list[str] = []
    for item in limit_range.get("limits") or ():
        if item.get("type") == CONTAINER:
            for group, _word in _GROUPS:
                for container in spec.get(group) or ():
                    found += _check(
                        item, _amounts_of(container, "requests"), _amounts_of(container, "limits")
                    )
        elif item.get("type") == POD:
            found += _check(item, sum_containers(spec, "requests"), sum_containers(spec, "limits"))
    return found


def _check_claim(spec: Json, limit_range: Json) -> list[str]:
    given = (("request", _amounts_of(spec, "requests")),)
    items = list(_items_of(limit_range, CLAIM))
    return [text for item in items for group in _BOUNDS for text in _check_bounds(item, group, given)]


def _amounts_of(holder: Json, group: str) -> Amounts:
    return (holder.get("resources") or {}).get(group) or {}


def sum_containers(spec: Json, group: str) -> Amounts:
    """`requests` or `limits` of a pod as a whole, as a LimitRange sees them: without overhead.

    A limit counts although another container has none.
    """
    apps: Amounts = {}
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("containers") or ():
        apps = _add(apps, _amounts_of(container, group))
    for container in spec.get("initContainers") or ():
        given = _amounts_of(container, group)
        if container.get("restartPolicy") == "Always":
            apps, sidecars = _add(apps, given), _add(sidecars, given)
            peak = _raise(peak, sidecars)
        else:
            peak = _raise(peak, _add(given, sidecars))
    whole = {name: value for name, value in _amounts_of(spec, group).items() if name in _POD_LEVEL}
    return {**_raise(apps, peak), **whole}


def _add(left: Amounts, right: Amounts) -> Amounts:
    both = {
        name: canonical_sum(parse_quantity(left[name]) + parse_quantity(value), left[name])
        for name, value in right.items()
        if name in left
    }
    return {**left, **right, **both}


def _raise(left: Amounts, right: Amounts) -> Amounts:
    higher = {
        name: value
        for name, value in right.items()
        if name not in left or parse_quantity(value) > parse_quantity(left[name])
    }
    return {**left, **higher}


def _check(item: Json, requests: Amounts, limits: Amounts) -> list[str]:
    request, limit = ("request", requests), ("limit", limits)
    return [
        *_check_bounds(item, "min", (request, limit)),
        *_check_bounds(item, "max", (limit, request)),
        *_check_ratio(item, requests, limits),
    ]


def _check_bounds(item: Json, group: str, given: Sequence[tuple[str, Amounts]]) -> Iterator[str]:
    """`given`: the amounts in the order in which they are looked at; the first has to be there."""
    word, is_out = _BOUNDS[group]
    for name, bound in sorted((item.get(group) or {}).items()):
        text = f"{word} {name} usage per {item['type']} is {canonical(bound)}"
        if given[0][1].get(name) is None:
            yield f"{text}.  No {given[0][0]} is specified"
            continue
        for noun, amounts in given:
            value = amounts.get(name)
            if value is not None and is_out(parse_quantity(value), parse_quantity(bound)):
                yield f"{text}, but {noun} is {canonical(value)}"
                break


def _check_ratio(item: Json, requests: Amounts, limits: Amounts) -> Iterator[str]:
    for name, most in sorted((item.get("maxLimitRequestRatio") or {}).items()):
        text = f"{name} max limit to request ratio per {item['type']} is {canonical(most)}"
        request, limit = (_read(amounts, name) for amounts in (requests, limits))
        if not request:
            yield f"{text}, but no request is specified or request is 0"
        elif not limit:
            yield f"{text}, but no limit is specified or limit is 0"
        elif limit / request > parse_quantity(most):
            yield f"{text}, but provided ratio is {float(limit / request):f}"


def _read(amounts: Amounts, name: str) -> Fraction:
    return parse_quantity(amounts.get(name) or 0)
