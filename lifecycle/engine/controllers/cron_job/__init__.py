"""The CronJob controller: Jobs at the times of a schedule, and no more of them kept than are wanted."""

from .observe import CronJobController

__all__ = ["CronJobController"]
