"""The settings of a cluster: part of the input of its history, fixed at creation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..objects.shortened import shorten
from ..objects.time_zones import UTC, is_zone
from ..releases.known import DEFAULT_RELEASE, FIRST_RELEASE, find_release
from ..releases.release import Release
from ..releases.switches import SWITCHES
from .feature_gates import FEATURE_DEFAULTS, find_gate_problem, find_switch_problem
from .timing import Timing, parse_milliseconds

MOST_PODS = 150_000
"""As many as Kubernetes is made for. Where it would try to hold more, here they are refused."""

MANAGER_DEFAULTS: Mapping[str, float | str] = {
    "horizontalPodAutoscalerCPUInitializationPeriod": "5m",
    "horizontalPodAutoscalerDownscaleStabilization": "5m",
    "horizontalPodAutoscalerInitialReadinessDelay": "30s",
    "horizontalPodAutoscalerSyncPeriod": "15s",
    "largeClusterSizeThreshold": 50,
    "metricsResolution": "0s",
    "mostPods": MOST_PODS,
    "nodeEvictionRate": 0.1,
    "nodeMonitorGracePeriod": "50s",
    "nodeStartupGracePeriod": "60s",
    "secondaryNodeEvictionRate": 0.01,
    "terminatedPodGCThreshold": 12500,
    "timeZone": UTC,
    "ttlAfterFinishedClockOffset": "0s",
    "unhealthyZoneThreshold": 0.55,
}
"""What can be set of the controller manager.

`metricsResolution` is the metrics server's: how often it asks kubelets (its own default is 15s); 0s: what is
used is told as somebody asks. `mostPods` is the API server's: it refuses more, as it refuses what exceeds a
quota; the default is what Kubernetes is made for.
"""
_SPANS = tuple(
    name
    for name in MANAGER_DEFAULTS
    if name.startswith(("horizontal", "metrics", "nodeMonitor", "nodeStart"))
)
_SHORTEST_PERIOD_MS = 100

DEFAULT_NODES: Mapping[str, Any] = {"count": 3, "cpu": "4", "memory": "8Gi", "pods": 110}


class Settings:
    """The release, timing, nodes, feature gates, switches and component settings.

    `compatibility` is the older spelling of `kubernetes`, and a switch among the settings of the controller
    manager that of one in `switches`. Raises ValueError for what cannot be, and for gates and settings that
    nobody would act on.
    """

    __slots__ = (
        "controller_manager",
        "feature_gates",
        "kubelet",
        "manager",
        "nodes",
        "release",
        "switches",
        "timing",
    )

    def __init__(
        self,
        timing: str | Mapping[str, Any] = "realistic",
        nodes: Mapping[str, Any] | None = None,
        feature_gates: Mapping[str, bool] | None = None,
        compatibility: str | None = None,
        controller_manager: Mapping[str, Any] | None = None,
        kubelet: list[dict[str, Any]] | None = None,
        kubernetes: str | None = None,
        switches: Mapping[str, bool] | None = None,
    ) -> None:
        Timing(timing)
        self.release = release = _choose_release(kubernetes, compatibility)
        manager = dict(controller_manager or {})
        given = {name: manager.pop(name) for name in SWITCHES if name in manager} | dict(switches or {})
        gates = feature_gates or {}
        _complain(find_gate_problem(release, gate, gates[gate]) for gate in gates)
        _complain(find_switch_problem(name, given[name]) for name in given)
        _check_manager(manager)
        self.timing = timing
        self.nodes: dict[str, Any] = {**DEFAULT_NODES, **(nodes or {})}
        self.feature_gates: dict[str, bool] = {**release.defaults, **gates}
        self.switches: dict[str, bool] = {**_read_switches(release, self.feature_gates), **given}
        self.controller_manager = manager
        self.manager: Mapping[str, Any] = {**MANAGER_DEFAULTS, **manager}
        self.kubelet = list(kubelet or [])

    def of_kubelet(self, version: str) -> tuple[Mapping[str, bool], Mapping[str, bool]]:
        """The gates and switches of a kubelet that tells this version: its release's, but for those given.

        One of a release that is not modelled does as the cluster's.
        """
        release = find_kubelet_release(version) or self.release
        if release is self.release:
            return self.feature_gates, self.switches
        given = _list_changed(self.feature_gates, self.release.defaults)
        gates = {**release.defaults, **{name: on for name, on in given.items() if name in release.gates}}
        changed = _list_changed(self.switches, _read_switches(self.release, self.feature_gates))
        return gates, {**_read_switches(release, gates), **changed}

    def of_release(self, release: Release) -> Settings:
        """The same of another release; of what was set otherwise that which there is in it as well."""
        return Settings.from_saved({**self.to_json(), "kubernetes": release.name})

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kubernetes": self.release.name,
            "timing": self.timing if isinstance(self.timing, str) else dict(self.timing),
            "nodes": self.nodes,
            "featureGates": _list_changed(self.feature_gates, self.release.defaults),
            "switches": _list_changed(self.switches, _read_switches(self.release, self.feature_gates)),
            "controllerManager": self.controller_manager,
            "kubelet": self.kubelet,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """Read plain data; absent fields take their defaults."""
        return cls(
            data.get("timing") or "realistic",
            data.get("nodes"),
            data.get("featureGates"),
            data.get("compatibility"),
            data.get("controllerManager"),
            data.get("kubelet"),
            data.get("kubernetes"),
            data.get("switches"),
        )

    @classmethod
    def from_saved(cls, data: Mapping[str, Any]) -> Settings:
        """Read what a cluster was made with; what only other versions of the engine know is left out."""
        release = read_release(data)
        gates, switches = data.get("featureGates") or {}, data.get("switches") or {}
        manager = data.get("controllerManager") or {}
        known = {*MANAGER_DEFAULTS, *SWITCHES}
        return cls.from_json(
            {
                **data,
                "kubernetes": release.name,
                "compatibility": None,
                "featureGates": {
                    name: gates[name]
                    for name in gates
                    if find_gate_problem(release, name, gates[name]) is None
                },
                "switches": {name: switches[name] for name in switches if name in SWITCHES},
                "controllerManager": {name: manager[name] for name in manager if name in known},
            }
        )


def read_release(saved: Mapping[str, Any]) -> Release:
    """The release of a cluster with these settings; where they name none of today's, the first one modelled.

    Older engines took any text as `compatibility`, and acted on one.
    """
    try:
        return find_release(saved.get("kubernetes") or saved.get("compatibility") or FIRST_RELEASE.name)
    except ValueError:
        return FIRST_RELEASE


def find_kubelet_release(version: str) -> Release | None:
    """The release of a kubelet that tells `v1.34.9` or `v1.34.9-eks-1a2b`; None where it is not modelled."""
    try:
        return find_release(version.partition("-")[0].partition("+")[0])
    except ValueError:
        return None


def _choose_release(kubernetes: str | None, compatibility: str | None) -> Release:
    former = None if compatibility is None else find_release(compatibility)
    release = (former or DEFAULT_RELEASE) if kubernetes is None else find_release(kubernetes)
    if former not in (None, release):
        raise ValueError(
            f"compatibility is {compatibility}, and kubernetes is {kubernetes}: give kubernetes alone, since"
            " compatibility is its older spelling"
        )
    return release


def _read_switches(release: Release, gates: Mapping[str, bool]) -> dict[str, bool]:
    """As the release has them; where it has a gate for one, as that is."""
    by_gate = {name: gates[change.gate] for name, change in SWITCHES.items() if change.gate in release.gates}
    return {**release.switches, **by_gate}


def _list_changed(given: Mapping[str, bool], defaults: Mapping[str, bool]) -> dict[str, bool]:
    return {name: value for name, value in given.items() if defaults.get(name) is not value}


def _complain(found: Iterable[str | None]) -> None:
    if problems := [problem for problem in found if problem]:
        raise ValueError("; ".join(problems))


def _check_manager(manager: Mapping[str, Any]) -> None:
    for name, value in manager.items():
        if name not in MANAGER_DEFAULTS:
            raise ValueError(f"unknown setting {shorten(name)}; there are {', '.join(MANAGER_DEFAULTS)}")
        default = MANAGER_DEFAULTS[name]
        is_number = isinstance(default, float) and type(value) in (int, float)
        if type(value) is not type(default) and not is_number:
            raise ValueError(
                f"{name}: {shorten(value)} is not of the kind of its default, {shorten(default)}"
            )
        if isinstance(default, float) and not 0 <= value <= 1000:
            raise ValueError(
                f"{name}: {shorten(value)} is no rate or share; use 0 or more, such as {default}"
            )
    if not is_zone(manager.get("timeZone", UTC)):
        raise ValueError(f"timeZone: {shorten(manager['timeZone'])} is none; write for example Europe/Berlin")
    for name, read in (
        ("ttlAfterFinishedClockOffset", read_offset_ms),
        *((one, read_span_ms) for one in _SPANS),
    ):
        try:
            read(str(manager.get(name, MANAGER_DEFAULTS[name])))
        except ValueError as problem:
            raise ValueError(f"{name}: {problem}") from None
    period = str(manager.get("horizontalPodAutoscalerSyncPeriod", "15s"))
    if read_span_ms(period) < _SHORTEST_PERIOD_MS:
        raise ValueError(
            f"horizontalPodAutoscalerSyncPeriod: {shorten(period)} is too short;"
            f" use {_SHORTEST_PERIOD_MS}ms or more"
        )


def read_span_ms(text: str) -> int:
    """A span of time in ms. Raises ValueError."""
    return parse_milliseconds(text)


def read_offset_ms(text: str) -> int:
    """By how much a clock is ahead, `-1m` for one that is behind. Raises ValueError."""
    return -parse_milliseconds(text[1:]) if text.startswith("-") else parse_milliseconds(text)


__all__ = ["FEATURE_DEFAULTS", "MANAGER_DEFAULTS", "Settings"]
