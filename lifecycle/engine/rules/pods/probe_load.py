"""What exec probes cost a node: each check starts processes there (PROBE-09).

Requests over the network are made by the kubelet itself and count for nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ...objects.pods.container import RUNNING
from ...objects.pods.pod import Pod
from ...objects.pods.probe import EXEC, Probe

CHECK_CPU_MS = 10
"""CPU time of one check, in ms: an assumption, for a shell and the little it starts."""


def count_exec_checks(pods: Iterable[Pod]) -> dict[str, Fraction]:
    """Exec checks a second by node name, for the containers that run now; nodes without any are left out.

    Until its startup probe has succeeded that is the only probe a container has.
    """
    found: dict[str, Fraction] = {}
    for pod in pods:
        statuses = {one.name: one for one in (*pod.status.init_containers, *pod.status.containers)}
        for container in (*pod.spec.init_containers, *pod.spec.containers):
            status = statuses.get(container.name)
            if status is None or status.state is None or status.state.type != RUNNING:
                continue
            if container.startup_probe is not None and not status.started:
                rate = _rate(container.startup_probe)
            else:
                rate = _rate(container.liveness_probe) + _rate(container.readiness_probe)
            if rate:
                found[pod.node_name] = found.get(pod.node_name, Fraction(0)) + rate
    return found


def _rate(probe: Probe | None) -> Fraction:
    return Fraction(1, probe.period_seconds) if probe is not None and probe.kind == EXEC else Fraction(0)


def cpu_milli_of(checks_per_second: Fraction) -> int:
    """Thousandths of a CPU that so many checks keep busy."""
    return round(checks_per_second * CHECK_CPU_MS)
