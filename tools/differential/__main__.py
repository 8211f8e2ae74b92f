"""`python -m tools.differential [FAMILY…] [--seeds 0:50] [--kubeconfig K]`: search for what differs."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

from tests.recordings.scenario_files import RELEASES
from tools.differential.case import read_case
from tools.differential.client import Client
from tools.differential.drawing import FAMILIES, draw_case
from tools.differential.hollow_nodes import TIMING, HollowNodes
from tools.differential.judging import Verdict
from tools.differential.recorder import SLOT_LABEL, WATCHED, ZONE_LABEL, Recorder, make_slots
from tools.differential.searching import Alone, Beside, Search, run_again, shrink_verdict
from tools.differential.watches import Watches


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was found, the smallest scenario of each, and a line a family. 1 when there was any."""
    options = _read_options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    search = _make_search(options)
    cases = [read_case(path.stem, path.read_text()) for path in options.file]
    cases = cases or [draw_case(family, seed) for seed in options.seeds for family in options.families]
    words: dict[str, Counter[str]] = {case.family: Counter() for case in cases}
    found: list[Verdict] = []
    for verdict in search.judge(cases):
        if verdict.is_sound:
            words[verdict.case.family][verdict.word] += 1
        else:
            print(f"{verdict.case.name} {verdict.word}\n{verdict.text}", flush=True)
            found.append(verdict)
    found = _settle(run_again(search, found, options.again), words, options)
    for verdict in found if options.shrink else ():
        small = shrink_verdict(search, verdict, options.shrink)
        path = options.out / f"{verdict.case.name}.small.yaml"
        path.write_text(small.case.to_text())
        print(f"--- {path}\n{small.case.to_text()}\n{small.text}", flush=True)
    for family, counts in words.items():
        print(f"{family:16}", ", ".join(f"{word} {count}" for word, count in sorted(counts.items())))
    return 1 if found else 0


def _settle(
    verdicts: Sequence[Verdict], words: dict[str, Counter[str]], options: argparse.Namespace
) -> list[Verdict]:
    """Count them, and keep the scenarios of those that stand."""
    for verdict in verdicts:
        words[verdict.case.family][verdict.word] += 1
        if verdict.is_sound:
            print(f"{verdict.case.name} {verdict.word}", flush=True)
            continue
        (options.out / f"{verdict.case.name}.yaml").write_text(verdict.case.to_text())
        if options.again:
            shown = "".join(f"    {one}\n" for one in sorted(verdict.shown))
            print(f"{verdict.case.name} {verdict.word} each time:\n{shown}", end="", flush=True)
    return [verdict for verdict in verdicts if not verdict.is_sound]


def _read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.differential", description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}; or all")
    parser.add_argument("--seeds", type=_read_seeds, default=range(20), metavar="A:B", help="from A up to B")
    parser.add_argument(
        "--file", type=Path, action="append", default=[], help="this scenario, drawn before or not"
    )
    parser.add_argument("--kubeconfig", type=Path, help="of a scratch cluster, to run beside")
    parser.add_argument("--kubectl", default="", help="for steps that kubectl alone takes")
    parser.add_argument("--slots", type=int, default=4, help="how many scenarios at once, on 3 nodes each")
    parser.add_argument("--hollow", action="store_true", help="make the nodes: the cluster has no kubelets")
    parser.add_argument("--again", type=int, default=0, metavar="N", help="run what is found N times more")
    parser.add_argument("--shrink", type=int, default=0, metavar="N", help="make small, with N tries at most")
    parser.add_argument("--out", type=Path, default=Path("differential"), help="the folder of what is found")
    options = parser.parse_args(arguments)
    unknown = [family for family in options.families if family not in FAMILIES]
    if unknown:
        parser.error(f"no family is called {unknown[0]}; there are {', '.join(FAMILIES)}")
    options.families = options.families or [*FAMILIES]
    return options


def _read_seeds(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last or int(first) + 1))


def _make_search(options: argparse.Namespace) -> Search:
    if options.kubeconfig is None:
        return Alone()
    client = Client(options.kubeconfig)
    slots = make_slots(options.slots)
    watches = Watches(client, WATCHED)
    silence, timing = None, None
    if options.hollow:
        labels = {slot.name: {SLOT_LABEL: slot.name, ZONE_LABEL: slot.name} for slot in slots}
        nodes = HollowNodes(client, {node: labels[slot.name] for slot in slots for node in slot.nodes})
        watches.add(nodes.hear)
        nodes.start()
        silence, timing = nodes.silence, TIMING
    recorder = Recorder(client, watches, options.kubectl, silence, timing)
    if recorder.release not in RELEASES:
        raise SystemExit(f"the cluster is of {recorder.version}; recordings are of {', '.join(RELEASES)}")
    return Beside(recorder, slots, options.out)


if __name__ == "__main__":
    raise SystemExit(main())
