"""Attaches volumes to the nodes of the pods that need them, and takes them off when nobody there does.

Models the attach and detach controller, and the driver's part of it: an attachment is an object, and it
takes a while to come true. A volume for one node waits until it has left the other. A volume on a node that
is lost is taken off after six minutes. Left out: how many volumes a node can take.
"""

from .observe import AttachmentController

__all__ = ["AttachmentController"]
