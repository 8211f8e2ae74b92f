"""The YAML text of a behaviour annotation, read as Kubernetes reads YAML.

Only the JSON types: no dates, no base-60 numbers, no yes/no booleans; a key given twice is refused. The pure
Python loader is used, so nothing outside the interpreter is touched.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import yaml

from .reading import Problem, Reading, read_behavior

ANNOTATION = "podline.dev/behavior"
_PATH = f"metadata.annotations[{ANNOTATION}]"


class _Loader(yaml.SafeLoader):
    """YAML 1.2's JSON types, duplicate keys refused."""


_PLAIN_TYPES = ("tag:yaml.org,2002:null", "tag:yaml.org,2002:float", "tag:yaml.org,2002:merge")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _PLAIN_TYPES]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    loader.flatten_mapping(node)
    mapping: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if isinstance(key, (list, dict)) or key in mapping:
            raise yaml.constructor.ConstructorError(
                None, None, f"key {key!r} is given twice or is no plain word", key_node.start_mark
            )
        mapping[key] = loader.construct_object(value_node, deep=True)
    return mapping


def _add_plain_types() -> None:
    _Loader.add_implicit_resolver(
        "tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
    )
    _Loader.add_implicit_resolver(
        "tag:yaml.org,2002:int", re.compile(r"[-+]?(?:0|[1-9]\d*)\Z"), list("-+0123456789")
    )
    _Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)


_add_plain_types()


@lru_cache(maxsize=1024)
def read_annotation(text: str) -> Reading:
    """The behaviours an annotation's text gives, by container; bad YAML is a problem like any other."""
    try:
        parsed = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        return Reading({}, (Problem(_PATH, f"not YAML: {_first_line(error)}"),))
    return read_behavior(parsed if parsed is not None else {}, _PATH)


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{what} (line {mark.line + 1})" if mark else str(what)
