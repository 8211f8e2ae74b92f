"""The HorizontalPodAutoscaler controller: sizes follow metrics."""

from .observe import HorizontalPodAutoscalerController

__all__ = ["HorizontalPodAutoscalerController"]
