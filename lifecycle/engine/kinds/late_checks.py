"""Checks of what few runs meet: the module that has one is loaded when it is asked first."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_CHECKS = f"{__package__.rpartition('.')[0]}.rules.validation"


def late(module: str, name: str) -> Callable[..., Any]:
    """A function of a module of `rules/validation`, which is named as seen from there: `workloads.jobs`."""

    def check(*arguments: Any) -> Any:
        return getattr(import_module(f"{_CHECKS}.{module}"), name)(*arguments)

    return check
