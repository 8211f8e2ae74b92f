"""A server-side apply, object by object: what is stated is merged in, what is no longer stated goes.

What the applier stated last time and does not state now goes with that, unless somebody else owns it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...rules.managed_fields.managers import Manager, Share
from ...rules.managed_fields.ownership import owned_by_any
from ...rules.managed_fields.paths import FieldSet
from .merge import merge
from .shapes import Shape
from .values import set_of, with_named, without_items


def apply_over(
    live: Any, applied: Any, shape: Shape, last: Share | None, managers: Mapping[Manager, Share]
) -> Any:
    """The live object with the configuration in it.

    `last`: what the applier owned so far. `managers`: all, the applier with what it states now.
    """
    merged = merge(live, applied, shape)
    if last is None or not last.fields:
        return merged
    stated = with_named(last.fields, shape)
    pruned = without_items(merged, shape, stated)
    pruned = _with_owned(merged, pruned, shape, owned_by_any(managers))
    gone = _named_set(merged, shape) - _named_set(pruned, shape)
    # What nobody owns and was not the applier's to remove stays.
    return without_items(merged, shape, gone & stated)


def _with_owned(merged: Any, pruned: Any, shape: Shape, owned: FieldSet) -> Any:
    """The pruned object with what anybody owns put back."""
    kept = _named_set(pruned, shape) | with_named(owned, shape)
    return without_items(merged, shape, _named_set(merged, shape) - kept)


def _named_set(value: Any, shape: Shape) -> FieldSet:
    return with_named(set_of(value, shape), shape)
