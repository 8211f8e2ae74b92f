"""Latencies for tests that compare runs with what is known to the second."""

from __future__ import annotations

MIDDLE: dict[str, str | list[str]] = {
    "preset": "realistic",
    "worker_return": ["200ms", "300ms"],
    "lease_age": "6s",
    "node_monitor": "2500ms",
    "node_taint": "50ms",
    "node_look": "5s",
    "node_status": "7s",
    "pod_garbage": "10s",
    "volume_count": "30s",
    "volume_recount": "90s",
}
"""Of what real components draw from a wide range the middle: the least far from whatever was drawn there."""
