"""What pods have written on the disk of their node, as far as it is known: by scripts, not by other programs.

Left out: logs, the files of ConfigMaps, and that a look between two measurements of a pod's volumes, which
something else has caused, goes by the former one.
"""

from __future__ import annotations

from ...rules.volumes.local_storage import decide_overflow, is_in_memory
from ..state.worker import PodWorker


def find_overflow(worker: PodWorker, *, has_volumes: bool = True) -> str:
    """Why a pod is to be evicted for what it has written; "" when it is within its limits.

    Without `has_volumes` for what its containers have written besides.
    """
    layers = (worker.volumes or {}) if has_volumes else {}
    on_disk = [
        one for one in worker.spec.volumes if one.get("emptyDir") is not None and not is_in_memory(one)
    ]
    names = [one["name"] for one in on_disk if one.get("name") in layers]
    machines = {
        name: run.process.machine
        for name, run in worker.runs.items()
        if run.process is not None and run.process.machine is not None
    }
    return decide_overflow(
        worker.spec,
        {name: layers[name].count_bytes() for name in names},
        {name: machine.root.count_bytes() for name, machine in machines.items()},
    )
