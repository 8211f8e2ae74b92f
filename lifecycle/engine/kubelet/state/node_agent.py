"""The state of one kubelet: images on disk, pulls in progress, addresses, configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ...releases.gates import is_enabled
from ...releases.switches import (
    BACK_OFF_LOOKED_AT,
    CONTAINER_EVENTS_NAME_CONTAINER,
    EVICTIONS_IGNORE_POD_GRACE,
    EXEC_PROBES_END_WITH_SYNC,
    GRACE_OVERRIDE_IS_LAST,
    KUBELET_RELISTS_ON_DEMAND,
    RESIZE_EVENTS_TELL_ADMISSION,
    RESIZE_TELLS_ITS_END_ONLY,
    SANDBOX_MAKES_READY_TO_START,
)
from ...rules.nodes.eviction_settings import read_eviction_settings
from ...rules.pods.backoff import decide_limits
from ...rules.pods.image_names import full_name
from .node_pressure import NodePressure
from .normal_events import Few, load_few
from .saving import load_map, save_map

KUBELET, PARTITION, SANDBOXES, API_SERVER = "kubelet", "partition", "sandboxes", "apiServer"
"""Outages: the kubelet is down; its node is cut off; it cannot make sandboxes; no API server is there."""
CUTS = (PARTITION, API_SERVER)
"""Those in which a kubelet runs without reaching the API server."""


_DATA = "pulls last_address number outages down_since_ms is_blind is_removed is_off is_cordoned".split()


class Shutdown:
    """A machine that is being shut down: for how long it is to be off (None: for ever), and whose turn it is.

    `waiting`: uids of the pods of the group whose turn it is, until the `timer` of that number fires.
    """

    __slots__ = ("for_ms", "step", "timer", "waiting")

    def __init__(self, for_ms: int | None) -> None:
        self.for_ms = for_ms
        self.step = -1
        self.timer: int | None = None
        self.waiting: list[str] = []

    def save(self) -> list[Any]:
        """Plain data."""
        return [self.for_ms, self.step, self.timer, list(self.waiting)]

    @classmethod
    def load(cls, data: list[Any]) -> Shutdown:
        """The state that `save` described."""
        state = cls(data[0])
        state.step, state.timer, state.waiting = data[1], data[2], list(data[3])
        return state


def make_address(number: int) -> str:
    """Node n of a cluster is 10.0.x.y."""
    return f"10.0.{number >> 8 & 255}.{number & 255}"


class KubeletRules(NamedTuple):
    """What kubelets of other releases do otherwise, read once for each kubelet."""

    events_name_container: bool
    evictions_ignore_pod_grace: bool
    exec_probes_end: bool
    images_need_secrets: bool
    looks_at_back_offs: bool
    override_is_last: bool
    relists_on_demand: bool
    resize_passes_admission: bool
    restart_forgets_probes: bool
    resize_tells_its_end_only: bool
    tells_sandbox_at_once: bool

    @classmethod
    def read(cls, gates: Mapping[str, bool], switches: Mapping[str, bool], has_relists: bool) -> KubeletRules:
        """From the gates and switches of its release, as the cluster sets them.

        `has_relists`: whether a look at the runtime takes time.
        """
        return cls(
            events_name_container=switches[CONTAINER_EVENTS_NAME_CONTAINER],
            evictions_ignore_pod_grace=switches[EVICTIONS_IGNORE_POD_GRACE],
            exec_probes_end=switches[EXEC_PROBES_END_WITH_SYNC],
            images_need_secrets=is_enabled(gates, "KubeletEnsureSecretPulledImages"),
            looks_at_back_offs=switches[BACK_OFF_LOOKED_AT],
            override_is_last=switches[GRACE_OVERRIDE_IS_LAST],
            relists_on_demand=switches[KUBELET_RELISTS_ON_DEMAND] and has_relists,
            restart_forgets_probes=is_enabled(gates, "ChangeContainerStatusOnKubeletRestart"),
            resize_passes_admission=switches[RESIZE_EVENTS_TELL_ADMISSION],
            resize_tells_its_end_only=switches[RESIZE_TELLS_ITS_END_ONLY],
            tells_sandbox_at_once=switches[SANDBOX_MAKES_READY_TO_START] and has_relists,
        )


class NodeAgent:
    """Plain data of one node. `pulls`: image under way → the instant (ms) it will be there.

    `outages`: kind → number of the timer that ends it, None for one without an end.
    """

    __slots__ = (
        "back_off",
        "configuration",
        "down_since_ms",
        "eviction",
        "few",
        "host_ip",
        "images",
        "is_blind",
        "is_cordoned",
        "is_off",
        "is_removed",
        "last_address",
        "name",
        "number",
        "outages",
        "pressure",
        "pulls",
        "relist_phase_ms",
        "rules",
        "shutdown",
        "subnet",
    )

    def __init__(
        self,
        name: str,
        number: int,
        relist_phase_ms: int,
        features: Mapping[str, bool],
        rules: KubeletRules,
        configuration: Mapping[str, Any] | None,
    ) -> None:
        self.name = name
        self.number = number
        # The phase of its relists within the period.
        self.relist_phase_ms = relist_phase_ms
        self.images: dict[str, None] = {}
        self.pulls: dict[str, int] = {}
        self.outages: dict[str, int | None] = {}
        self.down_since_ms = 0
        # It has started while it was cut off, and has not heard of any pod yet.
        self.is_blind = False
        # Its machine does not run, or its kubelet has not told yet that it was started again.
        self.is_off = False
        # Its machine is gone for good.
        self.is_removed = False
        # What it saw last of its Node's `unschedulable`.
        self.is_cordoned = False
        # The normal events told about the node, while they are few (normal_events).
        self.few: Few | None = {}
        # It gives its pods addresses of its own /24.
        self.host_ip = make_address(number)
        self.subnet = f"10.{64 + (number >> 8 & 63)}.{number & 255}"
        self.last_address = 0
        self.configuration = configuration
        self.rules = rules
        self.back_off = decide_limits(features, configuration)
        self.eviction = read_eviction_settings(configuration)
        # Only of a machine that is being shut down.
        self.shutdown: Shutdown | None = None
        # Only of a node that is or may soon be short of something.
        self.pressure: NodePressure | None = None

    @property
    def is_deaf(self) -> bool:
        """Whether it hears nothing from the API server."""
        return KUBELET in self.outages or self.is_cut_off

    @property
    def is_cut_off(self) -> bool:
        """Whether it cannot reach the API server, if it runs."""
        return PARTITION in self.outages or API_SERVER in self.outages

    def outage_timer(self, kind: str) -> tuple[int, bool] | None:
        """The timer that ends an outage."""
        number = self.outages.get(kind)
        return None if number is None else (number, True)

    def next_address(self) -> str:
        """A pod address that was not given before: 254 of the /24 first, then the upper half of 10/8."""
        self.last_address += 1
        if self.last_address <= 253:
            return f"{self.subnet}.{self.last_address + 1}"
        value = (self.last_address << 10) % (1 << 23) + self.number % 1024
        return f"10.{128 + (value >> 16)}.{value >> 8 & 255}.{value & 255}"

    def save(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **save_map(self, _DATA),
            "images": list(self.images),
            "few": None if self.few is None else dict(self.few),
            "pressure": self.pressure.save() if self.pressure is not None else None,
            "shutdown": self.shutdown.save() if self.shutdown is not None else None,
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described."""
        load_map(self, data, _DATA)
        self.few = load_few(data["few"])
        self.images = dict.fromkeys(map(full_name, data["images"]))
        shutdown = data.get("shutdown")
        self.shutdown = Shutdown.load(shutdown) if shutdown is not None else None
        self.pressure = NodePressure.load(data["pressure"]) if data["pressure"] is not None else None
