"""This module is a `messages.Carrier`: messages go through Redis, turns of shards through Celery's queues."""

from lifecycle.runs.celery.broker import announce_results, find_problem, frame_pace, wait_for_announcement
from lifecycle.runs.celery.check_tasks import ask_for_check, ask_for_comparison
from lifecycle.runs.celery.tasks import nudge

__all__ = [
    "announce_results",
    "ask_for_check",
    "ask_for_comparison",
    "find_problem",
    "frame_pace",
    "nudge",
    "wait_for_announcement",
]
