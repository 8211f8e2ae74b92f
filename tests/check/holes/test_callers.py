"""Who mentions a Service is taken to depend on it."""

from base64 import b64encode
from types import SimpleNamespace

import pytest

from lifecycle.check.holes.callers import list_callers
from lifecycle.check.settled import CONFIG_MAP, SECRET, Workload


def make_workload(namespace="shop", services=(), **container):
    volumes = container.pop("volumes", [])
    pod_spec = {"containers": [{"name": "app", **container}], "volumes": volumes}
    meta = {"name": "web", "namespace": namespace}
    spec = {"template": {"spec": pod_spec}}
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}
    return Workload("Deployment", namespace, "web", data, tuple(services))


def make_settled(workload, config=(), secrets=()):
    meta = {CONFIG_MAP: {"name": "c", "namespace": "shop"}, SECRET: {"name": "s", "namespace": "shop"}}
    given = {CONFIG_MAP: config, SECRET: secrets}
    others = {
        kind: [{"kind": kind, "metadata": meta[kind], "data": one} for one in found]
        for kind, found in given.items()
    }
    return SimpleNamespace(workloads=[workload], others=others)


def has_caller(workload, **others):
    return bool(list_callers(make_settled(workload, **others), "shop", "orders-db"))


def env(value):
    return {"env": [{"name": "A", "value": value}]}


@pytest.mark.parametrize(
    "value, expected",
    [
        ("orders-db", True),
        ("orders-db:5432", True),
        ("postgres://u:p@orders-db/orders", True),
        ("http://orders-db/", True),
        ("orders-db.shop", True),
        ("orders-db.shop.svc", True),
        ("orders-db.shop.svc.cluster.local:5432", True),
        ("orders-db-0.orders-db.shop.svc", True),
        ("cache,orders-db", True),
        ("$(ORDERS_DB_SERVICE_HOST)", True),
        ("orders-db.other", False),
        ("orders-db.example.com", False),
        ("my-orders-db", False),
        ("orders-db-replica", False),
        ("postgres://pg/orders-db", False),
        ("/var/lib/orders-db", False),
        ("", False),
    ],
)
def test_a_host_in_a_variable_is_a_mention(value, expected):
    assert has_caller(make_workload(**env(value))) is expected


@pytest.mark.parametrize(
    "value, expected",
    [("orders-db", False), ("orders-db.shop", True), ("orders-db.shop.svc.cluster.local", True)],
)
def test_of_another_namespace_a_mention_names_it(value, expected):
    assert has_caller(make_workload("billing", **env(value))) is expected


@pytest.mark.parametrize(
    "container",
    [
        pytest.param({"args": ["--db", "orders-db"]}, id="an argument"),
        pytest.param({"command": ["sh", "-c", "nc -z orders-db 5432"]}, id="a command"),
        pytest.param(
            {"livenessProbe": {"exec": {"command": ["pg_isready", "-h", "orders-db"]}}}, id="a check"
        ),
        pytest.param(
            {"readinessProbe": {"httpGet": {"host": "orders-db.shop", "port": 80}}}, id="a check's host"
        ),
    ],
)
def test_commands_and_checks_mention_it(container):
    assert has_caller(make_workload(**container))


def test_what_its_pods_read_mentions_it():
    config = [{"app.conf": "db = orders-db\n"}]
    secret = [{"url": b64encode(b"postgres://u:p@orders-db/x").decode()}]
    reads_config = make_workload(envFrom=[{"configMapRef": {"name": "c"}}])
    reads_secret = make_workload(volumes=[{"name": "v", "secret": {"secretName": "s"}}])
    assert has_caller(reads_config, config=config)
    assert has_caller(reads_secret, secrets=secret)
    assert not has_caller(make_workload(), config=config, secrets=secret)


def test_what_is_behind_it_does_not_depend_on_itself():
    assert not has_caller(make_workload(services=[("shop", "orders-db")], **env("orders-db")))
