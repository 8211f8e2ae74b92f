"""Brings claims and volumes together, and says what becomes of a volume whose claim has gone.

Models the persistent volume controller: each look at a claim or a volume makes one write and looks again.
A claim that found nothing is looked at again only when the controller goes over all of them. Left out: other
claims and snapshots as what a volume is filled from.
"""

from .observe import VolumeBinder

__all__ = ["VolumeBinder"]
