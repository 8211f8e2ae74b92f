"""`python -m tests.golden.write [--force]`: write down the hash that every scenario gives today."""

import argparse
import sys

from lifecycle.engine import ENGINE_VERSION
from tests.golden.histories import HASHES, NAMES, TIMINGS, Hashes, live_through, read_hashes, write_hashes


def main() -> None:
    """Exit status 1, and nothing written, when histories changed and the engine's version did not."""
    parser = argparse.ArgumentParser(description="Write down the hash that every scenario gives today.")
    parser.add_argument("--force", action="store_true", help="even over other hashes of the same version")
    is_forced = parser.parse_args().force
    found: Hashes = {name: {timing: live_through(name, timing)[0] for timing in TIMINGS} for name in NAMES}
    changed = list_changed(found, *read_hashes()) if HASHES.exists() else []
    if changed and not is_forced:
        sys.exit(
            f"Nothing written: {', '.join(changed)} changed,"
            f" and ENGINE_VERSION is {ENGINE_VERSION} as before.\n"
            "Raise it in lifecycle/engine/cluster.py; use --force only where a scenario itself was edited."
        )
    write_hashes(ENGINE_VERSION, found)
    print(f"Wrote {len(found) * len(TIMINGS)} hashes of engine version {ENGINE_VERSION}.")


def list_changed(found: Hashes, version: int, written: Hashes) -> list[str]:
    """The scenarios that gave another hash under the same version. New and dropped ones do not count."""
    if version != ENGINE_VERSION:
        return []
    return [name for name in found if name in written and written[name] != found[name]]


if __name__ == "__main__":
    main()
