"""How an API server shows what was changed in an ephemeral container: as a difference of two texts.

Models apimachinery's util/diff on the internal type, whose JSON has Go's names of all fields, in their order.
Left out: fields without a value inside of what is itself not listed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
_REFERENCE = "name key optional"
_FIELDS = {
    "": (
        "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy"
        " restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle"
        " terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty"
        " targetContainerName"
    ),
    "resources": "limits requests claims",
    "env": "name value valueFrom",
    "envFrom": "prefix configMapRef secretRef",
    "valueFrom": "fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef",
    "fieldRef": "apiVersion fieldPath",
    "configMapKeyRef": _REFERENCE,
    "secretKeyRef": _REFERENCE,
    "volumeMounts": "name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr",
    "volumeDevices": "name devicePath",
    "securityContext": (
        "capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot"
        " readOnlyRootFilesystem allowPrivilegeEscalation procMount seccompProfile appArmorProfile"
    ),
    "capabilities": "add drop",
}
_TEXTS = frozenset(
    "name image workingDir value apiVersion fieldPath key mountPath subPath subPathExpr devicePath prefix"
    " terminationMessagePath terminationMessagePolicy imagePullPolicy targetContainerName".split()
)
_SWITCHES = frozenset("stdin stdinOnce tty readOnly".split())
_ALWAYS_THERE = frozenset(("resources",))
_SPELLED = {"tty": "TTY", "apiVersion": "APIVersion", "seLinuxOptions": "SELinuxOptions"}


def show_difference(old: Json, new: Json) -> str:
    """The lines that differ, with three lines around each place."""
    from difflib import unified_diff

    texts = [f"{json.dumps(_in_go(one, ''), indent=1, ensure_ascii=False)}\n" for one in (old, new)]
    before, after = (text.splitlines(keepends=True) for text in texts)
    # Without names of files there is no head.
    return "".join([*unified_diff(before, after)][2:])


def _in_go(value: Any, of: str) -> Any:
    if isinstance(value, list):
        return [_in_go(one, of) for one in value]
    if not isinstance(value, Mapping):
        return value
    if of in ("limits", "requests"):
        return dict(sorted(value.items()))
    names = [*_FIELDS.get(of, "").split()]
    names += [name for name in value if name not in names]
    return {_SPELLED.get(name, name[0].upper() + name[1:]): _find(value, name) for name in names}


def _find(value: Json, name: str) -> Any:
    """A field's value; without one that which Go has for its type."""
    if value.get(name) is not None:
        return _in_go(value[name], name)
    if name in _ALWAYS_THERE:
        return _in_go({}, name)
    return "" if name in _TEXTS else False if name in _SWITCHES else None
