"""Saves what the slices do not tell of requests: sums, what is under way, and what is not known yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from .followers import Change, Follower
from .sender import Sender
from .service import Endpoint, ServiceTraffic
from .view import Standing, Target, View

_ENDPOINT = "key is_pod port node address outcome place holder is_serving".split()
_ENDPOINT += "opened_ms closed_ms dropped_ms timer".split()
_FOLLOWER = "name lag node starts_ms due_ms ends_ms syncs hears".split()


def save_service(service: ServiceTraffic) -> dict[str, Any]:
    """Plain data of a Service's endpoints and senders."""
    return {
        "endpoints": [[getattr(one, name) for name in _ENDPOINT] for one in service.endpoints.values()],
        "senders": [_save_sender(sender) for sender in service.senders.values()],
        "unsent": None if service.unsent is None else _save_sender(service.unsent),
    }


def _save_sender(sender: Sender) -> dict[str, Any]:
    return {**sender.save(), "views": {node: _save_view(view) for node, view in sender.views.items()}}


def load_sender(service: ServiceTraffic, data: dict[str, Any], zones: Mapping[str, str]) -> Sender:
    """The sender that `save_service` described; the endpoints are there. `zones`: by node."""
    sender = Sender(data["name"], 0)
    is_local = service.is_local(sender.name)
    for node, saved in data["views"].items():
        view = sender.views[node] = View(node, zones.get(node, ""), is_local)
        _load_view(service, view, saved)
    sender.load(data)
    return sender


def load_endpoints(service: ServiceTraffic, data: Sequence[Sequence[Any]]) -> None:
    """The endpoints that `save_service` described."""
    for row in data:
        endpoint = service.endpoints[row[0]] = Endpoint(row[0], row[1], row[2])
        for name, value in zip(_ENDPOINT, row, strict=True):
            setattr(endpoint, name, value)


def _save_view(view: View) -> dict[str, Any]:
    known = [_save_change((key, target)) for key, target in view.known.items()]
    return {"known": known, "history": view.history, "moves": view.moves}


def _load_view(service: ServiceTraffic, view: View, data: dict[str, Any]) -> None:
    for key, target in map(_load_change, data["known"]):
        if key in service.endpoints:
            view.take(key, target, service.endpoints[key].outcome)
    view.history = [(row[0], tuple(map(_standing, row[1])), row[2]) for row in data["history"]]
    view.moves = {
        key: [(at_ms, _standing(was) if was else None) for at_ms, was in moves]
        for key, moves in data["moves"].items()
    }


def _standing(row: Sequence[Any]) -> Standing:
    return (row[0], row[1], row[2])


def save_follower(follower: Follower) -> dict[str, Any]:
    """Plain data, with what it has yet to take in."""
    queue = [
        [heard, uid, list(map(_save_change, changes)), cause] for heard, uid, changes, cause in follower.queue
    ]
    own = {name: getattr(follower, name) for name in _FOLLOWER}
    return {**own, "queue": queue, "timer": follower.timer and list(follower.timer)}


def load_follower(data: dict[str, Any]) -> Follower:
    """The follower that `save_follower` described."""
    follower = Follower(data["name"], data["lag"], data["node"])
    for name in _FOLLOWER:
        setattr(follower, name, data[name])
    follower.queue = deque((row[0], row[1], list(map(_load_change, row[2])), row[3]) for row in data["queue"])
    follower.timer = (data["timer"][0], data["timer"][1]) if data["timer"] else None
    return follower


def _save_change(change: Change) -> list[Any]:
    key, target = change
    return [key, target and list(target)]


def _load_change(row: Sequence[Any]) -> Change:
    return row[0], row[1] and Target(row[1][0], row[1][1])
