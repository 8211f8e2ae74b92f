"""The operators of custom resources, as far as they make Secrets and ConfigMaps, and Jobs that do. Assumed.

Models what cert-manager, External Secrets and their kin leave behind a moment later. Left out: what they
hold, renewals, and everything else that they do.
"""

from .observe import MadeObjectsController

__all__ = ["MadeObjectsController"]
