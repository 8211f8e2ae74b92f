"""Keeps claims that pods use, and volumes that claims are bound to, until nobody needs them any more.

Models the two protection controllers: they take off their finalizers, which the API server has put on.
"""

from .observe import StorageProtection

__all__ = ["StorageProtection"]
