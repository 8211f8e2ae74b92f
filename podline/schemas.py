"""`podline schema KIND`: a JSON Schema for editors, as yaml-language-server reads it.

podline schema Scenario > scenario.schema.json
# yaml-language-server: $schema=scenario.schema.json
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from lifecycle.check.asking import configuration
from lifecycle.check.asking.configuration_schema import make_configuration_schema
from lifecycle.check.ordeal_files import KIND
from lifecycle.check.ordeal_schema import make_ordeal_schema
from lifecycle.input.json_schemas import list_schemas, make_json_schema

OF_CHECKS = {KIND: make_ordeal_schema, configuration.KIND: make_configuration_schema}
"""The schemas of what only a check reads."""


def main(arguments: Sequence[str], program: str) -> int:
    """Print the schema of a kind, or which kinds there are."""
    parser = ArgumentParser(program, description="Print the JSON Schema of a kind, for editors.")
    parser.add_argument(
        "kind",
        nargs="?",
        help="Scenario, Ordeal, CheckConfiguration, ContainerProfile, Deployment …; behavior",
    )
    parser.add_argument("--list", action="store_true", help="print what there is a schema of")
    options = parser.parse_args(arguments)
    if options.list:
        sys.stdout.write("".join(f"{name}\n" for name in (*OF_CHECKS, *list_schemas())))
        return 0
    if not options.kind:
        parser.error("name a kind, or give --list")
    try:
        make = OF_CHECKS.get(options.kind)
        schema = make() if make is not None else make_json_schema(options.kind)
    except ValueError as error:
        parser.error(str(error))
    sys.stdout.write(json.dumps(schema, indent=2) + "\n")
    return 0
