"""Projected volumes: several sources in one folder, no two of them at one path."""

from __future__ import annotations

from ..words.names import check_local_path
from ..words.part import Part
from .downward import validate_downward_items

_SOURCES = (
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)
_SHORTEST_TOKEN_SECONDS = 600
_LONGEST_TOKEN_SECONDS = 2**32
_WIDEST_MODE = 0o777


def validate_projected(source: Part) -> None:
    """What is wrong with each source, in the API server's order; of paths it tells the volume only."""
    validate_mode(source, "defaultMode")
    paths: set[str] = set()
    for part in source.parts("sources"):
        for name in part.list_given(("secret", "configMap")):
            keys = part.part(name)
            keys.need("name")
            validate_items(keys)
            for item in keys.parts("items"):
                _claim_path(source, item["path"], keys["name"] or "", paths)
        if part["downwardAPI"] is not None:
            validate_downward_items(part.part("downwardAPI"))
            for item in part.part("downwardAPI").parts("items"):
                _claim_path(source, item["path"], item["path"], paths)
        if part["serviceAccountToken"] is not None:
            _validate_token(source, part.part("serviceAccountToken"))
        if len(part.list_given(_SOURCES)) > 1:
            part.forbid("", "may not specify more than 1 volume type per source")


def _claim_path(volume: Part, path: str | None, shown: str | None, paths: set[str]) -> None:
    if path and path in paths:
        volume.refuse("", "conflicting duplicate paths", shown)
    elif path:
        paths.add(path)


def _validate_token(volume: Part, token: Part) -> None:
    seconds = token["expirationSeconds"]
    if seconds is not None and seconds < _SHORTEST_TOKEN_SECONDS:
        token.refuse("expirationSeconds", "may not specify a duration less than 10 minutes")
    if seconds is not None and seconds > _LONGEST_TOKEN_SECONDS:
        token.refuse("expirationSeconds", "may not specify a duration larger than 2^32 seconds")
    if not token["path"]:
        volume.require("path")
    else:
        volume.complain("path", check_local_path(token["path"]), token["path"])


def validate_items(source: Part) -> None:
    """Which keys become which files."""
    for item in source.parts("items"):
        item.need("key")
        item.text("path", check_local_path, needed=True)
        validate_mode(item, "mode")


def validate_mode(holder: Part, field: str) -> None:
    """Who may read, write and run a file."""
    mode = holder[field]
    if mode is not None and not 0 <= mode <= _WIDEST_MODE:
        holder.refuse(field, "must be a number between 0 and 0777 (octal), both inclusive")
