"""A cluster's API server at the host's own root, for who shows a token of the cluster.

`kubectl get --raw /healthz` and `kubectl create --raw` ask for just that path, wherever their server is.
A token is of one cluster, so it says which is meant; nothing else here takes one.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lifecycle.access import address_for
from lifecycle.kube_api.access.bearers import find_bearer
from lifecycle.threads import reading as in_thread

BEGINNING = b"Bearer "


def by_token(application: Any) -> Any:
    """The application, with what comes with a token led to its cluster below /k8s/."""

    async def lead(scope: Any, receive: Any, send: Any) -> None:
        shown = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if shown.startswith(BEGINNING) and not scope["path"].startswith("/k8s/"):
            scope = await in_thread(_lead)(scope, shown.decode("latin-1").partition(" ")[2])
        await application(scope, receive, send)

    return lead


def _lead(scope: Any, token: str) -> Any:
    found = find_bearer(token)
    if found is None:
        return scope
    path = f"/k8s/{address_for(found.user, found.cluster)}{scope['path']}"
    return scope | {"path": path, "raw_path": quote(path).encode()}
