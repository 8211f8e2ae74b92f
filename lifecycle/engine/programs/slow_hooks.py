"""preStop hooks that can be seen to take longer than the grace period leaves them (PRESTOP-06).

Seen is what a behaviour states, and the `sleep`s that a command runs one after another. A script with
branches or loops takes as long as it takes: nothing is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

from ..kinds.pod_specs import find_pod_metadata, find_pod_spec
from ..kinds.registry import entry_of_json
from ..objects.names import BEHAVIOR
from .behavior_yaml import read_annotation

DEFAULT_GRACE_SECONDS = 30
_SLEEP = late_pattern(r"(?:exec\s+|/bin/)?sleep\s+(\d+(?:\.\d+)?)([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
_BRANCHES = late_pattern(r"\b(?:if|for|while|until|case|trap|function)\b|(?<!&)&(?!&)|\|\||[{(]")


def list_slow_hooks(obj: Mapping[str, Any]) -> list[str]:
    """A warning for each hook of a pod, or of a workload's pod template, that its grace period cuts off."""
    path, spec, meta = ".".join(entry_of_json(obj).pod_spec_path), find_pod_spec(obj), find_pod_metadata(obj)
    text = (meta.get("annotations") or {}).get(BEHAVIOR)
    stated = read_annotation(text).behaviors if text else {}
    grace = spec.get("terminationGracePeriodSeconds")
    grace = DEFAULT_GRACE_SECONDS if grace is None else grace
    warnings = []
    for group in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(group) or ()):
            hook = (container.get("lifecycle") or {}).get("preStop")
            known = stated.get(container.get("name"))
            plan = known.pre_stop if known is not None else None
            seconds = plan.takes.low_ms / 1000 if plan is not None else _least_seconds(hook)
            if hook and seconds > grace > 0:
                warnings.append(
                    f"{path}.{group}[{index}].lifecycle.preStop: takes {seconds:g}s, longer than the grace"
                    f" period of {grace}s: it is cut off; raise terminationGracePeriodSeconds above"
                    " the hook's time and the shutdown's"
                )
    return warnings


def _least_seconds(hook: Mapping[str, Any] | None) -> float:
    """What a hook takes at least, as far as it can be seen."""
    command = ((hook or {}).get("exec") or {}).get("command") or ()
    words = [str(word) for word in command]
    is_shell = len(words) > 2 and words[0].rpartition("/")[2] in ("sh", "bash", "ash", "dash")
    script = words[-1] if is_shell and words[1].startswith("-") else " ".join(words)
    if _BRANCHES.search(script):
        return 0
    steps = (step.strip() for step in re.split(r"[;\n]|&&", script))
    found = (_SLEEP.fullmatch(step) for step in steps)
    return sum(float(one[1]) * _SECONDS[one[2]] for one in found if one is not None)
