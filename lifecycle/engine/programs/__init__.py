"""What simulated containers do, in virtual time: the kubelet's view of programs.

`resolve_behavior` chooses what a container does, `start_process` starts one run of it, and a `Process`
answers for that run: its end, probes, hooks, signals, usage and log. Nothing here touches a real machine.
"""

from __future__ import annotations

from lifecycle.userland.file_layers import FileLayer, Mount
from lifecycle.userland.process_namespace import ProcessNamespace, make_namespace
from lifecycle.userland.world import ConnectResult, Exit, Identity, Limits, PodFacts, World

from ..objects.names import BEHAVIOR
from .behavior import (
    FAILURE,
    SUCCESS,
    UNKNOWN,
    Behavior,
    Declared,
    HookPlan,
    ProbePoint,
    PullPlan,
    RunPlan,
    StartPlan,
    TermPlan,
    UsagePoint,
)
from .behavior_yaml import read_annotation
from .compiled import is_continuable
from .downward import PodFields
from .durations import Draw, Duration, read_duration
from .environment import Environment, ServiceFacts, Sources, make_environment
from .process import Process
from .profiles import Profile, choose_profile, read_profile
from .protocol import HookRun, Sight
from .reading import Problem, Reading, read_behavior
from .resolve import resolve_behavior
from .runtime_files import make_runtime_files
from .starting import start_process
from .volumes import VolumeFiles, is_read_only_volume, make_mounts, refresh_layer, volume_files

__all__ = [
    "BEHAVIOR", "FAILURE", "SUCCESS", "UNKNOWN", "Behavior", "ConnectResult",
    "Declared", "Draw", "Duration", "Environment", "Exit", "FileLayer", "HookPlan", "HookRun",
    "Identity", "Limits", "Mount", "PodFacts", "PodFields", "ProbePoint", "Problem",
    "Process", "ProcessNamespace", "Profile", "PullPlan", "Reading", "RunPlan", "ServiceFacts", "Sight",
    "Sources", "StartPlan", "TermPlan", "UsagePoint", "VolumeFiles", "World", "choose_profile",
    "is_continuable", "is_read_only_volume", "make_environment", "make_mounts", "make_namespace",
    "make_runtime_files", "read_annotation", "read_behavior", "read_duration", "read_profile",
    "refresh_layer", "resolve_behavior", "start_process", "volume_files",
]  # fmt: skip
