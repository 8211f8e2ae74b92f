"""The pytest plugin: `podline_cluster` is a cluster in virtual time, one for each test.

    @pytest.mark.podline(nodes=2, seed=7)
    def test_web_comes_up(podline_cluster):
        podline_cluster.apply("manifests/")
        podline_cluster.expect("deployment/web Available", within="2m")

A test that fails shows what is said of the workloads then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from podline import Cluster

MARK = "podline"
_CLUSTER = pytest.StashKey["Cluster"]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    text = "what `podline_cluster` is made with: nodes, seed, epoch, timing, kubernetes, namespace"
    config.addinivalue_line("markers", f"{MARK}(**options): {text}")


@pytest.fixture
def podline_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster in virtual time: `apply`, `run_until`, `expect`, `why`; see `podline.Cluster`."""
    from podline import Cluster

    mark = request.node.get_closest_marker(MARK)
    cluster = Cluster(**(mark.kwargs if mark else {}))
    request.node.stash[_CLUSTER] = cluster
    yield cluster


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Beside a failure stands how the cluster was."""
    report = yield
    cluster = item.stash.get(_CLUSTER, None)
    if report.failed and report.when == "call" and cluster is not None:
        report.sections.append(("podline", cluster.describe()))
    return report
