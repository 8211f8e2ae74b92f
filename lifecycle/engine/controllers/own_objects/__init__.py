"""What every namespace has of its own: its `default` account, and the bundle that the API server is known by.

Models the service accounts controller and the root CA publisher: both come with a namespace, and come back.
"""

from .observe import OwnObjectsController

__all__ = ["OwnObjectsController"]
