"""ContainerProfile objects: behaviours for images and pods that carry no annotation.

`spec: {match: {image: "nginx:*", podSelector: {...}, container: app}, behavior: {...}}`. Globs; of several
that match, the most specific image pattern wins, then the first by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from ..kinds.plain import CONTAINER_PROFILE
from ..objects.selector import DOES_NOT_EXIST, EXISTS, IN, NOT_IN, Requirement
from ..objects.shortened import shorten
from .behavior import Declared
from .reading import Problem, Reader, read_declared

_SIGNS = late_pattern(r"[*?\[]")
_OPERATORS = (IN, NOT_IN, EXISTS, DOES_NOT_EXIST)


@dataclass(frozen=True, slots=True)
class Profile:
    """One ContainerProfile. None and an empty selector match everything."""

    name: str
    image: str | None
    container: str | None
    selector: tuple[Requirement, ...]
    behavior: Declared

    def matches(self, image: str, container: str, labels: Mapping[str, str]) -> bool:
        """Whether it applies; a pattern without a tag or a path part is also tried without them."""
        return (
            (self.image is None or any(fnmatchcase(form, self.image) for form in _image_forms(image)))
            and (self.container is None or fnmatchcase(container, self.container))
            and all(requirement.matches(labels) for requirement in self.selector)
        )

    @property
    def rank(self) -> tuple[int, int, str]:
        """Sort the most specific image pattern first: few wildcards, then much text; then by name."""
        if self.image is None:
            return (2, 0, self.name)
        wildcards = sum(self.image.count(sign) for sign in "*?[")
        return (1 if wildcards else 0, wildcards - len(self.image), self.name)


def _image_forms(image: str) -> tuple[str, ...]:
    short = image.removeprefix("docker.io/").removeprefix("library/")
    return (image,) if short == image else (image, short)


def choose_profile(
    profiles: Sequence[Profile], image: str, container: str, labels: Mapping[str, str]
) -> Profile | None:
    """The profile that applies to a container, or None."""
    matching = [profile for profile in profiles if profile.matches(image, container, labels)]
    return min(matching, key=lambda profile: profile.rank, default=None)


def make_profile(prefix: str, image: str, behavior: Mapping[str, Any]) -> dict[str, Any]:
    """The object that makes this very image behave so; its name is `prefix` and a digest of the image."""
    return {
        "apiVersion": CONTAINER_PROFILE.api_version,
        "kind": CONTAINER_PROFILE.name,
        "metadata": {"name": f"{prefix}-{sha256(image.encode()).hexdigest()[:16]}"},
        # A glob's signs in a name stand for themselves.
        "spec": {"match": {"image": _SIGNS.sub(r"[\g<0>]", image)}, "behavior": behavior},
    }


def read_profile(raw: Mapping[str, Any]) -> tuple[Profile, tuple[Problem, ...]]:
    """Read a stored ContainerProfile; what is wrong with it comes beside it, with field paths."""
    reader = Reader()
    spec = reader.mapping(raw.get("spec"), "spec", ("match", "behavior"))
    match = reader.mapping(spec.get("match", {}), "spec.match", ("image", "podSelector", "container"))
    if "behavior" not in spec:
        reader.note("spec.behavior", "required: what the matching containers do")
    profile = Profile(
        name=str((raw.get("metadata") or {}).get("name", "")),
        image=reader.text(match, "image", "spec.match"),
        container=reader.text(match, "container", "spec.match"),
        selector=_read_selector(reader, match.get("podSelector", {}), "spec.match.podSelector"),
        behavior=read_declared(reader, spec.get("behavior", {}), "spec.behavior"),
    )
    return profile, tuple(reader.problems)


def _read_selector(reader: Reader, value: Any, path: str) -> tuple[Requirement, ...]:
    given = reader.mapping(value, path, ("matchLabels", "matchExpressions"))
    labels = given.get("matchLabels", {})
    if not isinstance(labels, dict):
        reader.note(f"{path}.matchLabels", f"{shorten(labels)} must map label names to values")
        labels = {}
    found = [Requirement(str(key), IN, (str(value),)) for key, value in labels.items()]
    if "matchExpressions" in given:
        found += reader.entries(
            given["matchExpressions"],
            f"{path}.matchExpressions",
            lambda entry, where: _read_expression(reader, entry, where),
        )
    return tuple(found)


def _read_expression(reader: Reader, value: Any, path: str) -> Requirement | None:
    given = reader.mapping(value, path, ("key", "operator", "values"))
    if given.get("operator") not in _OPERATORS:
        reader.note(
            f"{path}.operator", f"{shorten(given.get('operator'))} must be one of {', '.join(_OPERATORS)}"
        )
        return None
    values = given.get("values") or []
    return Requirement(str(given.get("key", "")), given["operator"], tuple(str(one) for one in values))
