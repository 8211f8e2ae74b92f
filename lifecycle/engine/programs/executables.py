"""Whether a container runtime can start what a command names, and what it says where it cannot.

Looked at where the image is known to lack the program, or where it is a file of a volume.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.userland.file_layers import FOLDER, FileLayer
from lifecycle.userland.file_system import FileSystem
from lifecycle.userland.file_view import join_path
from lifecycle.userland.rights import Rights
from lifecycle.userland.world import World

from .behavior import Behavior
from .images.files import ABSENT, NOT_EXECUTABLE, missing_text, refused_text
from .references import expand_references


def is_in_volume(command: str, raw: Mapping[str, Any]) -> bool:
    """Whether a command is a file of a volume of a container, as JSON: what it is shows when it runs."""
    from .images.folders import find_working_folder

    mounts = raw.get("volumeMounts")
    if not mounts or "/" not in command:
        return False
    path = join_path(find_working_folder(raw), command)
    folders = (str(entry.get("mountPath") or "").rstrip("/") for entry in mounts)
    return any(folder and (path == folder or path.startswith(folder + "/")) for folder in folders)


def find_start_problem(behavior: Behavior, now_ms: int, world: World) -> str:
    """Why a container's main program cannot be started, in the runtime's words; "" when it can."""
    if behavior.missing_program:
        return missing_text(behavior.missing_program)
    script = behavior.script
    if script is None or not script.is_in_volume:
        return ""
    who = world.identity
    command = expand_references(script.arguments[0], world.given_env)
    files = FileSystem(FileLayer(), tuple(world.volumes), {}, now_ms, False, Rights(who.user, who.groups))
    return find_file_problem(files, script.folder, command)


def find_file_problem(files: FileSystem, folder: str, command: str, is_known_missing: bool = False) -> str:
    """Why a file cannot be started; "" when it can, or nothing is known of it.

    What pods fill may hold what only an image knows; what a kubelet writes holds nothing else.
    """
    path = join_path(folder, command)
    entry = files.find(path)
    if entry is None:
        is_missing = is_known_missing or files.is_made_by_kubelet(path)
        return refused_text(command, f"stat {command}: {ABSENT}") if is_missing else ""
    can_run = entry.kind != FOLDER and files.can_execute(path, entry)
    return "" if can_run else refused_text(command, NOT_EXECUTABLE)
