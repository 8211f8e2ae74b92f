"""The folders of images: facts of known ones, assumed where something is written, made for a workingDir."""

from typing import Any

import pytest

from lifecycle.engine.programs import FileLayer, Mount
from lifecycle.engine.programs.images.folders import find_image_files, find_working_folder
from lifecycle.engine.programs.images.sources import find_image
from lifecycle.userland.file_layers import FOLDER, IMAGE_LAYER
from tests.engine.programs.worlds import FakeWorld, exec_probe, make_layer, pod_spec, reload, run_until, start

UNKNOWN = "ghcr.io/acme/broker:4"


def run_in(
    image: str, script: str, world: FakeWorld | None = None, **container: Any
) -> tuple[int, list[str]]:
    """The exit code of a script, and what it has said, then what was assumed of it."""
    world = world or FakeWorld()
    process = start(pod_spec({"image": image, "command": ["sh", "-ec", script], **container}), world)
    run_until(process, world, 60_000)
    assert process.exit is not None
    said = [line for _, line in process.take_output()]
    return process.exit.code, said + process.take_problems()


def assumed(folder: str) -> str:
    return f"nothing is known of the folder {folder}: taken to be there"


@pytest.mark.parametrize(
    "script",
    [
        "echo a > /app/logs/x",
        "echo a >> /app/logs/x",
        "date 2> /app/logs/x",
        "echo a | tee /app/logs/x",
        "echo a | tee -a /app/logs/x",
        "touch /app/logs/x",
        "mkdir /app/logs/x",
        "echo a > /tmp/t; cp /tmp/t /app/logs/x",
        "echo a > /tmp/t; mv /tmp/t /app/logs/x",
        "echo a > /tmp/t; install -m 700 /tmp/t /app/logs/x",
        "ln -s /etc/hosts /app/logs/x",
        "ln /etc/hosts /app/logs/x",
        "dd if=/dev/zero of=/app/logs/x bs=1k count=1",
        "cd /app/logs; echo a > x",
        "cat > /app/logs/x <<E\na\nE",
        "exec 3> /app/logs/x; echo a >&3",
    ],
)
def test_folder_that_is_written_to_is_taken_to_be_in_an_unknown_image(script: str) -> None:
    code, said = run_in(UNKNOWN, f"{{ {script}\n}} > /dev/null; ls -d /app/logs/x")
    assert (code, said) == (0, ["/app/logs/x", assumed("/app/logs")])


def test_folder_is_told_of_once() -> None:
    code, said = run_in(
        UNKNOWN, "echo a > /app/x; echo b > /app/y; sleep 1; rm /app/x; echo c > /app/x; cp /app/x /srv/www/x"
    )
    assert (code, said) == (0, [assumed("/app"), assumed("/srv/www")])


@pytest.mark.parametrize(
    "script",
    [
        "cat /app/conf",
        "ls /app",
        ". /app/env.sh 2>/dev/null; cat < /app/conf",
        "test -e /app/conf",
        "test -d /app",
        "cp -n /etc/hosts /tmp/x; grep -q a /app/conf",
        "echo a > /app/x; cat /app/y",
        "echo a > /app/x; ls /app/lib",
    ],
)
def test_what_is_read_and_is_not_there_stays_missing(script: str) -> None:
    code, _said = run_in(UNKNOWN, script)
    assert code != 0


@pytest.mark.parametrize(
    ("image", "script", "said"),
    [
        ("busybox:1.36", "echo a > /app/x", "sh: can't create /app/x: No such file or directory"),
        ("alpine:3.20", "touch /app/x", "touch: /app/x: No such file or directory"),
        ("busybox:1.36", "ln -s /etc/hosts /app/x", "ln: /app/x: No such file or directory"),
        (UNKNOWN, "echo a > /etc/hosts/x", "sh: can't create /etc/hosts/x: Not a directory"),
        (UNKNOWN, "echo a > /tmp/f; echo a > /tmp/f/g/x", "sh: can't create /tmp/f/g/x: Not a directory"),
        (UNKNOWN, "echo 1 > /proc/sys/vm/x", "sh: can't create /proc/sys/vm/x: No such file or directory"),
        (
            UNKNOWN,
            "echo 1 > /sys/kernel/mm/x",
            "sh: can't create /sys/kernel/mm/x: No such file or directory",
        ),
        (UNKNOWN, "echo a > /data/sub/x", "sh: can't create /data/sub/x: No such file or directory"),
    ],
)
def test_folder_that_surely_is_not_there_is_not_made(image: str, script: str, said: str) -> None:
    world = FakeWorld(volumes=[Mount("/data", FileLayer())])
    assert run_in(image, script, world) == (1, [said])


def test_nothing_is_written_to_a_root_that_is_read_only() -> None:
    code, said = run_in(UNKNOWN, "echo a > /app/x", FakeWorld(is_root_read_only=True))
    assert (code, said) == (1, ["sh: can't create /app/x: Read-only file system"])


@pytest.mark.parametrize(
    ("script", "folder"),
    [
        ("cp -R /opt/gateway/conf /vol; date > /vol/conf/cert/x", "/vol/conf/cert"),
        ("cp -R /opt/gateway/conf /vol; date > /vol/conf/x", "/vol/conf"),
        ("cp -R /opt/gateway/conf/. /vol/; date > /vol/cert/x", "/vol/cert"),
        ("cp -R /opt/gateway/conf /tmp; date > /tmp/conf/x", "/tmp/conf"),
    ],
)
def test_what_lies_below_an_unknown_copy_may_be_there(script: str, folder: str) -> None:
    """As an init container of a public chart fills a volume."""
    world = FakeWorld(volumes=[Mount("/vol", FileLayer())])
    code, said = run_in(UNKNOWN, f"{script}; ls {folder}", world)
    assert (code, said[0], said[-1]) == (0, "x", assumed(folder))
    if folder.startswith("/vol"):
        assert run_in("busybox:1.36", f"ls {folder}; mkdir {folder}/more", world) == (0, ["x"])


def test_not_each_of_very_many_folders_is_told_of() -> None:
    world = FakeWorld()
    script = "i=0; while [ $i -lt 200 ]; do i=$((i + 1)); echo a > /app$i/x; done; ls /app200"
    code, said = run_in(UNKNOWN, script, world)
    assert (code, said[0]) == (0, "x")
    assert 1 + 100 <= len(said) <= 201


@pytest.mark.parametrize(
    ("image", "script"),
    [
        ("nginx:1.27", "echo hello > /usr/share/nginx/html/index.html"),
        ("nginx:1.27-alpine", "cat /etc/nginx/nginx.conf; test -f /etc/nginx/conf.d/default.conf"),
        (
            "nginx",
            "test -f /etc/nginx/nginx.conf; test -d /docker-entrypoint.d; test -r /usr/share/nginx/html",
        ),
        ("nginxinc/nginx-unprivileged", "touch /etc/nginx/conf.d/own.conf"),
        ("httpd:2.4", "hostname > /usr/local/apache2/htdocs/index.html; hostname > htdocs/index.html"),
        ("redis:7", "touch /data/ready ready"),
        ("mysql:8", "touch /var/lib/mysql/x /docker-entrypoint-initdb.d/init.sql"),
        ("mariadb:11", "touch /var/lib/mysql/x /docker-entrypoint-initdb.d/init.sql"),
        ("postgres:16", "touch /var/lib/postgresql/data/x /docker-entrypoint-initdb.d/init.sql"),
        ("mongo:7", "touch /data/db/x /docker-entrypoint-initdb.d/init.js"),
        ("tomcat:10", "mkdir webapps/ROOT; cp /etc/hostname /usr/local/tomcat/webapps/ROOT/index.jsp"),
        ("php:8.3", "touch /var/www/html/index.php"),
        ("php:8.3-apache", "touch index.php /var/www/html/index.php"),
        ("wordpress:6", "test -d /usr/src/wordpress; touch /var/www/html/x"),
        ("haproxy:3.0", "touch /usr/local/etc/haproxy/haproxy.cfg"),
        ("caddy:2", "test -f /etc/caddy/Caddyfile; touch /usr/share/caddy/x"),
        ("golang:1.23", "touch /go/src/x bin/y"),
        ("rabbitmq:3-management", "touch /etc/rabbitmq/conf.d/x.conf /var/lib/rabbitmq/x"),
        ("grafana/grafana:11.0.0", "touch /var/lib/grafana/x /etc/grafana/provisioning/dashboards/x"),
        ("prom/prometheus", "test -f /etc/prometheus/prometheus.yml; touch /prometheus/x"),
        ("elasticsearch:8.1.0", "touch data/x config/y"),
    ],
)
def test_known_image_has_its_folders(image: str, script: str) -> None:
    assert run_in(image, script) == (0, [])


def test_entrypoint_of_an_image_runs_what_it_is_given() -> None:
    world = FakeWorld()
    process = start(
        pod_spec({"image": "nginx:1.27", "command": ["/docker-entrypoint.sh", "nginx", "-g", "daemon off;"]}),
        world,
    )
    run_until(process, world, 1_000)
    assert process.exit is None and process.take_problems() == []
    assert [port for port in (80, 81) if process.listens_on(port, 1_000)] == [80]


@pytest.mark.parametrize(
    ("image", "script"),
    [
        ("python:3.12", "test -e /usr/src/app"),
        ("ruby:3", "test -e /usr/src/app"),
        ("node:20", "test -e /usr/src/app"),
        ("nginx", "cat /usr/share/nginx/html/hello.html"),
        ("nginx", "test -x /etc/nginx/nginx.conf"),
        ("httpd", "test -d /usr/share/nginx"),
    ],
)
def test_known_image_has_no_more_than_that(image: str, script: str) -> None:
    assert run_in(image, script)[0] != 0


@pytest.mark.parametrize(
    ("image", "given", "folder"),
    [
        ("redis:7", None, "/data"),
        ("httpd", None, "/usr/local/apache2"),
        ("tomcat:10", None, "/usr/local/tomcat"),
        ("php:8.3", None, "/"),
        ("php:8.3-fpm", None, "/var/www/html"),
        ("golang:1.23", None, "/go"),
        ("perl:5", None, "/usr/src/app"),
        ("caddy:2", None, "/srv"),
        ("nginx", None, "/"),
        ("python:3.12", None, "/"),
        (UNKNOWN, None, "/"),
        ("redis:7", "/tmp", "/tmp"),
        (UNKNOWN, "/srv/app", "/srv/app"),
    ],
)
def test_processes_start_in_the_working_folder(image: str, given: str | None, folder: str) -> None:
    container = {"workingDir": given} if given else {}
    assert run_in(image, "pwd", **container) == (0, [folder])
    # A command that comes later starts there as well.
    world = FakeWorld()
    process = start(pod_spec({"image": image, "stdin": True, **container}), world)
    if process.exit is None:
        assert process.command(["pwd"], "", 1_000, 1_000, world).output == f"{folder}\n"


@pytest.mark.parametrize("image", ["busybox:1.36", "alpine", "python:3.12", UNKNOWN])
@pytest.mark.parametrize("folder", ["/srv/app", "/var/jobs/day", "/app/"])
def test_runtime_makes_the_working_folder(image: str, folder: str) -> None:
    path = folder.rstrip("/")
    script = f"echo a > app.conf && test -s {path}/app.conf && pwd"
    assert run_in(image, script, workingDir=folder) == (0, [path])


def test_working_folder_is_made_where_the_root_is_read_only() -> None:
    world = FakeWorld(is_root_read_only=True)
    assert run_in("busybox:1.36", "ls -d /srv/app; pwd", world, workingDir="/srv/app") == (
        0,
        ["/srv/app", "/srv/app"],
    )


@pytest.mark.parametrize("command", [None, ["sh", "-c", "sleep 60"]], ids=["program", "script"])
def test_hooks_checks_and_commands_find_the_working_folder(command: list[str] | None) -> None:
    world = FakeWorld()
    given = {"command": command} if command else {}
    process = start(pod_spec({"image": UNKNOWN, "workingDir": "/app", **given}), world)
    hook = process.hook("postStart", {"exec": {"command": ["sh", "-c", "echo a > hook"]}}, 10, world)
    run_until(process, world, 20)
    assert hook.exit_code == 0
    process = reload(process)
    assert process.probe("readiness", exec_probe("test", "-s", "/app/hook"), 1_000, world).result == "success"
    assert process.command(["ls"], "", 1_000, 2_000, world).output == "hook\n"
    assert process.take_problems() == []


def test_working_folder_in_a_volume_is_there_for_the_others_too() -> None:
    layer = FileLayer()
    world = FakeWorld(volumes=[Mount("/vol", layer)])
    mounts = [{"name": "v", "mountPath": "/vol"}]
    start(pod_spec({"image": UNKNOWN, "workingDir": "/vol/out", "volumeMounts": mounts}), world)
    found = layer.get("out")
    assert found is not None and found.kind == FOLDER


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("rm /usr/share/nginx/html/index.html; ls /usr/share/nginx/html", ["50x.html"]),
        ("rm -rf /usr/share/nginx/html/*; ls /usr/share/nginx/html", []),
        ("rm -rf /usr/share/nginx/html; ls /usr/share/nginx", []),
        ("rm -r /usr/share/nginx/html; mkdir /usr/share/nginx/html; ls /usr/share/nginx/html", []),
        ("rm -r /usr/share/nginx; mkdir -p /usr/share/nginx/html; ls /usr/share/nginx", ["html"]),
        ("rm /etc/nginx/nginx.conf; echo a > /etc/nginx/nginx.conf; cat /etc/nginx/nginx.conf", ["a"]),
        (
            "mv /etc/nginx/conf.d/default.conf /tmp/x; ls /etc/nginx/conf.d; ls /tmp",
            ["x"],
        ),
        ("cd /usr/share/nginx/html; mv index.html old.html; ls", ["50x.html", "old.html"]),
        (
            "echo a > /usr/share/nginx/html/a.html; ls /usr/share/nginx/html",
            ["50x.html", "a.html", "index.html"],
        ),
        ("echo a > /usr/share/nginx/html/index.html; cat /usr/share/nginx/html/index.html", ["a"]),
        ("cp -r /etc/nginx /tmp; ls /tmp/nginx", ["conf.d", "mime.types", "nginx.conf"]),
        (
            "sed -i s/80/8080/ /etc/nginx/nginx.conf; test -s /etc/nginx/nginx.conf; echo yes",
            ["yes"],
        ),
    ],
)
def test_files_of_an_image_can_be_changed_and_removed(script: str, said: list[str]) -> None:
    assert run_in("nginx:1.27", script) == (0, said)


def test_containers_of_one_image_share_its_files_and_change_only_their_own() -> None:
    layer = find_image_files("nginx:1.27")
    before = layer.save()
    assert layer is find_image_files("docker.io/library/nginx:1.25")
    plain = IMAGE_LAYER.save()
    script = (
        "chmod 777 /etc/nginx/nginx.conf; touch /usr/share/nginx/html /tmp; echo a >> /etc/nginx/nginx.conf;"
        " rm -rf /usr/share/nginx; mkdir -p /tmp/x"
    )
    assert run_in("nginx:1.27", script) == (0, [])
    assert run_in(UNKNOWN, "touch /tmp /usr; chmod 700 /var") == (0, [])
    assert (layer.save(), IMAGE_LAYER.save()) == (before, plain)


@pytest.mark.parametrize(
    "check",
    [
        ["grep", "-q", "worker", "/etc/nginx/nginx.conf"],
        ["sh", "-c", "cat /etc/nginx/nginx.conf | grep -q worker"],
        ["sh", "-c", "sed s/a/b/ /etc/nginx/conf.d/default.conf | grep -q listen"],
    ],
)
def test_check_that_looks_into_a_file_of_the_image_is_taken_to_pass(check: list[str]) -> None:
    world = FakeWorld()
    process = start(pod_spec({"image": "nginx:1.27"}), world)
    assert process.probe("readiness", exec_probe(*check), 1_000, world).result == "success"


def test_removed_files_stay_removed_when_a_run_is_saved() -> None:
    world = FakeWorld()
    script = "rm /usr/share/nginx/html/index.html; sleep 5; ls /usr/share/nginx/html"
    process = start(pod_spec({"image": "nginx:1.27", "command": ["sh", "-c", script]}), world)
    process = reload(process)
    run_until(process, world, 60_000)
    assert [line for _, line in process.take_output()] == ["50x.html"]


@pytest.mark.parametrize("image", ["nginx", "redis:7", UNKNOWN, "busybox"])
def test_every_image_has_the_usual_folders(image: str) -> None:
    layer = find_image_files(image)
    assert all(layer.get(path) is entry for path, entry in IMAGE_LAYER.entries.items())


def test_a_command_in_the_working_folder_of_an_image_is_looked_for_there() -> None:
    volumes = [Mount("/data", make_layer({"run.sh": "#!/bin/sh\necho ran"}, 0o755))]
    world = FakeWorld(volumes=volumes)
    mounts = [{"name": "v", "mountPath": "/data"}]
    process = start(pod_spec({"image": "redis:7", "command": ["./run.sh"], "volumeMounts": mounts}), world)
    run_until(process, world, 60_000)
    assert [line for _, line in process.take_output()] == ["ran"]
    assert find_working_folder({"image": "redis:7", "workingDir": "/srv"}) == "/srv"
    assert find_image("redis:7") is not None
