"""`podline version`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from lifecycle.engine.public import DEFAULT_RELEASE
from lifecycle.version import TOLD, VERSION


def main(arguments: Sequence[str], program: str) -> int:
    """Print the version, as a sentence or as JSON."""
    parser = ArgumentParser(program, description="Print which Podline this is, and of which Kubernetes.")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")
    if parser.parse_args(arguments).output == "json":
        told = {"podline": VERSION, "kubernetes": DEFAULT_RELEASE.version}
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        sys.stdout.write(f"{TOLD}\n")
    return 0
