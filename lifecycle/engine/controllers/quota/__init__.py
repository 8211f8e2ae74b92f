"""Keeps the status of ResourceQuotas: what their namespaces use.

Kubernetes adds up at every create and gives back when an object goes or a pod finishes; here the sums follow
every change and are written once an instant.
"""

from .observe import QuotaController

__all__ = ["QuotaController"]
