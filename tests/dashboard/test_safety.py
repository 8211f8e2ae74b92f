"""What the careful reader of safety found: each a test that failed before."""

from __future__ import annotations

import stat

import pytest
from django.core.management.base import CommandError

from dashboard import consumers, environment
from dashboard.origins import is_own
from lifecycle.management.commands import up
from tests.dashboard.conftest import make_cluster, make_user, watch


@pytest.mark.parametrize(
    "origin, host, is_secure, expected",
    [
        pytest.param("http://localhost:8000", "localhost:8000", False, True, id="here"),
        pytest.param("https://127.0.0.1", "127.0.0.1", True, True, id="here, by TLS"),
        pytest.param("http://localhost:3000", "localhost:8000", False, False, id="another port"),
        pytest.param("https://localhost:8000", "localhost:8000", False, False, id="another scheme"),
        pytest.param("http://127.0.0.1:8000", "localhost:8000", False, False, id="another name of here"),
        pytest.param("http://evil.example", "evil.example", False, False, id="a name that is not ours"),
        pytest.param("https://shop.example", "localhost:8000", False, True, id="trusted"),
        pytest.param("null", "localhost:8000", False, False, id="null"),
        pytest.param("", "localhost:8000", False, False, id="none"),
    ],
)
def test_sockets_are_opened_from_this_site_alone(settings, origin, host, is_secure, expected):
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://shop.example"]
    assert is_own(origin.encode(), host.encode(), is_secure) is expected


def deactivate(user) -> None:
    user.is_active = False
    user.save()


def change_password(user) -> None:
    user.set_password("another, and long enough")
    user.save()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "end", [deactivate, change_password, lambda user: user.delete()], ids=["deactivated", "password", "gone"]
)
async def test_a_socket_ends_with_the_rights_of_its_user(monkeypatch, end):
    monkeypatch.setattr(consumers, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "SHARED_SECONDS", 0.0)
    ada = await consumers.in_thread(make_user)("ada")
    bob = await consumers.in_thread(make_user)("bob", is_superuser=True)
    cluster = await consumers.in_thread(make_cluster)(ada)
    socket = watch(bob, cluster)
    connected, _ = await socket.connect()
    assert connected
    assert await socket.receive_nothing(timeout=0.2)
    await consumers.in_thread(lambda: end(type(bob).objects.get(pk=bob.pk)))()
    closed = await socket.receive_output(timeout=3)
    assert (closed["type"], closed["code"]) == ("websocket.close", consumers.NOT_FOUND)


def test_the_data_folder_is_its_owners_alone(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    monkeypatch.setenv("PODLINE_DATA", str(folder))
    assert environment.folder("PODLINE_DATA", "var", create=True) == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("port", [0, -1, 65_536, 99_999])
def test_up_refuses_a_port_that_is_none(port):
    with pytest.raises(CommandError, match="ports go from 1 to 65535"):
        up.check_port("127.0.0.1", port)


def test_up_says_that_the_secret_is_empty(tmp_path, settings):
    from django.utils.functional import SimpleLazyObject

    (tmp_path / "secret_key").write_text("")
    settings.SECRET_KEY = SimpleLazyObject(lambda: environment.secret_key(tmp_path))
    with pytest.raises(CommandError, match="secret_key is empty: delete it"):
        up.check_secret_key()


def test_up_says_that_the_database_is_damaged(monkeypatch):
    from django.db import DatabaseError

    def fail(*_: object, **__: object) -> None:
        raise DatabaseError("file is not a database")

    monkeypatch.setattr(up, "call_command", fail)
    with pytest.raises(CommandError, match="cannot be used: file is not a database"):
        up.migrate()


@pytest.mark.parametrize(
    "host, is_warned", [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True), ("192.0.2.7", True)]
)
def test_up_warns_of_an_address_without_tls(host, is_warned):
    assert ("clear text" in up.warn_of_clear_text(host)) is is_warned


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["3/1/", "13/1/", "9/abc/"])
def test_the_admin_tells_nobody_what_exists(client, path):
    client.force_login(make_user("ada", is_staff=True))
    assert client.get(f"/admin/r/{path}").status_code == 404
