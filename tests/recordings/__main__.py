"""`python -m tests.recordings [NAME or prefix*…] [--release v1.36] [-v] [--report]`: what differs from a
real Kubernetes."""

from __future__ import annotations

import argparse
import fnmatch
from collections import Counter

from tests.recordings.check import check, describe, describe_findings, read_both
from tests.recordings.compare import compare
from tests.recordings.report import print_report
from tests.recordings.scenario_files import RELEASES, list_names
from tests.recordings.side_by_side import print_side_by_side


def main() -> None:
    """Print a line for each scenario, then a total."""
    parser = argparse.ArgumentParser(prog="python -m tests.recordings", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a scenario, or several: 'deploy-*'")
    parser.add_argument("-v", "--verbose", action="store_true", help="both histories and each difference")
    parser.add_argument("--report", action="store_true", help="all differences, by kind")
    parser.add_argument("--release", choices=RELEASES, default=RELEASES[0], help="whose recordings")
    options = parser.parse_args()
    wanted = options.names or ["*"]
    names = [
        name for name in list_names(options.release) if any(fnmatch.fnmatch(name, one) for one in wanted)
    ]
    if not names:
        parser.error(f"no scenario is named {' or '.join(wanted)}")
    results = []
    for name in names:
        if options.verbose:
            real, mine = read_both(name, options.release)
            print_side_by_side(real, mine)
            results.append(compare(name, real, mine))
        else:
            results.append(check(name, options.release))
        print(describe(results[-1]), flush=True)
        if options.verbose:
            print(describe_findings(results[-1]))
    if options.report:
        print_report(results)
    verdicts = Counter(one.verdict for one in results)
    agreeing = sum(one.agrees for one in results)
    share = 100 * agreeing / len(results)
    print(
        f"{options.release}: agree: {agreeing} of {len(results)} ({share:.0f} %): same {verdicts['same']},"
        f" coalesced {verdicts['coalesced']}; times {verdicts['times']}, differs {verdicts['differs']}"
    )


if __name__ == "__main__":
    main()
