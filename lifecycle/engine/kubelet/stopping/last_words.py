"""The termination message of a container: from its file, or from the end of its log.

Models getTerminationMessage, with its limits.
"""

from __future__ import annotations

from lifecycle.userland.file_layers import FILE
from lifecycle.userland.file_system import FileSystem

from ...objects.pods.pod import Pod
from ...programs import Process
from ...programs.executables import is_in_volume
from ..parts import Parts
from ..state.container_run import ContainerRun
from ..state.worker import PodWorker

_MOST_OF_FILE, _MOST_OF_LOG, _MOST_OF_POD = 4096, 2048, 12_288


def find_last_words(parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun, code: int) -> str:
    """The message of a run that ends with a code; "" when it leaves none."""
    process = run.process
    assert process is not None, run.container.name
    if process.machine is None and not (code and run.container.falls_back_to_logs):
        # It has written no file.
        return ""
    text = _cut(_read_file(parts, worker, pod, run, process), _MOST_OF_FILE)
    if not text and code and run.container.falls_back_to_logs:
        text = _cut("".join(f"{line}\n" for line in process.last_lines()), _MOST_OF_LOG)
    if not text:
        return ""
    share = _MOST_OF_POD // len(worker.runs)
    return text.encode()[:share].decode(errors="ignore")


def _read_file(parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun, process: Process) -> str:
    path, machine = run.container.message_path, process.machine
    if machine is None:
        return ""
    if not is_in_volume(path, run.container.raw):
        file = machine.root.get(path.strip("/"))
        return file.text if file is not None and file.kind == FILE else ""
    mounts = tuple(parts.world(worker, pod, run).volumes)
    file = FileSystem(machine.root, mounts, {}, parts.now_ms).find(path)
    # Each run has a file of its own there.
    is_own = file is not None and file.kind == FILE and file.modified_ms >= run.process_start_ms
    return file.text if file is not None and is_own else ""


def _cut(text: str, most: int) -> str:
    """The end of a text, of so many bytes at most."""
    return text.encode()[-most:].decode(errors="ignore") if len(text) > most >> 2 else text
