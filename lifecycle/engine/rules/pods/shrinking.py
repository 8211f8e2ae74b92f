"""Whether memory limits of running containers can be lowered: not below what is in use.

Models `validateMemoryResizeAction` of the kubelet's runtime manager: looked at before anything of a resize is
applied, so that no part of it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_tuples import NamedTuple

MEMORY = "memory"


class Shrinking(NamedTuple):
    """What runs on through a resize: its memory limit now and then, 0 without one, and its use, in bytes."""

    name: str
    limit: int
    wanted: int
    used: int

    @property
    def is_lowered(self) -> bool:
        """A first limit lowers what may be used, too."""
        return bool(self.wanted) and (not self.limit or self.wanted < self.limit)


def refuse_shrinking(containers: Sequence[Shrinking], pod: Shrinking) -> str:
    """Why they cannot be given their new limits yet, in the kubelet's words; "" where they can.

    `containers`: those whose memory changes in place. `pod`: the limits of all containers together.
    """
    below = []
    if pod.is_lowered and pod.used >= pod.wanted:
        below.append(f"attempting to set pod memory limit ({pod.wanted}) below current usage ({pod.used})")
    # The use that it tells of is the pod's, for each container.
    below += [
        f'attempting to set container "{one.name}" memory limit ({one.wanted})'
        f" below current usage ({pod.used})"
        for one in containers
        if one.is_lowered and one.used >= one.wanted
    ]
    if not below:
        return ""
    told = below[0] if len(below) == 1 else f"[{', '.join(below)}]"
    return f"cannot decrease memory limits: {told}"
