"""Random small histories of a Service and its pods, and a slow count of what was lost of its requests."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from lifecycle.engine import Cluster
from tests.engine.traffic.acts import READINESS
from tests.engine.traffic.shop import (
    Json,
    Shop,
    make_deployment,
    make_pod,
    make_route,
    make_service,
    make_template,
)

END_SECONDS = 90


class History:
    """What happens when, drawn from a seed. `is_simple`: one node, and requests that take no time."""

    def __init__(self, seed: int, is_simple: bool) -> None:
        draw = self._draw = Random(seed)
        self.is_simple = is_simple
        self.lag_ms = draw.choice((0, 300, 1000, 2700))
        self.listens_ms = draw.choice((0, 0, 1500, 4000))
        self.term = draw.choice(({}, {"takes": "2s"}, {"takes": "3s", "accepts": True}, {"ignore": True}))
        self.template = self._make_template()
        self.replicas = draw.randint(1, 4)
        self.spec = draw.choice(({}, {"minReadySeconds": 3}, {"strategy": {"type": "Recreate"}}))
        self.nodes = 1 if is_simple else draw.randint(1, 3)
        self.requests = {} if is_simple else self._draw_requests()
        at = sorted(draw.randint(4000, 70_000) for _ in range(draw.randint(1, 6)))
        kinds = ("scale", "update", "remove", "exit")
        kinds += () if is_simple else ("crash", "cut", "drain", "select", "route", "ask", "add")
        self.steps = [(at_ms, draw.choice(kinds), draw.random()) for at_ms in at]

    def _make_template(self) -> Json:
        draw, container = self._draw, {}
        behavior: Json = {"listens": {"after": f"{self.listens_ms}ms"}}
        if self.term:
            behavior["onTerm"] = self.term
        if draw.random() < 0.6:
            container |= READINESS
            at = sorted(draw.randint(1, 60) for _ in range(draw.choice((0, 2, 4))))
            results = [{"at": f"{one}s", "result": ("failure", "success")[n % 2]} for n, one in enumerate(at)]
            behavior["probes"] = {"readiness": [{"at": "0s", "result": "success"}, *results]} if at else {}
        if draw.random() < 0.5:
            container["lifecycle"] = {"preStop": {"sleep": {"seconds": draw.randint(1, 4)}}}
        return make_template(container, behavior={"app": behavior}, terminationGracePeriodSeconds=6)

    def _draw_requests(self) -> Json:
        draw = self._draw
        found: Json = {"perSecond": 1000}
        if draw.random() < 0.6:
            found["takes"] = f"{draw.choice((50, 700, 4000))}ms"
        if draw.random() < 0.4:
            found["keepAlive"] = f"{draw.choice((2, 15))}s"
        if draw.random() < 0.5:
            found["from"] = draw.sample(("pods", "ingress", "loadBalancer", "dns"), draw.randint(1, 4))
        return found

    def begin(self, requests: Json | None = None) -> Shop:
        """The cluster at its beginning."""
        lag = f"{self.lag_ms}ms"
        lags = dict.fromkeys(("ingress", "dns", "load_balancer"), lag) if not self.is_simple else {}
        shop = Shop(self.nodes, service_proxy=lag, **lags)
        service = make_service(self.requests if requests is None else requests)
        return shop.make(service, make_deployment(self.template, self.replicas, **self.spec))

    def act(self, shop: Shop, kind: str, share: float) -> None:
        """One step; what cannot be done is not."""
        pods = sorted(one["metadata"]["name"] for one in shop.cluster.list("Pod", "default"))
        pod = pods[int(share * len(pods))] if pods else ""
        node = f"node-{1 + int(share * self.nodes)}"
        names = {"kind": "Deployment", "namespace": "default", "name": "web", "type": "merge"}
        if kind == "scale":
            shop.submit("patch", patch={"spec": {"replicas": int(share * 5)}}, **names)
        elif kind == "update":
            meta = {"annotations": {"release": str(share)}}
            shop.submit("patch", patch={"spec": {"template": {"metadata": meta}}}, **names)
        elif kind == "remove" and pod:
            shop.submit("delete", kind="Pod", namespace="default", name=pod)
        elif kind == "exit" and pod:
            shop.submit("fault", namespace="default", pod=pod, container="app", kind="exit", code=1)
        elif kind in ("crash", "cut"):
            fault = "crash" if kind == "crash" else "partition"
            shop.submit("fault", node=node, kind=fault, **{"for": f"{5 + int(share * 20)}s"})
        elif kind == "drain":
            shop.submit("drain", node=node, uncordonAfter="5s")
        elif kind == "select":
            labels = {"app": "web" if share < 0.5 else "other"}
            shop.submit("patch", patch={"spec": {"selector": labels}}, **{**names, "kind": "Service"})
        elif kind == "route":
            shop.create(make_route())
        elif kind == "ask":
            text = json.dumps({**self.requests, "from": ["pods"] if share < 0.5 else []})
            meta = {"annotations": {"podline.dev/requests": text}}
            shop.submit("patch", patch={"metadata": meta}, **{**names, "kind": "Service"})
        elif kind == "add":
            shop.create(make_pod(f"more-{int(share * 1000)}", self.template))

    def play(self, requests: Json | None = None, pieces: Random | None = None) -> Shop:
        """To its end; with `pieces`, in pieces, taking rows and going on from what was saved now and then."""
        shop = self.begin(requests)
        for at_ms, kind, share in [*self.steps, (END_SECONDS * 1000, "", 0.0)]:
            while pieces is not None and shop.cluster.now_ms < at_ms:
                shop.cluster.run_until(min(shop.cluster.now_ms + pieces.randint(1, 4000), at_ms))
                if pieces.random() < 0.4:
                    assert shop.rows is not None
                if pieces.random() < 0.3 and shop.cluster.now_ms < at_ms:
                    assert shop.rows is not None
                    shop.cluster = Cluster.load(json.loads(json.dumps(shop.cluster.save())))
            shop.cluster.run_until(at_ms)
            self.act(shop, kind, share)
        return shop


# --- counted slowly ---------------------------------------------------------------------------------------


def count_lost(history: History, rows: list[dict[str, Any]]) -> tuple[Fraction, int]:
    """By each instant at which anything changed: lost and sent, in ms. `is_simple` histories alone."""
    stands: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for row in rows:
        if row.get("field") == "endpoint.web":
            stands[row["uid"]].append((row["at_ms"] + history.lag_ms, row["new"]))
    spans = find_spans(history, rows)
    instants = {at_ms for turns in stands.values() for at_ms, _new in turns}
    instants |= {at_ms for turns in spans.values() for span in turns for at_ms in span}
    edges = [*sorted(one for one in instants if one < END_SECONDS * 1000), END_SECONDS * 1000]
    lost, sent = Fraction(0), 0
    for begin, end in pairwise(edges):
        standing = {uid: find_last(turns, begin) for uid, turns in stands.items()}
        used = [uid for uid, new in standing.items() if new == "ready"]
        used = used or [uid for uid, new in standing.items() if new == "serving"]
        if not (used or sent):
            continue
        sent += end - begin
        well = [uid for uid in used if any(low <= begin < high for low, high in spans[uid])]
        lost += (end - begin) * (1 - Fraction(len(well), len(used)) if used else Fraction(1))
    return lost, sent


def find_last(turns: list[tuple[int, Any]], now_ms: int) -> Any:
    return next((new for at_ms, new in reversed(turns) if at_ms <= now_ms), None)


def find_spans(history: History, rows: list[dict[str, Any]]) -> dict[str, list[tuple[int, int]]]:
    """By pod, from when to when its server takes connections."""
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    opened: dict[str, int] = {}
    closes = "takes" in history.term and not history.term.get("accepts")
    for row in rows:
        uid, field, at_ms = row.get("uid"), row.get("field"), row["at_ms"]
        if field == "container.app.state" and row["new"] == "Running":
            opened[uid] = row["detail"].get("startedAt_ms", at_ms) + history.listens_ms
        elif field == "container.app.state" and row["new"] == "Terminated":
            at_ms = row["detail"].get("finishedAt_ms", at_ms)
        elif not ((field == "exists" and row["new"] == "deleted") or (field == "signal.app" and closes)):
            continue
        if uid in opened and row["new"] != "Running":
            spans[uid].append((opened.pop(uid), at_ms))
    for uid, at_ms in opened.items():
        spans[uid].append((at_ms, END_SECONDS * 1000))
    return spans
