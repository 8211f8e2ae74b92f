"""Every latency of the model, in one table. All in ms; a pair is an even spread drawn per use.

`realistic` is what a healthy small cluster shows; `instant` is all zero, so that only what a manifest, a
profile or a script states takes time, and the release's rules. These (back-offs, periods, deadlines, which
look tells what) are no latencies and hold under every preset: the numbers among them are constants below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from lifecycle.late_patterns import late_pattern

from ..objects.shortened import shorten

Spread = tuple[int, int]

# name: (realistic low, realistic high, why)
_TABLE: dict[str, tuple[int, int, str]] = {
    "schedule": (2, 10, "one scheduling cycle and the binding, from the pod entering the queue"),
    "watch": (5, 25, "a kubelet hears of a change to one of its pods"),
    "controller_sync": (15, 15, "a controller's queue gathers changes before it looks again"),
    "job_sync": (1000, 1000, "the Job controller's queue gathers changes of pods before it looks again"),
    "volume_mount": (20, 120, "mounting what the pod needs, before its sandbox"),
    "claim_look": (12, 12, "the volume controller getting to a claim or a volume that has changed"),
    "claim_protection": (35, 35, "making sure that nobody uses a claim or a volume that is to go"),
    "claim_resync": (
        15_000,
        15_000,
        "between two looks of the volume controller at claims that found nothing",
    ),
    "volume_count": (
        0,
        60_000,
        "a kubelet measuring what is in a new pod's volumes: it looks for new pods once a minute",
    ),
    "volume_recount": (60_000, 120_000, "a kubelet measuring what is in a pod's volumes once more"),
    "volume_provision": (900, 2500, "a storage driver making a volume for a claim"),
    "volume_delete": (400, 1500, "a storage driver deleting a volume that was released"),
    "volume_bind": (
        1000,
        1000,
        "between two looks of the scheduler at the claims of a pod that it has found a node for",
    ),
    "volume_attach": (1500, 4000, "a storage driver attaching a volume to a node"),
    "volume_detach": (1500, 4000, "a storage driver taking a volume off a node that needs it no more"),
    "mounted_source": (
        0,
        90_000,
        "a kubelet looking at a pod the next time, at which files mounted of a ConfigMap or Secret that has"
        " changed follow it",
    ),
    "sandbox": (300, 500, "runtime sandbox and pod network"),
    "image_pull": (1200, 5000, "an image that the node does not have yet"),
    "image_check": (20, 120, "asking the registry again for an image that is there (policy Always)"),
    "container_start": (40, 150, "creating and starting a container"),
    "kill_pod": (10, 60, "tearing down the sandbox after the last container has ended"),
    "pod_end": (
        40,
        150,
        "a pod that ended by itself, from the kubelet's look after the one that saw it, until it says so",
    ),
    "pod_removal": (
        5,
        30,
        "a deleted pod, from the kubelet's look after its terminal phase until it is removed",
    ),
    "resize": (100, 600, "new amounts of CPU and memory reaching a running container"),
    "kubelet_look": (
        1004,
        1004,
        "from one look of a kubelet at its runtime, and at workers that are due, to the next: a second after"
        " the end of each",
    ),
    "worker_return": (
        0,
        500,
        "how much later than it may a pod's worker comes back, for each second that it has to wait",
    ),
    "kubelet_start": (800, 2500, "a kubelet that was restarted is at work again"),
    "lease_age": (
        0,
        10_000,
        "the age of the last renewal of a lease when its kubelet falls silent: it is renewed every 10 s",
    ),
    "node_monitor": (0, 5000, "the node lifecycle controller's next look at all nodes and leases, every 5 s"),
    "condition_taint": (
        12,
        12,
        "a node's taints following its conditions and its cordon; the scheduler has heard of these before",
    ),
    "node_taint": (0, 100, "the controller that taints lost nodes getting to one, every 100 ms"),
    "taint_eviction": (20, 20, "the taint eviction controller getting to a pod whose node drives it away"),
    "node_look": (0, 10_000, "a kubelet's next look at its own Node, every 10 s"),
    "node_status": (
        0,
        10_000,
        "a kubelet that reaches the API server again telling of its node, which it does every 10 s",
    ),
    "pod_garbage": (0, 20_000, "the pod garbage collector's next pass, every 20 s"),
    "autoscaler_look": (20, 20, "an autoscaler's queue getting to it at the end of each of its periods"),
    "garbage": (15, 60, "the garbage collector noticing an owner's end"),
    "endpoints": (2, 8, "the endpoint slice controller following a pod's readiness"),
    "dns_denial": (30_000, 30_000, "how long cluster DNS keeps that there is no such pod (CoreDNS' cache)"),
    "load_balancer_provision": (10_000, 30_000, "a cloud making a load balancer, or taking one down"),
    "service_proxy": (
        0,
        30,
        "a node's kube-proxy hearing of a change of endpoints; where it is given, until its rules follow",
    ),
    "service_proxy_sync": (20, 75, "a kube-proxy writing its rules, which it does at most once a second"),
    "endpoints_rest": (
        30,
        85,
        "the endpoint slice controller following the others of several pods that change at once, where it has"
        " looked after the first",
    ),
    "ingress": (
        100,
        3_400,
        "an ingress or gateway controller following a change of endpoints: ingress-nginx gathers them, 0.3"
        " times a second (--sync-rate-limit)",
    ),
    "load_balancer": (
        10_000,
        60_000,
        "a cloud's load balancer following the health of a node: some checks in a row, 8 to 30 s apart",
    ),
    "dns": (
        0,
        30_000,
        "clients of a headless Service following its records: cluster DNS has them kept for 30 s (Corefile of"
        " kubeadm)",
    ),
    "pod_network": (
        80,
        140,
        "the network of a pod whose containers have ended going away: until then connections are refused",
    ),
    "made_object": (
        1_000,
        5_000,
        "an operator making the Secret or ConfigMap that an object of its asks for",
    ),
}
NAMES = tuple(_TABLE)
WHYS: Mapping[str, str] = {name: why for name, (_low, _high, why) in _TABLE.items()}
"""What each latency stands for."""

BACK_OFF_INITIAL_MS = 10_000
"""First real crash-loop and pull delay; doubled each time (kubelet)."""
BACK_OFF_MAX_MS = 300_000
"""Cap of crash-loop and pull delays (kubelet)."""
BACK_OFF_RESET_MS = 600_000
"""A run longer than this forgets the crash-loop delay (kubelet)."""
REDUCED_BACK_OFF_INITIAL_MS = 1_000
"""First delay with the gate ReduceDefaultCrashLoopBackOffDecay."""
REDUCED_BACK_OFF_MAX_MS = 60_000
"""Cap with the gate ReduceDefaultCrashLoopBackOffDecay."""
RESYNC_MS = 60_000
"""A worker comes back to its pod at the latest after this (kubelet)."""
STATUS_SYNC_MS = 10_000
"""How often a kubelet compares what it said of its pods with what the API server says (status manager)."""
CLAIM_RESYNC_MS = 15_000
"""How often the volume controller goes over all claims, and tells what each waits for (resyncPeriod)."""
ON_DEMAND_RELIST_MS = 20
"""What a look at the runtime takes that a kubelet asks for after it has done something for a pod."""
LEAST_RUN_MS = 30
"""What the shortest program takes from its start to its end: such a look sees it running."""
MINIMUM_GRACE_SECONDS = 2
"""The least window between a stop signal and SIGKILL (kubelet)."""
UPKEEP_PROGRAM_MS = 600_000
"""Wakes of a program older than this are upkeep: a server's loop does not keep a run from being idle."""
QUEUE_BASE_MS = 5
"""First delay of a work queue's exponential retry, in ms (client-go)."""
QUEUE_MAX_MS = 1_000_000
"""Cap of a work queue's exponential retry, in ms (client-go)."""
DAEMON_BACK_OFF_INITIAL_MS = 1_000
"""How long a node's next failed daemon pod is kept after the first was deleted; doubled each time."""
DAEMON_BACK_OFF_MAX_MS = 900_000
"""Cap of that delay; it is forgotten after twice as long."""
PROXY_PERIOD_MS = 1_000
"""The least time between two syncs of a kube-proxy (minSyncPeriod of its configuration)."""
SYNCS_PER_INSTANT = 100
"""How often one key may be looked at within one instant before its queue backs off."""
ROOM_OF_INSTANT = 1000
"""After so many writes of controllers in one instant, keys that are left wait for the next millisecond. In
Kubernetes they write far less often: 20 times a second each, after a burst of 30 (--kube-api-qps)."""
WRITES_A_LOOK = 500
"""So many objects one look makes or deletes, where Kubernetes' controllers set themselves no bound."""


class Timing:
    """The table of one cluster: `spread(name)` gives (low, high) in ms."""

    __slots__ = ("given", "is_instant", "spreads")

    def __init__(self, preset: str | Mapping[str, Any] = "realistic") -> None:
        """Raises ValueError for an unknown preset or name, or a spread that is not 0 <= low <= high."""
        overrides: Mapping[str, Any] = {}
        if not isinstance(preset, str):
            overrides = preset
            preset = overrides.get("preset", "realistic")
        if preset not in ("realistic", "instant"):
            raise ValueError(
                f"timing {shorten(preset)}: use realistic, instant or a map of {', '.join(NAMES)}"
            )
        self.is_instant = preset == "instant"
        self.spreads: dict[str, Spread] = {
            name: (0, 0) if self.is_instant else (low, high) for name, (low, high, _why) in _TABLE.items()
        }
        # Names of latencies that were set, and not taken from the preset.
        self.given = frozenset(overrides) - {"preset"}
        for name, value in overrides.items():
            if name != "preset":
                self.spreads[name] = _read_spread(name, value)

    def spread(self, name: str) -> Spread:
        """(low, high) in ms of a latency of the table."""
        return self.spreads[name]


def _read_spread(name: str, value: Any) -> Spread:
    if name not in _TABLE:
        raise ValueError(f"timing.{name}: unknown; the table has {', '.join(NAMES)}")
    low, high = value if isinstance(value, list | tuple) and len(value) == 2 else (value, value)
    low_ms, high_ms = read_duration_ms(low), read_duration_ms(high)
    if low_ms is None or high_ms is None or not 0 <= low_ms <= high_ms:
        raise ValueError(f"timing.{name}: {shorten(value)} is no latency; use 250ms, 3s or [250ms, 3s]")
    return low_ms, high_ms


LONGEST_MS = 100 * 365 * 24 * 3_600_000
"""A duration of more than a hundred years is none."""
_UNIT_MS = {
    "ns": Decimal("0.000001"),
    "us": Decimal("0.001"),
    "µs": Decimal("0.001"),
    "ms": Decimal(1),
    "s": Decimal(1000),
    "m": Decimal(60_000),
    "h": Decimal(3_600_000),
}
_PART = r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)"
_WHOLE = late_pattern(rf"(?:{_PART})+")
DURATION_PATTERN = rf"^(?:{_PART})+$"
"""What a duration looks like, for schemas."""
_LONGEST_TEXT = 100


def parse_milliseconds(text: str) -> int:
    """`1m30s` is 90000. Raises ValueError, saying what would be right, for anything else."""
    if len(text) > _LONGEST_TEXT or not _WHOLE.fullmatch(text):
        raise ValueError(f"{shorten(text)} is not a duration; write for example 3s, 250ms or 1m30s")
    total = sum((Decimal(number) * _UNIT_MS[unit] for number, unit in re.findall(_PART, text)), Decimal(0))
    return int(total.to_integral_value(ROUND_HALF_EVEN))


def read_duration_ms(value: Any) -> int | None:
    """Whole ms of `250ms`, `1.5s`, `1m30s`, `2h` or a plain number of ms; None for anything else."""
    if isinstance(value, str):
        try:
            value = parse_milliseconds(value.strip())
        except ValueError:
            return None
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and abs(value) <= LONGEST_MS else None
