"""Makes the claims of volumes that live as long as their pods; the garbage collector takes them along.

Models the controller of generic ephemeral volumes.
"""

from .observe import EphemeralVolumeController

__all__ = ["EphemeralVolumeController"]
