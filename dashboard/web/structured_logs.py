"""Log lines people can read and machines can split: `time level logger message key=value …`."""

import json
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

# What every LogRecord carries by itself; anything else was handed in with `extra`.
# Celery's `data` repeats what its message says.
_BUILT_IN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "data"}
# A way in may stand in an address: one that was not used yet, or a link that was shared.
_WAYS_IN = re.compile(r"(?<=/enter/)[^/\s'\"]+|(?<=/s/)[\w-]{40,}")
# What would end a line, or tell a terminal what to do.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Of records that are alike so many are written in a while; the others are counted.
MOST_ALIKE = 10
WINDOW_SECONDS = 60.0
MOST_KINDS = 1000
# A stranger's wrong Host is the stranger's: where it was noticed tells nothing.
WITHOUT_TRACES = ("django.security",)


class KeyValueFormatter(logging.Formatter):
    """One line a record; `extra={"cluster": …}` becomes `cluster=…`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        extra = {key: value for key, value in vars(record).items() if key not in _BUILT_IN}
        pairs = "".join(f" {key}={_plain(value)}" for key, value in sorted(extra.items()))
        line = f"{moment} {record.levelname} {record.name} {_one_line(record.getMessage())}{pairs}"
        if record.exc_info and not record.name.startswith(WITHOUT_TRACES):
            line += "\n" + self.formatException(record.exc_info)
        return line


@dataclass(slots=True)
class _Window:
    began: float
    seen: int = 0


class QuietUnderFloods(logging.Filter):
    """Lets through the first few records of a kind in a minute; the next after it says how many were not.

    Alike are records of one logger, level, text (before its values are put in), status and kind of exception.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._windows: dict[object, _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; it may have been given `left_out`."""
        now = self._now()
        kind = record.exc_info[0] if record.exc_info else None
        key = (record.name, record.levelno, str(record.msg), getattr(record, "status_code", 0), kind)
        window = self._windows.get(key)
        if window is None or now - window.began >= WINDOW_SECONDS:
            if window is not None and window.seen > MOST_ALIKE:
                record.left_out = window.seen - MOST_ALIKE
            if len(self._windows) >= MOST_KINDS:
                self._windows.clear()
            window = self._windows[key] = _Window(now)
        window.seen += 1
        return window.seen <= MOST_ALIKE


def _one_line(text: str) -> str:
    text = _WAYS_IN.sub("…", text)
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _plain(value: object) -> str:
    """Quoted when it holds spaces or quotes, so that a line splits without guessing."""
    text = _one_line(str(value))
    return json.dumps(text, ensure_ascii=False) if any(mark in text for mark in ' "=') else text
