"""A check that workers live through: shared out, summed up, cancelled, taken up again, ended in words."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lifecycle.check.checking import check as check_here
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.models import Check, CheckPart
from lifecycle.models.checks import SILENCE
from lifecycle.runs.checks import endings, futures, grounds, summing, work
from lifecycle.runs.checks.asking import ask, cancel
from tests.runs.checks.conftest import ORDEALS

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def uncured(monkeypatch):
    """Nobody looks for what helps, which takes longer than the check itself."""
    monkeypatch.setattr(summing, "cure", lambda *_, **__: [])


def refreshed(check):
    check.refresh_from_db()
    return check


def test_a_check_ends_with_a_report_that_says_what_one_process_would_say(standing, line):
    checked = ask(standing, standing.owner, ORDEALS, 2)
    line.do_all()
    checked.refresh_from_db()
    assert checked.state == Check.State.DONE and checked.done == checked.total > 0
    assert not checked.parts.exists() and checked.at_ms == standing.instant_ms
    found = work.forks.restore_at(standing, checked.at_ms)
    settled = grounds.lay(checked, found.engine).settled
    wanted = [one for one in list_ordeals() if one.name in ORDEALS]
    seeds = (standing.seed, standing.seed + 1)
    here = check_here(settled, wanted, seeds)
    told = [
        (one["id"], one["times"], one["of"], one["because"], [cure["text"] for cure in one["remedies"]])
        for one in checked.report["findings"]
    ]
    assert told == [
        (one.id, one.times, one.of, list(one.because), [cure.text for cure in one.remedies])
        for one in here.findings
    ]
    assert any(cures for *_, cures in told)
    assert checked.report["seeds"] == 2
    assert {one["name"] for one in checked.report["ordeals"]} == set(ORDEALS)


def test_the_scorecard_counts_every_future_of_a_cell(checked):
    cells = {ordeal: cells["Deployment/default/web"] for ordeal, cells in checked.card.items()}
    assert set(cells) == set(ORDEALS)
    assert all(cell["of"] == cell["done"] > 0 for cell in cells.values())
    told = {
        (one["ordeal"], one["claim"], one["object"], one["severity"]) for one in checked.report["findings"]
    }
    assert told == {
        (ordeal, claim, name, severity)
        for ordeal, cell in cells.items()
        for claim, objects in cell["found"].items()
        for name, severity in objects.items()
    }


def test_a_future_survives_as_plain_data(standing, line):
    check = ask(standing, standing.owner, ["node-crash"])
    work.work_on(*line.asked.pop(0))
    found = grounds.find(refreshed(check))
    future = work.live(found.settled, *found.job(0))
    assert futures.from_json(futures.to_json(future)) == future and future.violations


@pytest.mark.usefixtures("uncured")
def test_a_message_that_comes_twice_changes_nothing(standing, line):
    check = ask(standing, standing.owner, ORDEALS, 2)
    begin = line.asked[0]
    work.work_on(*begin)
    line.asked = [begin, *(one for one in line.asked[1:] for _ in range(2))]
    line.do_all()
    assert refreshed(check).state == Check.State.DONE and check.done == check.total


def test_a_cancelled_check_is_not_gone_on_with(standing, line):
    check = ask(standing, standing.owner, ORDEALS)
    work.work_on(*line.asked.pop(0))
    assert cancel(check) and not cancel(check)
    line.do_all()
    assert (refreshed(check).state, check.done, bytes(check.base)) == (Check.State.CANCELLED, 0, b"")


def test_a_part_that_is_cancelled_while_it_runs_stops_at_the_next_future(standing, line, monkeypatch):
    check = ask(standing, standing.owner, ORDEALS, 4)
    work.work_on(*line.asked.pop(0))
    lived = []

    def live(*job):
        lived.append(job)
        cancel(check)
        return really_live(*job)

    really_live = work.live
    monkeypatch.setattr(work, "live", live)
    line.do_all()
    assert len(lived) == 1 and refreshed(check).state == Check.State.CANCELLED


@pytest.mark.usefixtures("uncured")
def test_what_a_killed_worker_had_begun_is_given_to_another_after_a_silence(standing, line, monkeypatch):
    check = ask(standing, standing.owner, ["node-crash"])
    work.work_on(*line.asked.pop(0))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(work, "live", _die)
        work.work_on(*line.asked[0])
    line.asked.clear()
    now = timezone.now()
    assert endings.list_forgotten(now) == []
    assert endings.list_forgotten(now + SILENCE * 2) == [(str(check.pk), [0])]
    CheckPart.objects.update(heard_at=now - SILENCE * 2)
    line.asked = [(str(check.pk), 0)]
    line.do_all()
    assert refreshed(check).state == Check.State.DONE


def _die(*_):
    raise KeyboardInterrupt


def test_a_future_that_costs_three_workers_ends_the_check_and_is_named(standing, line, monkeypatch):
    check = ask(standing, standing.owner, ["node-crash"])
    work.work_on(*line.asked.pop(0))
    monkeypatch.setattr(work, "live", _die)
    for _ in range(work.MOST_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            work.work_on(str(check.pk), 0)
        CheckPart.objects.update(heard_at=timezone.now() - SILENCE * 2)
    work.work_on(str(check.pk), 0)
    assert refreshed(check).state == Check.State.FAILED and "node-crash node-" in check.problem


def test_an_error_ends_the_check_in_words(standing, line, monkeypatch):
    check = ask(standing, standing.owner, ["node-crash"])

    def live(*_):
        raise LookupError("no such thing")

    monkeypatch.setattr(work, "live", live)
    line.do_all()
    assert (refreshed(check).state, check.problem) == (Check.State.FAILED, "LookupError: no such thing")


def test_a_check_that_goes_on_for_hours_is_ended(standing, line):
    check = ask(standing, standing.owner, ["node-crash"])
    assert endings.list_forgotten(timezone.now() + endings.LONGEST + timedelta(seconds=1)) == []
    assert refreshed(check).state == Check.State.FAILED and "hours" in check.problem


@pytest.mark.parametrize(
    "ordeals, seeds, most, problem",
    [
        pytest.param(["zone-away"], 1, 5000, "none of these ordeals can befall anything", id="nothing"),
        pytest.param(["node-crash"], 4, 3, "that would be 4 futures, and 3 is the most: take 3", id="many"),
        pytest.param(["rollout-healthy", "node-crash"], 1, 1, "choose fewer ordeals", id="too many ordeals"),
    ],
)
def test_what_cannot_be_checked_is_said(standing, line, monkeypatch, ordeals, seeds, most, problem):
    monkeypatch.setattr(work, "MOST_FUTURES", most)
    check = ask(standing, standing.owner, ordeals, seeds)
    line.do_all()
    assert refreshed(check).state == Check.State.FAILED and problem in check.problem
