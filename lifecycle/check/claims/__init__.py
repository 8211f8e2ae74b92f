"""What every user takes for granted: a claim a module, and which are made of which ordeals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lifecycle.check.claims.availability import BudgetKept, RolloutBudget, WholeAgain
from lifecycle.check.claims.drains import DrainEnds
from lifecycle.check.claims.kills import HardKill
from lifecycle.check.claims.own import list_own
from lifecycle.check.claims.requests import NoRequestLost
from lifecycle.check.claims.restarts import RestartStorm
from lifecycle.check.claims.stuck import NothingStuck
from lifecycle.check.claims.untouched import Untouched
from lifecycle.check.claims.writers import OneWriter
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.scene import Scene, Watcher

CLAIMS: Mapping[str, Callable[[Scene], Watcher]] = {
    "rollout-keeps-its-budget": RolloutBudget,
    "budget-kept": BudgetKept,
    "no-request-lost": NoRequestLost,
    "nothing-stuck": NothingStuck,
    "drain-ends": DrainEnds,
    "whole-again": WholeAgain,
    "no-hard-kill": HardKill,
    "no-restart-storm": RestartStorm,
    "one-writer": OneWriter,
}
_OF_ALL = ("no-restart-storm", "one-writer", "drain-ends")
_OF_PLANNED = ("no-request-lost", "no-hard-kill", "budget-kept")
_OF_MENDED = ("nothing-stuck", "whole-again")


def list_claims(ordeal: Ordeal) -> list[str]:
    """The claims that are made of an ordeal, in the order of `CLAIMS`."""
    made = {*_OF_ALL, *ordeal.claims}
    made.update(_OF_PLANNED if ordeal.is_planned else ())
    made.update(_OF_MENDED if ordeal.is_mended else ())
    return [one for one in CLAIMS if one in made - set(ordeal.spares)]


def make_watchers(scene: Scene) -> list[Watcher]:
    """Those that look at the claims made of a trial, and at the user's own."""
    if not scene.trial.steps:
        return [Untouched(scene), *list_own(scene)]
    return [*(CLAIMS[name](scene) for name in list_claims(scene.trial.ordeal)), *list_own(scene)]
