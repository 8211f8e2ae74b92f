"""Keeps the status of PodDisruptionBudgets, and takes back what was said of disruptions that never came.

Modelled: the sums, pods whose eviction was accepted and that are not being deleted after 2 minutes, budgets
whose pods have no controller or one without a size, several budgets for one pod. As in Kubernetes nobody
looks at a budget because a controller was scaled: the pods' own changes follow at once.
"""

from .observe import DisruptionController
from .stale import StaleDisruptionController

__all__ = ["DisruptionController", "StaleDisruptionController"]
