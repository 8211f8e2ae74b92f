"""The Celery app of workers that live through checks: they serve no cluster, and give way to who does."""

import contextlib
import os
from pathlib import Path
from typing import Any

from celery import Celery, signals

NICENESS = 19
"""A check never slows a live cluster: what is left of the processor is for it."""
_OF_SESSION = Path("/proc/self/autogroup")
"""Linux shares the processor among sessions first (sched(7), autogroup); niceness counts within one."""

app = Celery("podline-checks", include=["lifecycle.runs.celery.check_tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.CELERY_DB_REUSE_MAX = 1_000_000
app.conf.task_default_queue = "checks"


@signals.worker_init.connect  # type: ignore[untyped-decorator]
def give_way(**_: Any) -> None:
    """Let everybody else go first."""
    os.nice(NICENESS)
    if hasattr(os, "SCHED_IDLE"):
        # Linux: whoever else wakes up runs at once, and not after this one's turn.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    _set_share_of_session(NICENESS)


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]
def take_a_turn(**_: Any) -> None:
    """Who is to stop gives way no more, as far as the kernel allows: somebody waits for its end."""
    with contextlib.suppress(OSError):
        if hasattr(os, "SCHED_IDLE"):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    _set_share_of_session(0)


def _set_share_of_session(niceness: int) -> None:
    """Of a session of its own. Where the kernel does not allow it, it is as it was."""
    if _OF_SESSION.exists() and os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):
            _OF_SESSION.write_text(str(niceness))
