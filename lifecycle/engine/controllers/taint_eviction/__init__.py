"""Pods that do not tolerate a taint with the effect NoExecute leave their node, some after a while.

A controller of its own in v1.35: whoever sets the taint, it acts. How fast nodes are tainted is for the node
lifecycle controller to say.
"""

from .observe import TaintEvictionController

__all__ = ["TaintEvictionController"]
