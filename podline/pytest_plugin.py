"""The pytest plugin: clusters in virtual time, one for each test that asks for it.

    @pytest.mark.podline(nodes=2, seed=7)
    def test_web_comes_up(podline_cluster):
        podline_cluster.apply("manifests/")
        podline_cluster.expect("deployment/web Available", within="2m")

    def test_my_controller(podline_api):
        with run_controller(kubeconfig=podline_api.kubeconfig):
            podline_api.run_until("deployment/web Available")

`podline_cluster` lives in the test's own process, and a failure shows what is said of its workloads.
`podline_api` serves the Kubernetes API to programs in any language.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from podline import Cluster
    from podline.served import ApiCluster, ApiServer

MARK = "podline"
_CLUSTER = pytest.StashKey["Cluster"]()
_NUMBERS = count(1)


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    text = "what its cluster is made with: nodes, seed, epoch, timing, kubernetes; podline_cluster: namespace"
    config.addinivalue_line("markers", f"{MARK}(**options): {text}")


@pytest.fixture
def podline_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster in virtual time: `apply`, `run_until`, `expect`, `why`; see `podline.Cluster`."""
    from podline import Cluster

    cluster = Cluster(**_read_options(request))
    request.node.stash[_CLUSTER] = cluster
    yield cluster


@pytest.fixture(scope="session")
def podline_api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """The server behind `podline_api`, one for all tests: it takes some seconds to start."""
    from podline.served import ApiServer, ServerFailed

    try:
        server = ApiServer(tmp_path_factory.mktemp("podline"))
    except ServerFailed as error:
        pytest.fail(str(error), pytrace=False)
    with server:
        yield server


@pytest.fixture
def podline_api(request: pytest.FixtureRequest, podline_api_server: ApiServer) -> Iterator[ApiCluster]:
    """A cluster that serves the Kubernetes API: `kubeconfig`, and a clock that stands until it is turned."""
    cluster = podline_api_server.make_cluster(f"test-{next(_NUMBERS)}", **_read_options(request))
    yield cluster
    cluster.delete()


def _read_options(request: pytest.FixtureRequest) -> dict[str, Any]:
    mark = request.node.get_closest_marker(MARK)
    return dict(mark.kwargs) if mark else {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Beside a failure stands how the cluster was."""
    report = yield
    cluster = item.stash.get(_CLUSTER, None)
    if report.failed and report.when == "call" and cluster is not None:
        report.sections.append(("podline", cluster.describe()))
    return report
