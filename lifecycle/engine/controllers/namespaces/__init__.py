"""The end of a namespace: all that is in it is deleted, and it waits until nothing is left.

Models the namespace controller: it begins five seconds after the deletion, and looks again after half of the
longest grace period. Left out: API groups that cannot be discovered.
"""

from .observe import NamespaceController

__all__ = ["NamespaceController"]
