"""The YAML text of an annotation, read as a manifest is, within the same bounds: that of behaviours."""

from __future__ import annotations

from functools import lru_cache

from ..objects.names import BEHAVIOR
from ..schema.yaml_nodes import read_text
from .reading import Problem, Reading, read_behavior

_PATH = f"metadata.annotations[{BEHAVIOR}]"


@lru_cache(maxsize=1024)
def read_annotation(text: str) -> Reading:
    """The behaviours an annotation's text gives, by container; bad YAML is a problem like any other."""
    try:
        return read_behavior(read_text(text), _PATH)
    except ValueError as error:
        return Reading({}, (Problem(_PATH, str(error)),))
