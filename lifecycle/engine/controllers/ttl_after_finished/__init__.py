"""The TTL-after-finished controller: finished Jobs go when their time is over."""

from .observe import TtlAfterFinishedController

__all__ = ["TtlAfterFinishedController"]
