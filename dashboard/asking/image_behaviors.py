"""How an image that nobody knows will behave: chosen beside its name, written as a ContainerProfile."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.programs import profiles
from lifecycle.engine.rules.reasons import ERR_IMAGE_PULL

AS_KNOWN = "as-known"
BEHAVIORS: dict[str, tuple[str, dict[str, Any] | None]] = {
    AS_KNOWN: ("as is known of it, or assumed", None),
    "healthy": ("healthy: starts in a second and answers", {"start": {"takes": "1s"}}),
    "slow": (
        "slow: needs 40 s until it is ready",
        {
            "probes": {
                "startup": [{"at": "0s", "result": "failure"}, {"at": "40s", "result": "success"}],
                "readiness": [{"at": "0s", "result": "failure"}, {"at": "40s", "result": "success"}],
            }
        },
    ),
    "never-ready": (
        "never ready: its readiness probe keeps failing",
        {"probes": {"readiness": [{"at": "0s", "result": "failure"}]}},
    ),
    "crashes": ("crashes five seconds after each start", {"runs": [{"for": "5s", "exit": 1}]}),
    "cannot-be-pulled": ("cannot be pulled", {"pull": {"error": ERR_IMAGE_PULL}}),
    "ignores-term": ("ignores SIGTERM until it is killed", {"onTerm": {"ignore": True}}),
}
"""By name: in words, and as a behaviour (docs/formats.md); None leaves it to what is known."""


NEED_READINESS = ("slow", "never-ready")
"""These show only where a readiness probe asks."""


def find_silence(behavior: str, container: dict[str, Any]) -> str:
    """Why the choice would not be seen in a container of a template; "" where it would."""
    if behavior not in NEED_READINESS or container.get("readinessProbe"):
        return ""
    name = container.get("name")
    return f"{name} has no readiness probe: it counts as ready as soon as it runs, whatever the image does"


def make_profile(image: str, behavior: str) -> dict[str, Any] | None:
    """The profile that makes this very image behave so; None where nothing is to be said."""
    declared = BEHAVIORS[behavior][1]
    return None if declared is None else profiles.make_profile("chosen", image, declared)
