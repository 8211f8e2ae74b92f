"""Sizes that others choose: /scale, vertical autoscalers, KEDA's triggers."""
