"""The vertical autoscaler: requests follow use."""

from .observe import VerticalAutoscalerController

__all__ = ["VerticalAutoscalerController"]
