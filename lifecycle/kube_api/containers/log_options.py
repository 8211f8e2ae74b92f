"""What is asked of a container's log, read and refused as by the API server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lifecycle.engine.rules.validation.words.field_error import FieldError, forbidden, invalid
from lifecycle.kube_api.status import Refusal, bad_request

if TYPE_CHECKING:
    from lifecycle.kube_api.asking.requests import Options

_LAYOUT = "2006-01-02T15:04:05Z07:00"


@dataclass(frozen=True, slots=True)
class LogOptions:
    """`since_ms` is an instant since the cluster's epoch; None of these: not asked for."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since_ms: int | None = None
    tail_lines: int | None = None
    limit_bytes: int | None = None
    stream: str | None = None


def read(options: Options, pod: str, epoch_ms: int, now_ms: int) -> LogOptions:
    """The options of a request for the log of a pod's container at virtual now. Raises Refusal."""
    since_seconds, since_ms = options.whole("sinceSeconds"), _read_time(options.get("sinceTime") or "")
    found = LogOptions(
        options.get("container") or "",
        options.flag("follow"),
        options.flag("previous"),
        options.flag("timestamps"),
        None if since_ms is None else since_ms - epoch_ms,
        options.whole("tailLines"),
        options.whole("limitBytes"),
        options.get("stream"),
    )
    errors = _find_errors(found, since_seconds, since_ms is not None)
    if errors:
        raise _invalid(pod, errors)
    if since_seconds is None:
        return found
    return replace(found, since_ms=now_ms - since_seconds * 1000)


def _read_time(text: str) -> int | None:
    """RFC 3339 as milliseconds since 1970; None when left out."""
    if not text:
        return None
    try:
        if "T" not in text:
            raise ValueError(text)
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise ValueError(text)
    except ValueError:
        raise bad_request(f'parsing time "{text}" as "{_LAYOUT}": cannot parse "{text}" as "2006"') from None
    return int(found.timestamp() * 1000)


def _find_errors(asked: LogOptions, since_seconds: int | None, has_time: bool) -> list[FieldError]:
    errors = []
    if asked.tail_lines is not None and asked.tail_lines < 0:
        errors.append(invalid("tailLines", asked.tail_lines, "must be greater than or equal to 0"))
    if asked.limit_bytes is not None and asked.limit_bytes < 1:
        errors.append(invalid("limitBytes", asked.limit_bytes, "must be greater than 0"))
    if since_seconds is not None and has_time:
        errors.append(forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
    elif since_seconds is not None and since_seconds < 1:
        errors.append(invalid("sinceSeconds", since_seconds, "must be greater than 0"))
    # Telling the streams apart is behind a feature gate that is off.
    if asked.stream is not None:
        errors.append(forbidden("stream", "may not be specified"))
    return errors


def _invalid(pod: str, errors: list[FieldError]) -> Refusal:
    texts = list(map(str, errors))
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    causes = [{"reason": one.type, "message": one.body, "field": one.path} for one in errors]
    details = {"name": pod, "kind": "PodLogOptions", "causes": causes}
    return Refusal(422, f'PodLogOptions "{pod}" is invalid: {text}', "Invalid", details)
