"""JSON as people read it: YAML that Kubernetes reads back as the same values."""

from datetime import UTC, datetime
from typing import Any

import yaml

from lifecycle.engine.schema.yaml_values import UnreadableValue, resolve_plain

DAY_MS = 86_400_000


def tell_instant(at_ms: int | None) -> str:
    """An instant since the cluster's epoch, given in milliseconds: `1d 00:03:07.4`; `-` for none."""
    if at_ms is None:
        return "-"
    days, rest = divmod(at_ms, DAY_MS)
    seconds, tenths = rest // 1000, rest % 1000 // 100
    time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{tenths}"
    return f"{days}d {time}" if days else time


def tell_moment(at: datetime | None) -> str:
    """When something was really done, in UTC, to the second: `2026-01-01 00:03:07`; `-` for never."""
    return "-" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


class _Dumper(yaml.SafeDumper):
    """Go's YAML takes more words for booleans and numbers than PyYAML knows: those are quoted."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style: str | None = '"'
    if text.replace("\n", "").isprintable():
        style = "|" if "\n" in text else None if _stays_text(text) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _stays_text(text: str) -> bool:
    try:
        return bool(resolve_plain(text) == text)
    except UnreadableValue:
        return False


_Dumper.add_representer(str, _represent_text)


def to_yaml(value: Any) -> str:
    """Block style, in the order of the JSON."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
