"""The YAML text of an annotation, read as a manifest is, within the same bounds: that of behaviours."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lifecycle.lean_yaml import yaml

from ..objects.names import BEHAVIOR
from ..schema.yaml_nodes import Converter, UnreadableYaml, compose
from .reading import Problem, Reading, read_behavior

MOST_LETTERS = 256 * 1024
_PATH = f"metadata.annotations[{BEHAVIOR}]"


@lru_cache(maxsize=1024)
def read_annotation(text: str) -> Reading:
    """The behaviours an annotation's text gives, by container; bad YAML is a problem like any other."""
    try:
        return read_behavior(read_text(text), _PATH)
    except ValueError as error:
        return Reading({}, (Problem(_PATH, str(error)),))


def read_text(text: str) -> Any:
    """What the one YAML document of a text says; without any, an empty mapping. Raises ValueError."""
    if len(text) > MOST_LETTERS:
        raise ValueError(
            f"more than {MOST_LETTERS:,} letters are more than all annotations of an object may have"
        )
    try:
        parsed = [Converter(number).convert(node) for number, node in enumerate(compose(text), 1)]
    except UnreadableYaml as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        raise ValueError(f"{error.message} (line {error.line}){remedy}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {_first_line(error)}") from None
    if len(parsed) > 1:
        raise ValueError("two documents; give all containers in one")
    return parsed[0] if parsed and parsed[0] is not None else {}


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{what} (line {mark.line + 1})" if mark else str(what)
