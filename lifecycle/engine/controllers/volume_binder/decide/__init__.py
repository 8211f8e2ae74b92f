"""What is next for a claim and for a volume."""

from .claims import SeenClaim, decide_claim
from .step import Step
from .volumes import SeenVolume, decide_volume

__all__ = ["SeenClaim", "SeenVolume", "Step", "decide_claim", "decide_volume"]
