"""`chance`: another future of the same cluster. Kubernetes has no such thing."""

from __future__ import annotations

from ..kinds.namespace import NAMESPACE
from .client import Answer, Client, Payload

_OWN = "kube-system"


def draw_from(client: Client, payload: Payload) -> Answer:
    """Draw from another seed from here on: delays come out otherwise, names and uids do not.

    A cluster as a whole is known by the namespace of its own parts.
    """
    client.chance.draw_from(payload["seed"])
    return 200, client.store.require(NAMESPACE.kind.id, None, _OWN)
