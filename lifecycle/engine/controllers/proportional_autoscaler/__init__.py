"""The cluster proportional autoscaler: sizes follow nodes and cores."""

from .observe import ProportionalAutoscalerController

__all__ = ["ProportionalAutoscalerController"]
