"""How full nodes are: one value for equal ones, whatever led there, and answers that do not go stale."""

import random

from lifecycle.engine.scheduler import node_resources_fit as fills
from lifecycle.engine.scheduler.node_resources_fit import Fill, Load, Shapes

HAS = {"cpu": 4000, "memory": 8 << 30, "pods": 5}
SMALL = Load({"cpu": 500, "memory": 1 << 30}, (500, 1 << 30), ())
LARGE = Load({"cpu": 3000, "memory": 1 << 30}, (3000, 1 << 30), ())
ODD = Load({"example.com/gpu": 1}, (100, 200 << 20), ())


def empty(has: dict[str, int] = HAS, shapes: Shapes | None = None) -> Fill:
    shape = (shapes or Shapes()).find(has)
    return shape.find(shape.has, (0, 0), 0)


def test_nodes_that_are_as_full_share_one_value_whatever_led_there():
    shapes = Shapes()
    one, other = empty(HAS, shapes), empty(dict(HAS), shapes)
    assert one is other
    assert one.after(SMALL, 1).after(LARGE, 1) is other.after(LARGE, 1).after(SMALL, 1)
    assert one.after(SMALL, 1).after(SMALL, -1) is one
    assert empty({**HAS, "cpu": 2000}, shapes) is not one


def test_what_is_free_and_how_many_are_there():
    full = empty().after(SMALL, 1).after(LARGE, 1)
    assert dict(full.free) == {"cpu": 500, "memory": 6 << 30, "pods": 5}
    assert (full.assumed, full.count) == ((3500, 2 << 30), 2)
    # Whoever is past the scheduler on a node may have taken more than there is.
    assert full.after(LARGE, 1).free["cpu"] == -2500


def test_why_one_more_does_not_fit():
    fill = empty().after(LARGE, 1)
    assert fill.judge(SMALL).refusal is None
    refusal = fill.judge(LARGE).refusal
    assert refusal is not None and refusal.reasons == ("Insufficient cpu",) and not refusal.is_final
    refusal = fill.judge(ODD).refusal
    assert refusal is not None and refusal.reasons == ("Insufficient example.com/gpu",) and refusal.is_final
    for _ in range(4):
        fill = fill.after(Load({}, (0, 0), ()), 1)
    refusal = fill.judge(SMALL).refusal
    assert refusal is not None and refusal.reasons == ("Too many pods",)


def test_scores_are_those_of_the_two_plugins():
    verdict = empty().after(LARGE, 1).judge(SMALL)
    # LeastAllocated: 500m of 4000m and 6 Gi of 8 Gi are left: (12 + 75) / 2. BalancedAllocation: the halved
    # gap between 3500 of 4000 and 2 of 8 is 31.25 %.
    assert (verdict.empty, verdict.even) == (43, 68)


def test_answers_are_forgotten_before_they_are_too_many_and_found_again(monkeypatch):
    monkeypatch.setattr(fills, "_MOST_KEPT", 8)
    chance, shapes = random.Random(7), Shapes()
    fill, free, count = empty(HAS, shapes), dict(HAS), 0
    held: list[Load] = []
    for _ in range(500):
        if held and chance.random() < 0.5:
            load, sign = held.pop(chance.randrange(len(held))), -1
        else:
            load, sign = Load({"cpu": chance.randrange(4) * 100, "memory": 1}, (100, 1), ()), 1
            held.append(load)
        fill, count = fill.after(load, sign), count + sign
        for resource, amount in load.requests.items():
            free[resource] -= sign * amount
        assert (dict(fill.free), fill.count) == (free, count)
        fits = count < 5 and all(free[name] >= amount for name, amount in SMALL.requests.items())
        assert (fill.judge(SMALL).refusal is None) == fits
        assert len(fill.shape._fills) <= 8 + 1
