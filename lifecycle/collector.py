"""Python's cycle collector, set for processes that hold engines."""

import gc

# Engines are large, long-lived and free of cycles: looking for cycles after every 700 new objects, as
# Python does, would cost more than it ever frees.
COLLECT_AFTER = (100_000, 20, 50)


def settle() -> None:
    """Take what is loaded so far out of the collector's sight, and have it look more rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
