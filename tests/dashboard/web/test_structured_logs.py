"""What is logged is one line, whatever a stranger puts in it, and stays short under a flood."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from dashboard.web.structured_logs import MOST_ALIKE, WINDOW_SECONDS, KeyValueFormatter, QuietUnderFloods


def make(message: str, *values: object, name: str = "django.request", exc_info=None, **extra: object):
    record = logging.LogRecord(name, logging.WARNING, "", 0, message, values, exc_info)
    vars(record).update(extra)
    return record


@pytest.mark.parametrize(
    "path", ["/a\nERROR forged", "/a\r\nx", "/a\x1b[2Jx", "/a\u2028x", "/a\x85x", "/a\0x"]
)
def test_no_path_begins_a_line_of_its_own(path):
    line = KeyValueFormatter().format(make("Not Found: %s", path, request=path, status_code=404))
    assert len(line.splitlines()) == 1 and "\x1b" not in line and "\0" not in line
    assert "status_code=404" in line


def test_a_wrong_host_is_one_line_and_a_defect_keeps_its_trace():
    try:
        raise ValueError("here")
    except ValueError:
        trace = sys.exc_info()
    line = KeyValueFormatter().format(make("x", name="django.security.DisallowedHost", exc_info=trace))
    assert len(line.splitlines()) == 1
    assert "ValueError: here" in KeyValueFormatter().format(make("x", exc_info=trace))


def test_of_a_flood_a_few_lines_are_written_and_the_rest_is_counted():
    now = [0.0]
    quiet = QuietUnderFloods(lambda: now[0])
    written = [quiet.filter(make("%s: %s", "Not Found", f"/{number}")) for number in range(1000)]
    assert sum(written) == MOST_ALIKE
    # Others are heard meanwhile.
    assert quiet.filter(make("%s: %s", "Too Many Requests", "/", status_code=429))
    assert quiet.filter(make("turn not recorded: %s", "disk full", name="lifecycle.runs.runner"))
    now[0] = WINDOW_SECONDS
    after = make("%s: %s", "Not Found", "/again")
    assert quiet.filter(after) and after.left_out == 1000 - MOST_ALIKE
    assert f"left_out={1000 - MOST_ALIKE}" in KeyValueFormatter().format(after)


def test_the_filter_itself_holds_no_more_than_so_much():
    quiet = QuietUnderFloods(lambda: 0.0)
    for number in range(5000):
        quiet.filter(make(f"text {number}"))
    assert len(quiet._windows) <= 1000


@pytest.fixture
def log(monkeypatch):
    """What is written to the log."""
    handler = next(one for one in logging.getLogger().handlers if one.filters)
    for one in handler.filters:
        one._windows.clear()
    written = io.StringIO()
    monkeypatch.setattr(handler, "stream", written)
    return written


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["evil.example", "localhost"])
def test_a_way_in_is_not_told_to_whoever_reads_the_log(client, log, host):
    assert client.get("/enter/not-used-yet/", headers={"host": host}).status_code in (400, 410)
    written = log.getvalue()
    assert "/enter/" in written and "not-used-yet" not in written


@pytest.mark.slow
@pytest.mark.django_db
def test_requests_with_a_wrong_host_leave_a_few_short_lines(client, log):
    for _ in range(100):
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert 1 < len(log.getvalue().splitlines()) <= 3 * MOST_ALIKE
