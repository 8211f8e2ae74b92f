"""The StatefulSet controller: pods with names of their own, made, ended and updated in order.

Modelled: identity, claims and who owns them, ordered and parallel management, rolling updates with partition
and maxUnavailable, OnDelete, revisions and their history, status. A pod that is deleted in the course of a
look is missing only from the next look on, as for a controller that hears of it by its watch.
"""

from .observe import StatefulSetController

__all__ = ["StatefulSetController"]
