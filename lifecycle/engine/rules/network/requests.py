"""What becomes of requests to a Service, and who sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

from .services import EXTERNAL_NAME, LOAD_BALANCER, is_headless

Json = Mapping[str, Any]

PODS, INGRESS, LOAD_BALANCER_SENDER, DNS = "pods", "ingress", "loadBalancer", "dns"
SENDERS = (PODS, INGRESS, LOAD_BALANCER_SENDER, DNS)
"""Who sends requests: what stands between them and the endpoints follows these later than the slices say."""

SERVED, NOT_READY, REFUSED, RESET, TIMED_OUT, NOBODY = range(6)
OUTCOMES = ("served", "notReady", "refused", "reset", "timedOut", "nobody")
"""Served; served by a pod that is not ready; nobody listens; the connection ended while the request was under
way; no answer came; there was no endpoint."""
FIRST_LOST = REFUSED
"""This outcome and those after it are losses."""

_SCORE = 2054
"""In thousandths: from so many deviations below the mean to so many above lie 96 of 100 (p2 to p98)."""
_WHOLE = 1000


def find_variance(lost: Fraction | int, sent: Fraction | int) -> Fraction:
    """How much it varies what is lost of requests that each have the same chance to be.

    A proxy takes an endpoint by chance for each connection (pkg/proxy/iptables/proxier.go: `--mode random`).
    """
    # Where connections are kept open more may be under way than come: all are lost, and none by chance.
    return lost * (1 - Fraction(lost) / sent) if 0 < lost < sent else Fraction(0)


def find_range(
    lost_ms: Fraction | int, variance_ms: Fraction, sent_ms: Fraction | int, per_second: int
) -> tuple[int, int]:
    """From how few to how many requests are lost, by the chance of which endpoint each meets: p2 and p98.

    100 a second for 4 s with a chance of 1/4: 100 are lost, give or take 2.054 · √75, so 82 to 118.
    """
    lost = Fraction(lost_ms) * per_second / _WHOLE
    room = Fraction(isqrt(int(variance_ms * per_second * _SCORE**2 / _WHOLE)), _WHOLE)
    if not room:
        return ceil(lost), ceil(lost)
    most = max(ceil(lost), ceil(Fraction(sent_ms) * per_second / _WHOLE))
    return max(floor(lost - room), 0), min(ceil(lost + room), most)


def decide_senders(spec: Json, is_routed: bool) -> tuple[str, ...]:
    """Who sends requests to a Service where it does not say so. `is_routed`: a route names it."""
    found = [INGRESS] if is_routed else []
    if spec.get("type") == LOAD_BALANCER:
        found.append(LOAD_BALANCER_SENDER)
    if not found:
        found.append(DNS if is_headless(spec) else PODS)
    return tuple(found)


def find_port(spec: Json) -> Json | None:
    """The port that requests go to: the first of TCP. None for a Service that gets none."""
    if spec.get("type") == EXTERNAL_NAME or not spec.get("selector"):
        return None
    ports = spec.get("ports") or ()
    return next((one for one in ports if (one.get("protocol") or "TCP") == "TCP"), None)


def list_routed_services(kind: str, spec: Json) -> Iterable[tuple[str | None, str]]:
    """The Services that an Ingress or an HTTPRoute sends to: namespace, None for its own, and name."""
    if kind == "Ingress":
        backends = [spec.get("defaultBackend")]
        for rule in spec.get("rules") or ():
            backends += [one.get("backend") for one in (rule.get("http") or {}).get("paths") or ()]
        for backend in backends:
            name = ((backend or {}).get("service") or {}).get("name")
            if name:
                yield None, name
        return
    for rule in spec.get("rules") or ():
        for backend in rule.get("backendRefs") or ():
            if backend.get("name") and backend.get("kind", "Service") == "Service":
                yield backend.get("namespace"), backend["name"]
