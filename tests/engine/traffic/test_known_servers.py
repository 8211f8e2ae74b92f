"""What known servers do with requests that are under way when they are to stop, by their public manuals."""

import pytest

from tests.engine.traffic.acts import ONE_SECOND
from tests.engine.traffic.shop import Shop, make_pod, make_service, make_template

PASSWORD = [{"name": "POSTGRES_PASSWORD", "value": "x"}, {"name": "MYSQL_ROOT_PASSWORD", "value": "x"}]


def play(image: str, port: int, then: str) -> Shop:
    """Two pods of an image; at 60 s, when they have long listened, one is deleted or its server crashes."""
    ports = [{"port": 80, "targetPort": port}]
    container = {"image": image, "env": PASSWORD}
    pods = [make_pod(f"web-{number}", make_template(container)) for number in range(2)]
    shop = Shop(**ONE_SECOND).make(make_service({"takes": "200ms"}, ports=ports), *pods).to(60)
    assert shop.tell().split(", ")[-1].split()[1] == "0", shop.tell()
    if then == "stop":
        shop.remove("web-0")
    else:
        shop.do("fault", namespace="default", pod="web-0", container="app", kind="exit", code=139)
    return shop.to(100)


@pytest.mark.slow
@pytest.mark.parametrize(
    "image, port, reset_ms",
    [
        ("nginx:1.27", 80, 0),
        ("nginxinc/nginx-unprivileged:1.27", 8080, 0),
        ("bitnami/nginx:1.27", 8080, 0),
        ("httpd:2.4", 80, 0),
        ("wordpress:6", 80, 0),
        ("haproxy:3.2", 80, 0),
        ("caddy:2", 80, 0),
        ("traefik:v3", 80, 0),
        ("tomcat:11", 8080, 0),
        # It goes on answering for 5 s.
        ("coredns/coredns:1.12", 8080, 0),
        # 200 ms x 1/2 that were under way.
        ("envoyproxy/envoy:v1.34", 80, 100),
        ("traefik/whoami:v1", 80, 100),
        ("postgres:17", 5432, 100),
        ("mysql:8.4", 3306, 100),
        ("shop.example/web:1", 8080, 100),
        # 10 ms of them are done when it ends.
        ("redis:7", 6379, 95),
    ],
)
def test_what_is_under_way_when_a_server_is_to_stop(image: str, port: int, reset_ms: int) -> None:
    assert play(image, port, "stop").sum_outcomes().get("reset", 0) == reset_ms


@pytest.mark.parametrize(
    "image, port", [("nginx:1.27", 80), ("haproxy:3.2", 80), ("shop.example/web:1", 8080)]
)
def test_no_server_finishes_anything_when_it_crashes(image: str, port: int) -> None:
    assert play(image, port, "crash").sum_outcomes()["reset"] == 100


def test_a_server_that_waits_is_killed_like_any_other() -> None:
    behavior = {"app": {"onTerm": {"ignore": True}}}
    template = make_template({"image": "nginx:1.27"}, behavior=behavior, terminationGracePeriodSeconds=2)
    pods = [make_pod(f"web-{number}", template) for number in range(2)]
    ports = [{"port": 80, "targetPort": 80}]
    shop = Shop(service_proxy="10s").make(make_service({"takes": "200ms"}, ports=ports), *pods).to(60)
    shop.remove("web-0")
    assert shop.to(100).sum_outcomes()["reset"] == 100
