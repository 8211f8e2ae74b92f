"""What a person reads of a check."""

from __future__ import annotations

import re

import pytest

from lifecycle.check.ordeal_files import ORDER
from lifecycle.check.outputs.as_table import Look, make_table
from lifecycle.check.outputs.scorecard import FAMILIES, FINE, make_scorecard
from lifecycle.check.outputs.telling import tell_range
from lifecycle.lean_dataclasses import replace
from tests.check.conftest import say


def test_the_scorecard_tells_the_worst_of_each_family(report):
    card = make_scorecard(report)
    assert card.families == ("rollouts", "drains", "nodes")
    (row,) = card.rows
    assert row.title == "Deployment/shop/web"
    marks = {name: cell.mark for name, cell in row.cells.items()}
    assert marks == {"rollouts": "serious", "drains": "serious", "nodes": FINE}


def test_every_ordeal_of_the_contract_is_in_one_family():
    names = [name for names in FAMILIES.values() for name in names]
    assert sorted(names) == sorted(ORDER)


def test_the_table_begins_with_what_came_of_it(report):
    lines = make_table(report).splitlines()
    assert lines[0] == "2 findings: 2 serious"
    assert lines[2].split() == ["rollouts", "drains", "nodes"]
    assert lines[3].split() == ["Deployment/shop/web", "serious", "serious", "✓"]


def test_one_fault_is_explained_once(report):
    text = make_table(report)
    first, other = report.findings
    assert text.count("SERIOUS  Deployment/shop/web") == 1
    assert f"--scenario {first.id}" in text
    assert f"  also serious in drain-each node-1 ({other.id}): container app was killed" in text


def test_what_is_stuck_and_so_not_whole_again_is_one_fault(report):
    first = report.findings[0]
    elsewhere = first.worst._replace(trial=replace(first.worst.trial, target="node-1"))
    found = [
        replace(first, claim="nothing-stuck"),
        replace(first, claim="whole-again"),
        replace(first, claim="no-request-lost"),
        replace(first, claim="whole-again", ordeal="node-crash", worst=elsewhere),
    ]
    text = make_table(replace(report, checked=replace(report.checked, findings=tuple(found))))
    assert text.count("SERIOUS  Deployment/shop/web") == 2
    for one in found[1:3]:
        assert f"  also {one.claim}, serious in {first.worst.trial.title} ({one.id})" in text


@pytest.mark.parametrize("width", [60, 80, 118])
def test_no_line_is_wider_than_there_is_room(report, width):
    lines = make_table(report, Look(width)).splitlines()
    # What is to be copied stays in one line.
    wide = [line for line in lines if len(line) > width and not line.startswith("  open: ")]
    assert wide == []


def test_columns_that_have_no_room_stand_below(report):
    lines = make_table(report, Look(width=32)).splitlines()
    heads = [line.split() for line in lines if line.split() and set(line.split()) <= {*FAMILIES}]
    assert heads == [["rollouts"], ["drains"], ["nodes"]]


def test_where_there_is_only_ascii_only_ascii_is_written(report):
    assert make_table(say(report, "“quoted” ✓ …"), Look(is_plain=True)).isascii()


def test_colours_are_for_terminals(report):
    assert "\x1b" not in make_table(report)
    coloured = make_table(report, Look(is_coloured=True))
    assert "\x1b[31mSERIOUS\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == make_table(report)


def test_no_text_of_a_manifest_moves_the_cursor(report):
    assert "\x1b" not in make_table(say(report, "a\x1b[2Jb\x07\x9b31mc"))


@pytest.mark.parametrize(
    "least, middle, most_of, most, told",
    [
        pytest.param(21, 21, 21, 21, "21s", id="one"),
        pytest.param(18, 21, 26, 27, "18s to 27s, p50 21s, p95 26s", id="a range"),
        pytest.param(59, 60, 61, 125, "59s to 2m 05s, p50 1m 00s, p95 1m 01s", id="minutes"),
    ],
)
def test_ranges_are_told_in_words(least, middle, most_of, most, told):
    assert tell_range({"min": least, "p50": middle, "p95": most_of, "max": most}) == told


def test_what_was_not_tried_and_what_is_assumed_is_said(report):
    text = make_table(replace(report, not_run=("spot: why",), rests_on=("assumed: that",)))
    assert "not run\n  spot: why\n" in text
    assert "on what it rests\n  assumed: that\n" in text
