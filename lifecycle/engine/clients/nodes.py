"""`kubectl cordon`, `uncordon` and `taint`: what a node takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..api.context import Context
from ..releases.release import Release
from .client import Answer, Client, Payload

if TYPE_CHECKING:
    from .upgrade import Upgrades


def cordon(client: Client, payload: Payload) -> Answer:
    """Have no more pods scheduled to a node. Raises ApiError."""
    return _set_unschedulable(client, payload, True)


def uncordon(client: Client, payload: Payload) -> Answer:
    """Have pods scheduled to a node again. Raises ApiError."""
    return _set_unschedulable(client, payload, False)


def _set_unschedulable(client: Client, payload: Payload, is_cordoned: bool) -> Answer:
    def change(data: Payload) -> None:
        spec = data.setdefault("spec", {})
        spec.pop("unschedulable", None)
        if is_cordoned:
            spec["unschedulable"] = True

    return client.change(client.find_node(payload), change)


def taint(client: Client, payload: Payload) -> Answer:
    """Give a node these taints in place of those it has. Raises ApiError."""
    return client.change(
        client.find_node(payload), lambda data: data.setdefault("spec", {}).update(taints=payload["taints"])
    )


def make_upgrades(
    context: Context, run_fault: Callable[[dict[str, Any]], object], become: Callable[[Release], Context]
) -> Upgrades:
    """`kubeadm upgrade`, which is loaded when somebody asks for it."""
    from .upgrade import Upgrades

    return Upgrades(context, run_fault, become)
