"""Adapter of statefulset_rolling_max_unavailable.json: run with the gate on, which is modelled."""

import re
from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide import decide_update
from lifecycle.engine.controllers.stateful_set.decide.revisions import Plan
from lifecycle.engine.controllers.stateful_set.decide.seen import Options, Seen
from lifecycle.engine.rules.workloads.revisions import make_revision
from tests.conformance.cases import load_cases
from tests.conformance.stateful_sets import Fake, make_fake

ON = Options(has_max_unavailable=True)


@pytest.mark.parametrize("case", load_cases("statefulset_rolling_max_unavailable"))
def test_so_many_go_at_once(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    fake = make_fake(given["set"], ON)
    if "steps" in given:
        check_steps(fake, given["steps"], expect["afterEachStep"])
        return
    for ordinal in given["terminatingOrdinals"]:
        fake.mark(ordinal)
    fake.change(**given["update"])
    new = make_revision(fake.owner, fake.owner.spec.template, 2, "new")
    seen = Seen(fake.owner, fake.members, fake.pods, options=ON)
    deleted = len(decide_update(seen, Plan(new, new, 0)))
    assert deleted == expect["podsDeletedByOneUpdatePass"]
    assert len(fake.pods) - deleted == expect["podsLeft"]


def check_steps(fake: Fake, steps: list[str], expected: list[dict[str, Any]]) -> None:
    for step, expect in zip(steps, expected, strict=True):
        if image := re.search(r"change image to (\w+)", step):
            fake.change(image[1])
        if ready := re.search(r"pods? ([\d and,]+) Running", step):
            for ordinal in re.findall(r"\d+", ready[1]):
                fake.come_up(int(ordinal))
        fake.sync()
        if "podsPresent" in expect:
            assert fake.ordinals() == expect["podsPresent"], step
        else:
            assert len(fake.pods) == expect["podsPresentCount"], step
