"""The pod garbage collector: ends pods that nobody else ends, and keeps the number of finished ones bounded.

It makes a pass every 20 s; passes that would find nothing are not made.
"""

from .observe import PodGarbageCollector

__all__ = ["PodGarbageCollector"]
