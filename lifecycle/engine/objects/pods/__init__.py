"""Pods: their spec, their status, and what a runtime reports of them."""
