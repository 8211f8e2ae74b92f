"""Objects that a component makes of one template: looked at once, and all as if each had been."""

import copy
from typing import Any

import pytest

from lifecycle.engine.api.template_cache import CachedTemplate, TemplateCache
from lifecycle.engine.objects.workloads.cron_job import CronJob
from lifecycle.engine.objects.workloads.job import Job
from tests.engine.controllers.shift import Shift, make_job

SPEC = make_job()["spec"]
SENT: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "work-1", "labels": {"app": "work"}, "annotations": {"at": "1"}},
    "spec": SPEC,
}


def make_cached() -> CachedTemplate:
    cached = CachedTemplate()
    cached.take(SENT, {**SENT, "spec": {**SPEC, "suspend": False}})
    cached.made = Job.from_json(SENT)
    return cached


@pytest.mark.parametrize(
    "change, fits",
    [
        pytest.param({"name": "work-2", "annotations": {"at": "2"}}, True, id="another run"),
        pytest.param({"name": "work-10"}, False, id="a longer name may be too long"),
        pytest.param({"labels": {"app": "other"}}, False, id="other labels"),
        pytest.param({"annotations": {"at": "1", "by": "me"}}, False, id="another annotation"),
        pytest.param({"finalizers": ["example.org/hold"]}, False, id="another field"),
    ],
)
def test_what_could_be_wrong_is_looked_at_again(change: dict[str, Any], fits: bool) -> None:
    assert make_cached().fits({**SENT, "metadata": {**SENT["metadata"], **change}}) is fits


def test_an_equal_spec_is_not_the_very_same() -> None:
    assert not make_cached().fits(copy.deepcopy(SENT))


def test_what_was_refused_is_no_pattern() -> None:
    cached = make_cached()
    cached.take(SENT, SENT)
    assert not cached.fits(SENT)


def test_an_owner_has_a_cached_template_for_each_of_its_last_templates() -> None:
    template_cache, owner = TemplateCache(), CronJob.from_json({"metadata": {"name": "work", "uid": "u"}})
    first = template_cache.of(owner, SENT)
    first.take(SENT, SENT)
    assert template_cache.of(owner, {**SENT, "metadata": {"name": "work-2"}}) is first
    assert template_cache.of(owner, copy.deepcopy(SENT)) is not first


@pytest.mark.spec("CRON-TMPL-02", "CRON-TMPL-03")
def test_jobs_are_the_same_whether_their_template_was_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def live() -> list[Any]:
        shift = Shift()
        spec = {
            "schedule": "* * * * *",
            "jobTemplate": {"metadata": {"labels": {"app": "work"}}, "spec": SPEC},
        }
        metadata = {"name": "work"}
        shift.apply({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": spec})
        shift.run(300)
        return [shift.rows, shift.cluster.list("Job"), shift.cluster.list("Pod")]

    cast = live()
    assert len(cast[1]) == 3
    monkeypatch.setattr(CachedTemplate, "fits", lambda *_: False)
    assert live() == cast
