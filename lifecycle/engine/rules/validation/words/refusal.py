"""The answer to an object that breaks a rule: every field that is wrong, in one error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import replace

from ....heart.errors import Invalid
from ....objects.kinds import kind_for
from ....releases.release import Release
from .field_error import MOST_ERRORS, FieldError
from .go_structs import GoStruct

_MOST_LETTERS = 1 << 18
"""Of all errors of one object. The API server has no bound: it repeats a long value in every error."""


def raise_invalid(data: Mapping[str, Any], errors: Sequence[FieldError]) -> None:
    """Raise Invalid with every field error of an object, if there are any."""
    if errors:
        name = (data.get("metadata") or {}).get("name") or ""
        raise make_invalid(data.get("kind", ""), name, errors, data.get("apiVersion", ""))


def show_as(errors: Sequence[FieldError], release: Release) -> list[FieldError]:
    """The errors in the words of a release, with the structs that they show as it shows them."""
    if not errors:
        return []
    # Most objects are well: how other releases word errors is loaded for the first that is not.
    from .former_words import word_as

    return [_show(word_as(error, release.served_minor), release) for error in errors]


def _show(error: FieldError, release: Release) -> FieldError:
    return replace(error, value=error.value.show_as(release)) if isinstance(error.value, GoStruct) else error


def repeat_as_asked(errors: Sequence[FieldError]) -> list[FieldError]:
    """The errors of a change, each as often as the API server looks at what it is about: of images twice."""
    return [error for error in errors for _ in range(_count_looks(error.path))]


def _count_looks(path: str) -> int:
    is_image = path.startswith(("spec.containers[", "spec.initContainers[")) and path.endswith(".image")
    return 2 if is_image else 1


def _list_told(errors: Sequence[FieldError]) -> list[str]:
    """The first errors in words: no more than may be told, and at least one."""
    told: list[str] = []
    letters = 0
    for error in errors[:MOST_ERRORS]:
        text = str(error)
        letters += len(text)
        if told and letters > _MOST_LETTERS:
            break
        told.append(text)
    return told


def make_invalid(kind: str, name: str, errors: Sequence[FieldError], api_version: str = "") -> Invalid:
    """The refusal of an object: one cause for each field. One complaint is said once, however it was met.

    Of more errors than may be told the first are, and that there are more.
    """
    group = kind_for(api_version, kind).group
    told = _list_told(errors)
    texts = list(dict.fromkeys(told))
    if len(told) < len(errors):
        texts.append("and more")
    body = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    qualified = f"{kind}.{group}" if group else kind
    causes = [
        {"reason": error.type, "message": error.body, "field": error.path} for error in errors[: len(told)]
    ]
    return Invalid(f'{qualified} "{name}" is invalid: {body}', kind, name, causes, group)
