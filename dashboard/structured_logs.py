"""Log lines people can read and machines can split: `time level logger message key=value …`."""

import json
import logging
from datetime import UTC, datetime

# What every LogRecord carries by itself; anything else was handed in with `extra`.
# Celery's `data` repeats what its message says.
_BUILT_IN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "data"}


class KeyValueFormatter(logging.Formatter):
    """One line a record; `extra={"cluster": …}` becomes `cluster=…`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        extra = {key: value for key, value in vars(record).items() if key not in _BUILT_IN}
        pairs = "".join(f" {key}={_plain(value)}" for key, value in sorted(extra.items()))
        line = f"{moment} {record.levelname} {record.name} {record.getMessage()}{pairs}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def _plain(value: object) -> str:
    """Quoted when it holds spaces or quotes, so that a line splits without guessing."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if any(mark in text for mark in ' "\n=') else text
