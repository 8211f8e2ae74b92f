"""Whether a changed object still has the shape of the one it replaces: the JSON type of every field.

Manifests are held against the schema before they become commands; what a patch makes of a stored object is
known only here. A field the stored object does not have yet is not judged.
"""

from __future__ import annotations

from typing import Any

_EITHER = frozenset("maxSurge maxUnavailable minAvailable port targetPort".split())
"""Fields that Kubernetes takes as a number or a text."""
_QUANTITIES = frozenset("requests limits capacity allocatable hard overhead".split())
_TEXTS = frozenset("labels annotations matchLabels nodeSelector".split())
_FREE = frozenset("value default data stringData binaryData".split())


def find_misshapen(old: Any, new: Any, path: str = "") -> str:
    """`spec.replicas: must be a whole number, not a text`; "" when every field has the type it had."""
    if isinstance(old, dict):
        if not isinstance(new, dict):
            return _say(path, old, new)
        for name, value in new.items():
            if value is None or name in _EITHER or name in _QUANTITIES or name in _FREE:
                continue
            if name in _TEXTS and isinstance(value, dict):
                wrong = next((key for key in value if not isinstance(value[key], str | None)), None)
                if wrong is not None:
                    return f"{path}.{name}.{wrong}: must be a text, not {_kind_of(value[wrong])}"
            if name in old and old[name] is not None and old[name] is not value:
                found = find_misshapen(old[name], value, f"{path}.{name}" if path else name)
                if found:
                    return found
        return ""
    if isinstance(old, list):
        if not isinstance(new, list):
            return _say(path, old, new)
        for index, value in enumerate(new):
            found = find_misshapen(old[0], value, f"{path}[{index}]") if old else ""
            if found:
                return found
        return ""
    return "" if _kind_of(old) == _kind_of(new) else _say(path, old, new)


def _say(path: str, old: Any, new: Any) -> str:
    return f"{path or 'the object'}: must be {_kind_of(old)}, not {_kind_of(new)}"


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else "nothing"
