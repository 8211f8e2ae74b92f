"""The colours of states: one palette for light and dark, of the dashboard and of reports.

Each colour keeps 3:1 against both backgrounds (WCAG 1.4.11). All but the state in which all is well carry a
pattern too.
"""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tone:
    """One colour of the palette with its meaning."""

    name: str
    label: str
    colour: str
    meaning: str
    pattern: str = ""


STATES: tuple[Tone, ...] = (
    Tone("pending", "Pending", "#68717f", "Accepted, waiting for a node", "o"),
    Tone("starting", "Starting", "#3d94e0", "On a node: pulling images, starting containers", ">"),
    Tone("ready", "Ready", "#0f9d77", "Every readiness check passes; gets traffic"),
    Tone("notReady", "Not ready", "#cf8400", "Running, but gets no traffic", "^"),
    Tone(
        "stuck", "Stuck", "#a9603c", "Waits for somebody to fix it: image, configuration, room, volumes", "|"
    ),
    Tone("crashing", "Crashing", "#e0452b", "A container failed; the kubelet backs off and retries", "x"),
    Tone("terminating", "Terminating", "#9a6bd8", "Deletion was asked for; hooks and grace period run", "/"),
    Tone("succeeded", "Succeeded", "#3f7fa6", "Every container exited 0, for good", "."),
    Tone("failed", "Failed", "#c03868", "Over, and at least one container failed", "\\"),
    Tone("unknown", "Unknown", "#8d7f6a", "Its node does not answer", "-"),
)
TONES = {tone.name: tone for tone in STATES}
