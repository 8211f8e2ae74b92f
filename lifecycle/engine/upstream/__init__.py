"""Where each rule comes from: our module, and the files of Kubernetes that it models.

Names of modules are relative to the engine (`rules/pods/probe_rules`); files are named as in the repository
kubernetes/kubernetes. `manage.py follow` lists by this table which modules to read again when Kubernetes
changes. Of files that many modules model, `FUNCTIONS` says which functions each is about. A module that
models no file says why in `OURS`, after one of the words of `WHY_OURS`.

Pure data, and nothing of the engine reads it. When a module begins to model another file, say so here: a test
sees modules without an entry and entries without a module, but not what a module has come to model.
"""

from __future__ import annotations

from . import controllers, nodes, requests, rules, traffic, validation
from .functions import FUNCTIONS

AS_OF = "v1.35.6"
"""The release of Kubernetes whose files were read."""

WHY_OURS = {
    "glue": "plain data or wiring of our own",
    "other": "models another project than Kubernetes",
    "speed": "finds faster what a Kubernetes component looks for",
    "telling": "tells people what goes on",
    "world": "the world around Kubernetes: machines, programs, networks",
}

_PARTS = (rules, validation, controllers, nodes, requests, traffic)
MODELS: dict[str, tuple[str, ...]] = {name: files for part in _PARTS for name, files in part.MODELS.items()}
OURS: dict[str, str] = {name: why for part in _PARTS for name, why in part.OURS.items()}

__all__ = ["AS_OF", "FUNCTIONS", "MODELS", "OURS", "WHY_OURS"]
