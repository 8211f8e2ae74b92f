"""What the command and the library may import of the engine: all else may change from one day to the next."""

from . import ENGINE_VERSION, Changes, Cluster, Command, Result, Settings
from .heart.trace import row_to_json
from .kinds.plain import CONTAINER_PROFILE
from .kinds.registry import find_kind, list_workloads
from .objects.kinds import Kind
from .objects.pods.pod import POD_KIND
from .releases.known import DEFAULT_RELEASE, find_release

__all__ = [
    "CONTAINER_PROFILE",
    "DEFAULT_RELEASE",
    "ENGINE_VERSION",
    "POD_KIND",
    "Changes",
    "Cluster",
    "Command",
    "Kind",
    "Result",
    "Settings",
    "find_kind",
    "find_release",
    "list_workloads",
    "row_to_json",
]
