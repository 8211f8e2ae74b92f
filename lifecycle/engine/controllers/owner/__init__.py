"""What controllers of owners do alike: selectors, orphans, claims, tallies, and the look at one key.

A new kind of owner is a class in `observe.py` of its own folder, made of `OwnerController` (or, when it owns
pods, `PodOwnerController`), and pure functions in its `decide/`.
"""
