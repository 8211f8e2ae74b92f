"""KEDA's operator: from events and schedules to sizes, to none and back."""

from .observe import ScaledObjectController

__all__ = ["ScaledObjectController"]
