"""The YAML text of a behaviour annotation, read as a manifest is, within the same bounds."""

from __future__ import annotations

from functools import lru_cache

import yaml

from ..schema.yaml_nodes import Converter, UnreadableYaml, compose
from .reading import Problem, Reading, read_behavior

ANNOTATION = "podline.dev/behavior"
_PATH = f"metadata.annotations[{ANNOTATION}]"


@lru_cache(maxsize=1024)
def read_annotation(text: str) -> Reading:
    """The behaviours an annotation's text gives, by container; bad YAML is a problem like any other."""
    try:
        parsed = [Converter(number).convert(node) for number, node in enumerate(compose(text), 1)]
    except UnreadableYaml as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        return _refuse(f"{error.message} (line {error.line}){remedy}")
    except yaml.YAMLError as error:
        return _refuse(f"not YAML: {_first_line(error)}")
    if len(parsed) > 1:
        return _refuse("two documents; give all containers in one")
    return read_behavior(parsed[0] if parsed and parsed[0] is not None else {}, _PATH)


def _refuse(text: str) -> Reading:
    return Reading({}, (Problem(_PATH, text),))


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{what} (line {mark.line + 1})" if mark else str(what)
