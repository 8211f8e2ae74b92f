"""The paths of printer columns: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`."""

import re
from typing import Any

from lifecycle.engine.rules.limits.json_bounds import read_json

_STEP = re.compile(
    r"""\.?(?:(?P<name>[A-Za-z0-9_$\-/]+(?:\\.[A-Za-z0-9_\-/]+)*)|\[(?P<index>-?\d+)\]|\[(?P<all>\*)\]"""
    r"""|\[\?\(@\.(?P<key>[A-Za-z0-9_.\-]+)\s*(?P<sign>==|!=)\s*(?P<value>"[^"]*"|'[^']*'|[^)\]]+)\)\]"""
    r"""|\[(?P<quote>['"])(?P<quoted>.*?)(?P=quote)\])"""
)
_MOST_STEPS = 64


def find_value(data: Any, path: str) -> Any:
    """What a path leads to, the first where there are several; None where it leads nowhere."""
    values, at = [data], 0
    path = path.strip()
    path = path[1:-1] if path.startswith("{") and path.endswith("}") else path
    path = path.removeprefix("$")
    for _ in range(_MOST_STEPS):
        if at >= len(path):
            break
        step = _STEP.match(path, at)
        if step is None or step.end() == at:
            return None
        values = [found for value in values for found in _follow(value, step)]
        at = step.end()
    return values[0] if values else None


def _follow(value: Any, step: re.Match[str]) -> list[Any]:
    if step["name"] is not None or step["quoted"] is not None:
        name = step["quoted"] if step["name"] is None else step["name"].replace("\\.", ".")
        return [value[name]] if isinstance(value, dict) and name in value else []
    if not isinstance(value, list):
        return list(value.values()) if step["all"] and isinstance(value, dict) else []
    if step["all"]:
        return value
    if step["index"] is not None:
        index = int(step["index"])
        return [value[index]] if -len(value) <= index < len(value) else []
    wanted = _read(step["value"])
    return [one for one in value if (find_value(one, f".{step['key']}") == wanted) == (step["sign"] == "==")]


def _read(text: str) -> Any:
    if text[:1] in "\"'":
        return text[1:-1]
    try:
        return read_json(text)
    except ValueError:
        return text.strip()
