"""A pod that serves a page, for whoever comes from outside."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop

SERVES = "mkdir -p /www; echo hello > /www/index.html; httpd -p 8080 -h /www; sleep 1d"
CONTAINER = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", SERVES]}


def work_at_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a worker that carries commands out as soon as somebody waits for them."""
    wait = inbox.wait_for_result

    def carry_out(command: Any, timeout: float) -> Any:
        shop.turn()
        return wait(command, timeout)

    monkeypatch.setattr(inbox, "wait_for_result", carry_out)


@pytest.fixture
def serving(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A pod that serves a page, a Service before it, and a worker that carries commands out at once."""
    port = {"containerPort": 8080, "name": "http"}
    shop.create("Pod", "p", labels={"app": "p"}, spec={"containers": [CONTAINER | {"ports": [port]}]})
    ports = [{"name": "web", "port": 80, "targetPort": "http"}]
    shop.create("Service", "s", spec={"selector": {"app": "p"}, "ports": ports})
    shop.create("Service", "none", spec={"selector": {"app": "none"}, "ports": ports})
    shop.turn(60)
    shop.turn(1)
    work_at_once(shop, monkeypatch)
    return shop
