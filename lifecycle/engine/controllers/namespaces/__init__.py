"""The end of a namespace: all that is in it is deleted, and it waits until nothing is left.

Models the namespace controller: it begins five seconds after the deletion, with the pods, and looks again
five seconds after every change, or after half of what is expected to be left. Left out: API groups that
cannot be discovered.
"""

from .observe import NamespaceController

__all__ = ["NamespaceController"]
