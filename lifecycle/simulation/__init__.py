"""A run without server or database: manifests in, a trace out. No Django in here."""

from lifecycle.simulation.plan import Overrides, Plan, make_plan, take_inputs
from lifecycle.simulation.run import Outcome, Sink, run

__all__ = ["Outcome", "Overrides", "Plan", "Sink", "make_plan", "run", "take_inputs"]
