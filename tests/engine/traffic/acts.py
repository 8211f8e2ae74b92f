"""What happens in the tables of situations: only what is named takes time, and what changes does so at 10 s.

Of three pods that are replaced SLOWLY the first new one is there at 10 and known at 11; an old one goes at
15, 20 and 25, each time as one of four that are known. Else all three are replaced at 10. In a table the id
of a row says how its sum comes about: seconds times a share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.engine.traffic.shop import (
    PORT,
    Shop,
    make_deployment,
    make_pod,
    make_service,
    make_template,
)

Act = Callable[[Shop], None]
Json = dict[str, Any]
SLOWLY: Json = {"minReadySeconds": 5}
RECREATE: Json = {"strategy": {"type": "Recreate"}}
ONE_SECOND = {"service_proxy": "1s"}
CHECK = {"httpGet": {"path": "/", "port": PORT}, "failureThreshold": 1}
READINESS = {"readinessProbe": {**CHECK, "periodSeconds": 1}}
LIVENESS = {"livenessProbe": {**CHECK, "periodSeconds": 10}}
LATE = {"app": {"listens": {"after": "8s"}}}


def sleep_before_stop(seconds: int) -> Json:
    return {"lifecycle": {"preStop": {"sleep": {"seconds": seconds}}}}


def run_before_stop(*words: str) -> Json:
    return {"lifecycle": {"preStop": {"exec": {"command": list(words)}}}}


def on_term(**plan: Any) -> Json:
    return {"app": {"onTerm": plan}}


def after_making(
    then: Act,
    *containers: Json,
    replicas: int = 3,
    spec: Any = None,
    others: Any = (),
    at: int = 10,
    **rest: Any,
) -> Act:
    """Make a Service, its Deployment and others, and do something then. `rest`: `service`, the template's."""
    service = rest.pop("service", {})

    def act(shop: Shop) -> None:
        template = make_template(*containers, **rest)
        shop.make(make_service(**service), make_deployment(template, replicas, **(spec or {})), *others).to(
            at
        )
        then(shop)

    return act


def roll(*containers: Json, spec: Any = SLOWLY, **rest: Any) -> Act:
    """Roll out another revision."""
    return after_making(Shop.update, *containers, spec=spec, **rest)


def scale(wanted: int, *containers: Json, **rest: Any) -> Act:
    """Scale the Deployment."""
    return after_making(
        lambda shop: shop.change("Deployment", {"spec": {"replicas": wanted}}), *containers, **rest
    )


def only_run(*containers: Json, **rest: Any) -> Act:
    """One pod, to which nothing is done."""
    return after_making(lambda shop: None, *containers, replicas=1, **rest)


def remove_one(
    *containers: Json, count: int = 2, requests: Any = None, options: Any = None, **rest: Any
) -> Act:
    """Of so many pods that nobody replaces delete one."""

    def act(shop: Shop) -> None:
        pods = [make_pod(f"web-{number}", make_template(*containers, **rest)) for number in range(count)]
        shop.make(make_service(requests), *pods).to(10)
        shop.remove("web-0", **(options or {}))

    return act


def on_two_nodes(then: Act, at: int = 10, **service: Any) -> Act:
    """Of two pods each has a node of its own."""
    return after_making(then, replicas=2, at=at, service=service)


def leave_first(shop: Shop) -> None:
    """The pod of the first node goes, and is replaced on the second."""
    shop.do("cordon", node="node-1")
    shop.remove(shop.find_pods("node-1")[0])


def crash_first(shop: Shop) -> None:
    """The machine of the first node goes off."""
    shop.do("fault", node="node-1", kind="crash")


def crash_first_for_a_while(shop: Shop) -> None:
    """The machine of the first node is off for 20 s."""
    shop.do("fault", node="node-1", kind="crash", **{"for": "20s"})


def cut_first_off(shop: Shop) -> None:
    """The first node hears nothing from 10 to 40; at 20 the pod of the second one is replaced there."""
    shop.do("fault", node="node-1", kind="partition", **{"for": "30s"})
    shop.do("cordon", node="node-1")
    shop.to(20)
    shop.remove(shop.find_pods("node-2")[0])


def make_service_late(shop: Shop) -> None:
    """The Service is made at 10 s, when its pods are there; the update comes at 15."""
    shop.make(make_deployment()).to(10)
    shop.make(make_service()).to(15)
    shop.update()


def keep_near(shop: Shop) -> None:
    """One pod in the zone of the first node, three in that of the second; the one goes and nobody comes."""
    for number, zone in ((1, "a"), (2, "b")):
        labels = {"topology.kubernetes.io/zone": zone}
        shop.do(
            "patch", kind="Node", name=f"node-{number}", type="merge", patch={"metadata": {"labels": labels}}
        )
    pods = [make_pod(f"web-{node}{n}", make_template(nodeName=f"node-{node}")) for node, n in PLACES]
    shop.make(make_service(trafficDistribution="PreferSameZone"), *pods).to(10)
    shop.remove("web-10")


PLACES = ((1, 0), (2, 0), (2, 1), (2, 2))


def point_elsewhere(shop: Shop) -> None:
    """The Service selects others."""
    shop.change("Service", {"spec": {"selector": {"app": "other"}}})


def evict_one(shop: Shop) -> None:
    """Evict a pod."""
    shop.do("evict", namespace="default", name=shop.find_pods("node-1")[0])


def drain_first(shop: Shop) -> None:
    """Drain the first node."""
    shop.do("drain", node="node-1")


def check(act: Act, until: float, lost_ms: int, told: str, sender: str, lags: Json, nodes: int = 1) -> Shop:
    """Play it, and hold it to what was lost so far and what was told."""
    shop = Shop(nodes, **lags)
    act(shop)
    shop.to(until)
    assert (shop.count_lost_ms(), shop.tell(sender)) == (lost_ms, told)
    return shop
