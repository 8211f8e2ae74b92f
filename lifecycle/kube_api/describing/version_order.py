"""Versions of a group in the order in which Kubernetes prefers them."""

from collections.abc import Iterable


def order_versions(versions: Iterable[str]) -> list[str]:
    """Versions of a group, the preferred first: v2, v1, v1beta1, v1alpha1, and what else there is."""
    return sorted(set(versions), key=_rank)


def _rank(version: str) -> tuple[int, int, int, str]:
    for rank, word in enumerate(("", "beta", "alpha")):
        major, found, minor = version.removeprefix("v").partition(word) if word else (version[1:], "", "0")
        if (
            version.startswith("v")
            and major.isdecimal()
            and (minor.isdecimal())
            and bool(found) == bool(word)
        ):
            return rank, -int(major), -int(minor), ""
    return 3, 0, 0, version
