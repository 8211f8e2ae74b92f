"""Who serves which clusters: engine workers, and the shards that clusters are spread over."""

from django.db import models


class Worker(models.Model):
    """An engine worker process and the last time it was heard of."""

    name = models.CharField(max_length=127, primary_key=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    hot_clusters = models.PositiveIntegerField(default=0)
    figures = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.name


class Shard(models.Model):
    """A share of all clusters: one Celery queue, served by one worker at a time.

    `served_until` is when the shard was last known to be served: virtual time stands after it.
    """

    number = models.PositiveSmallIntegerField(primary_key=True)
    worker = models.CharField(max_length=127, blank=True)
    fence = models.BigIntegerField(default=0)
    served_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"engine.{self.number}"
