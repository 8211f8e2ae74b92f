"""What storage drivers do: they make volumes for claims of their classes, make them larger, and delete them.

Models the sidecars that every driver has (external-provisioner, external-resizer). Whoever a class names is
taken to be installed, which is an assumption and said as one; only plugins of old are known to be gone.
Left out: what drivers cannot do for reasons of their own.
"""

from .observe import StorageDriver

__all__ = ["StorageDriver"]
