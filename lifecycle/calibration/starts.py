"""How long containers took to be made and started: from Pulled to Started, as startContainer tells both
(pkg/kubelet/kuberuntime/kuberuntime_container.go)."""

from __future__ import annotations

from lifecycle.calibration.dumps import Seen
from lifecycle.calibration.events import FAILED, PULLED, STARTED
from lifecycle.calibration.windows import Window


def find_first_start(seen: Seen) -> Window | None:
    """When the first run began that the dump knows of: as its event tells, else as the status does."""
    if told := seen.list_told(STARTED):
        return told[0].first
    container = seen.container
    return container.running_since if container and not container.restarts else None


def measure_start(seen: Seen) -> Window | None:
    """How long the first start took that the dump knows of; None where it does not tell.

    Of an event that repeats only the first occurrence has its instant: of later starts it is not known which
    belongs to which.
    """
    started = find_first_start(seen)
    if started is None:
        return None
    pulled = [one for one in seen.list_told(PULLED) if one.first.low_ms <= started.high_ms]
    if not pulled:
        return None
    begun = pulled[-1]
    # What has failed in between was tried again after a back-off: that is no start.
    tries = [one for one in seen.list_told(FAILED) if begun.first.low_ms <= one.last.high_ms]
    is_clean = all(one.first.low_ms > started.high_ms for one in tries)
    return started.since(begun.first) if is_clean else None
