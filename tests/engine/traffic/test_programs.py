"""Programs in pods know of a Service's endpoints as late as their node's kube-proxy does."""

import pytest

from tests.engine.traffic.shop import PORT, Shop, make_pod, make_service, make_template

ASKED = "wget -T 1 -q -O /dev/null http://web 2>/dev/null"
ASKS = f"for n in $(seq 1 60); do {ASKED} && echo well || echo lost; sleep 0.5; done"


def make_client(script: str, node: str = "") -> dict:
    """A pod that no Service selects, and runs a script."""
    container = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script]}
    spec = {"nodeName": node} if node else {}
    meta = {"name": "client", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container], **spec}}


def said(shop: Shop) -> list[tuple[float, str]]:
    """What the client said when."""
    assert shop.rows is not None
    client = shop.get("client")
    assert client is not None
    uid = client["metadata"]["uid"]
    return [(at_ms / 1000, line) for one, _container, _attempt, at_ms, line in shop.logs if one == uid]


@pytest.mark.parametrize("lag, ends", [("2s", 12), ("4s", 14)])
def test_a_client_meets_the_endpoint_that_has_gone_for_the_lag_and_the_next_one_after_it(lag, ends):
    shop = Shop(service_proxy=lag).make(make_service(), make_pod("web-0")).to(8)
    # A second pod comes when the first goes, and is known as late.
    shop.make(make_client(ASKS)).to(10)
    shop.make(make_pod("web-1"))
    shop.remove("web-0")
    lines = said(shop.to(40))
    assert {line for at, line in lines if at < 10} == {"well"}
    # A request that is sent before the lag is over ends up to a second later.
    assert {line for at, line in lines if 11 <= at < ends} == {"lost"}
    assert {line for at, line in lines if at >= ends + 1} == {"well"}


@pytest.mark.parametrize("lag, seconds", [("0s", 0), ("2s", 2), ("7s", 7)])
def test_a_wait_for_a_service_ends_the_lag_later(lag, seconds):
    shop = Shop(service_proxy=lag).make(make_service())
    shop.make(
        make_client("until nc -z web 80 2>/dev/null >/dev/null; do sleep 1; done; echo there; sleep 1000")
    ).to(10)
    shop.make(make_pod("web-0"))
    ((at, line),) = said(shop.to(40))
    assert (line, 10 + seconds <= at <= 11 + seconds) == ("there", True), at


def test_a_client_of_a_node_that_is_cut_off_goes_on_with_what_it_knew():
    shop = Shop(nodes=2, service_proxy="1s")
    template = make_template(nodeName="node-2")
    shop.make(make_service(), make_pod("web-0", template)).to(5)
    shop.make(make_client(ASKS, "node-1")).to(10)
    shop.do("fault", node="node-1", kind="partition", **{"for": "10s"})
    shop.make(make_pod("web-1", template)).to(12)
    shop.remove("web-0")
    lines = said(shop.to(34))
    assert {line for at, line in lines if at < 12} == {"well"}
    # It never hears of the second pod, nor that the first has gone, until 20.
    assert {line for at, line in lines if 12.5 <= at < 20} == {"lost"}
    assert {line for at, line in lines if at >= 21} == {"well"}


def test_an_address_of_a_pod_is_known_at_once():
    shop = Shop(service_proxy="5s").make(make_service(), make_pod("web-0")).to(1)
    found = shop.get("web-0")
    assert found is not None
    address = found["status"]["podIP"]
    quiet = ">/dev/null 2>&1"
    asks = f"nc -z {address} {PORT} {quiet} && echo direct; nc -z web 80 {quiet} || echo unknown; sleep 99"
    shop.make(make_client(asks))
    assert [line for _at, line in said(shop.to(4))] == ["direct", "unknown"]
