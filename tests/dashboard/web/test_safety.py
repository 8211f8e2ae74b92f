"""Sockets, sessions, sign-in, start-up and exports give nobody more than is theirs."""

from __future__ import annotations

import os
import socket as socket_module
import stat
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import AsyncClient, Client
from django.utils import timezone
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from dashboard import asgi, environment
from dashboard.live import consumers
from dashboard.web import signin
from dashboard.web.origins import is_own
from lifecycle.kube_api.access.authentication import Right
from lifecycle.management.commands import up, web
from lifecycle.writers import make_cell
from tests.dashboard.conftest import make_cluster, make_user, watch

pytestmark = pytest.mark.slow


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


def outlive(session: Session) -> None:
    session.expire_date = timezone.now() - timedelta(seconds=1)
    session.save()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "end, is_closed",
    [
        pytest.param("sign out", True, id="signed out"),
        pytest.param(lambda key: Session.objects.get(pk=key).delete(), True, id="flushed"),
        pytest.param(lambda key: outlive(Session.objects.get(pk=key)), True, id="too old"),
        pytest.param(lambda key: Session.objects.exclude(pk=key).delete(), False, id="another browser's"),
    ],
)
async def test_a_socket_ends_with_the_session_that_opened_it(monkeypatch, end, is_closed):
    monkeypatch.setattr(consumers, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "SHARED_SECONDS", 0.0)
    ada = await consumers.in_thread(make_user)("ada")
    cluster = await consumers.in_thread(make_cluster)(ada)
    client, other = AsyncClient(), AsyncClient()
    await client.aforce_login(ada)
    await other.aforce_login(ada)
    cookie = "; ".join(f"{one.key}={one.value}" for one in client.cookies.values())
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"cookie", cookie.encode())]
    socket = WebsocketCommunicator(asgi.application, f"/ws/clusters/{cluster.name}/", headers)
    connected, _ = await socket.connect(5)
    assert connected
    if end == "sign out":
        assert (await client.post("/sign-out/")).status_code == 302
    else:
        await consumers.in_thread(end)(key)
    if is_closed:
        closed = await socket.receive_output(timeout=3)
        assert (closed["type"], closed["code"]) == ("websocket.close", consumers.NOT_FOUND)
    else:
        assert await socket.receive_nothing(timeout=0.3)
        await socket.disconnect()


@pytest.mark.django_db
def test_what_a_session_may_go_on_with_ends_with_it(rf):
    """A watch, or a log that is followed, of somebody who is signed in."""
    ada = make_user("ada")
    cluster = make_cluster(ada)
    client = Client()
    client.force_login(ada)
    request = rf.get("/")
    request.session = client.session
    right = Right.of(request, cluster, ada)
    assert right()
    client.logout()
    assert not right()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "origin, expected", [("http://localhost", True), ("http://localhost:3000", False), ("", False)]
)
async def test_no_other_site_opens_a_socket_of_who_is_signed_in(origin, expected):
    """Through all that stands before it, cookie and all."""
    ada = await consumers.in_thread(make_user)("ada")
    cluster = await consumers.in_thread(make_cluster)(ada)
    client = AsyncClient()
    await client.aforce_login(ada)
    cookie = "; ".join(f"{one.key}={one.value}" for one in client.cookies.values())
    headers = [(b"host", b"localhost"), (b"origin", origin.encode()), (b"cookie", cookie.encode())]
    socket = WebsocketCommunicator(asgi.application, f"/ws/clusters/{cluster.name}/", headers)
    connected, _ = await socket.connect(5)
    assert connected is expected
    await socket.disconnect()


@pytest.mark.parametrize("is_behind_a_proxy", [True, False])
def test_what_a_proxy_says_is_believed_where_there_is_one(settings, is_behind_a_proxy):
    """Anybody on this machine could say of themselves that they came by TLS, or from another address."""
    settings.SESSION_COOKIE_SECURE = is_behind_a_proxy
    config = web.make_config("127.0.0.1", 8000)
    config.load()
    assert isinstance(config.loaded_app, ProxyHeadersMiddleware) is is_behind_a_proxy


@pytest.mark.parametrize("host, expected", [("0.0.0.0", True), ("127.0.0.1", False)])
def test_who_listens_everywhere_answers_to_the_machines_own_addresses(monkeypatch, host, expected):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    monkeypatch.setattr(socket_module, "gethostname", lambda: "here.example")
    monkeypatch.setattr(socket_module, "getfqdn", lambda: "here.example")
    found = [(2, 1, 6, "", ("192.0.2.2", 0))]
    monkeypatch.setattr(socket_module, "getaddrinfo", lambda name, port: found)
    assert {"192.0.2.2", "here.example"}.issubset(up.allowed_hosts(host)) is expected


def test_two_installations_on_one_machine_have_cookies_of_their_own(tmp_path):
    """Cookies know no ports."""
    command = """
import os, sys
from importlib import reload
for folder in sys.argv[1:]:
    os.environ["PODLINE_DATA"] = folder
    from dashboard import settings
    print(reload(settings).SESSION_COOKIE_NAME)
"""
    folders = [str(tmp_path / name) for name in ("one", "two", "two")]
    done = subprocess.run(
        [sys.executable, "-c", command, *folders],
        env=os.environ | {"DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    one, two, again = done.stdout.split()
    assert one != two == again


def test_the_data_folder_is_its_owners_alone(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    # Whatever the umask is here.
    folder.chmod(0o755)
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


@pytest.mark.django_db
def test_signing_out_ends_the_session_wherever_its_cookie_is(client):
    client.force_login(make_user("ada"))
    kept = client.cookies.copy()
    assert client.get("/").status_code == 200
    client.post("/sign-out/")
    client.cookies = kept
    assert client.get("/").status_code == 302


@pytest.fixture(autouse=True)
def few_guesses(monkeypatch):
    """Nobody need guess fifty times for a test to see who is slowed down: a quarter will do."""
    for name in ("MOST_OF_AN_ADDRESS", "MOST_OF_A_NAME"):
        monkeypatch.setattr(signin, name, getattr(signin, name) // 4)


@pytest.mark.django_db
def test_wrong_passwords_have_to_wait(client):
    make_user("ada", password="right and long enough")
    wrong = {"username": "ada", "password": "wrong"}
    for _ in range(signin.MOST_FAILURES):
        assert client.post("/sign-in/", wrong).status_code == 200
    right = {"username": "ada", "password": "right and long enough"}
    refused = client.post("/sign-in/", right)
    assert refused.status_code == 429 and refused["Retry-After"] == "300"
    # Another name from here, and this name from elsewhere: one signs in as ever.
    make_user("bob", password="right and long enough")
    assert client.post("/sign-in/", right | {"username": "bob"}).status_code == 302
    assert client.post("/sign-in/", right, REMOTE_ADDR="192.0.2.9").status_code == 302
    assert client.get("/admin/login/?next=/admin/").url == "/sign-in/?next=/admin/"


RIGHT = {"username": "ada", "password": "right and long enough"}


def invent_names(client, address: str = "2001:db8::1") -> None:
    for number in range(signin.MOST_OF_AN_ADDRESS + 5):
        wrong = {"username": f"user-{number}", "password": "wrong"}
        assert client.post("/sign-in/", wrong, REMOTE_ADDR=address).status_code == 200


@pytest.mark.django_db
def test_one_address_guesses_slower_and_locks_nobody_out(client):
    make_user("ada", password="right and long enough")
    invent_names(client)
    wrong = {"username": "bob", "password": "wrong"}
    # One network of IPv6 is one address.
    codes = [client.post("/sign-in/", wrong, REMOTE_ADDR=f"2001:db8::{n}").status_code for n in range(4)]
    assert codes == [200, 429, 429, 429]
    refused = client.post("/sign-in/", wrong, REMOTE_ADDR="2001:db8::9")
    assert (
        refused["Retry-After"] == "10" and refused.content == b"Too many wrong passwords: wait 10 seconds.\n"
    )
    assert client.post("/sign-in/", wrong, REMOTE_ADDR="2001:db8:0:1::1").status_code == 200
    # Her own name was not tried, so she need not wait, in whichever browser.
    assert client.post("/sign-in/", RIGHT, REMOTE_ADDR="2001:db8::2").status_code == 302


@pytest.mark.django_db
def test_whoever_is_slowed_down_may_try_again_later(client, monkeypatch):
    make_user("ada", password="right and long enough")
    invent_names(client)
    now = time.time()
    for seconds, code in [(0, 200), (9, 429), (11, 200), (22, 302)]:
        monkeypatch.setattr(time, "time", lambda at=now + seconds: at)
        asked = RIGHT if code == 302 else RIGHT | {"password": "wrong"}
        assert client.post("/sign-in/", asked, REMOTE_ADDR="2001:db8::1").status_code == code


@pytest.mark.django_db
@pytest.mark.parametrize(
    "guess",
    [
        pytest.param(lambda number: {"username": f"user-{number}"}, id="invented names"),
        pytest.param(lambda number: {"username": "ada"}, id="her name"),
        pytest.param(lambda number: {"username": "127.0.0.1"}, id="her address as a name"),
    ],
)
def test_nobody_at_the_same_address_locks_a_known_browser_out(client, guess):
    make_user("ada", password="right and long enough")
    assert client.post("/sign-in/", RIGHT).status_code == 302
    client.post("/sign-out/")
    stranger = type(client)()
    for number in range(signin.MOST_OF_A_NAME + 2):
        stranger.post("/sign-in/", guess(number) | {"password": "wrong"})
    assert client.post("/sign-in/", RIGHT).status_code == 302


@pytest.mark.django_db
def test_a_known_browser_answers_for_its_own_mistakes(client):
    make_user("ada", password="right and long enough")
    assert client.post("/sign-in/", RIGHT).status_code == 302
    client.post("/sign-out/")
    wrong = RIGHT | {"password": "wrong"}
    codes = [client.post("/sign-in/", wrong).status_code for _ in range(signin.MOST_FAILURES + 3)]
    assert codes == [200] * (signin.MOST_FAILURES + 1) + [429] * 2
    cache.delete(signin._key("turn", "known", "ada"))
    # Ten seconds later.
    assert client.post("/sign-in/", RIGHT).status_code == 302


@pytest.mark.django_db
def test_a_name_that_looks_like_an_address_counts_as_a_name(client):
    make_user("ada", password="right and long enough")
    for number in range(signin.MOST_OF_AN_ADDRESS + 10):
        wrong = {"username": "192.0.2.7", "password": "wrong"}
        client.post("/sign-in/", wrong, REMOTE_ADDR=f"198.51.100.{number}")
    wrong = RIGHT | {"password": "wrong"}
    codes = [client.post("/sign-in/", wrong, REMOTE_ADDR="192.0.2.7").status_code for _ in range(2)]
    assert codes == [200, 200]


@pytest.mark.django_db
def test_strangers_everywhere_do_not_lock_the_owner_out(client):
    make_user("ada", password="right and long enough")
    right = {"username": "ada", "password": "right and long enough"}
    assert client.post("/sign-in/", right).status_code == 302
    stranger = type(client)()
    for number in range(signin.MOST_OF_A_NAME):
        wrong = {"username": "ada", "password": "wrong"}
        assert stranger.post("/sign-in/", wrong, REMOTE_ADDR=f"198.51.100.{number}").status_code == 200
    assert stranger.post("/sign-in/", right, REMOTE_ADDR="198.51.100.200").status_code == 429
    client.post("/sign-out/")
    assert client.post("/sign-in/", right).status_code == 302
    # Known as ada is not known as another.
    for number in range(signin.MOST_OF_A_NAME):
        wrong = {"username": "bob", "password": "wrong"}
        stranger.post("/sign-in/", wrong, REMOTE_ADDR=f"203.0.113.{number}")
    client.post("/sign-out/")
    assert client.post("/sign-in/", right | {"username": "bob"}).status_code == 429


@pytest.mark.django_db
def test_a_link_is_used_up_by_one_who_is_signed_in_and_void_after_a_new_one(client):
    ada = make_user("ada")
    older, newer = signin.make_entry_token(ada), signin.make_entry_token(ada)
    assert client.get(f"/enter/{older}/").status_code == 410
    client.force_login(ada)
    assert client.get(f"/enter/{newer}/").url == "/"
    client.logout()
    assert client.get(f"/enter/{newer}/").status_code == 410


@pytest.mark.django_db
def test_a_new_sign_in_link_is_printed_while_all_goes_on(client, capsys):
    for who in ("podline", "ada"):
        make_user(who)
    for who in ("podline", "ada"):
        call_command("signin", *([] if who == "podline" else [who]), server="http://podline.example:8000/")
        link = capsys.readouterr().out.strip()
        assert link.startswith("http://podline.example:8000/enter/")
        path = link.removeprefix("http://podline.example:8000")
        assert client.get(path).url == "/"
        assert get_user(client).get_username() == who
        client.logout()
        assert "manage.py signin" in client.get(path).text


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name, told",
    [
        pytest.param("nobody", "no active user 'nobody'; there are: ada", id="not there"),
        pytest.param("gone", "no active user 'gone'; there are: ada", id="may not sign in"),
        pytest.param("podline", "no active user 'podline'; there are: ada", id="the usual one is not there"),
    ],
)
def test_a_link_is_made_for_those_who_may_sign_in(name, told):
    make_user("ada")
    make_user("gone", is_active=False)
    with pytest.raises(CommandError, match=told):
        call_command("signin", name)


def test_addresses_of_webhooks_are_read_or_refused(monkeypatch):
    monkeypatch.setenv("WEBHOOKS", "127.0.0.1:9443, shop/gate=[::1]:9444,shop/other:8443=gate.example.org:1")
    assert environment.endpoints("WEBHOOKS") == {
        "127.0.0.1:9443": "127.0.0.1:9443",
        "shop/gate:443": "[::1]:9444",
        "shop/other:8443": "gate.example.org:1",
    }
    for wrong in (
        "host",
        "https://host:1",
        "host:0",
        "host:65536",
        "host:²",
        "shop/gate:1",
        "a:1=b:2",
        "a/b=c",
    ):
        monkeypatch.setenv("WEBHOOKS", wrong)
        with pytest.raises(ImproperlyConfigured, match="use HOST:PORT or NAMESPACE/SERVICE:PORT=HOST:PORT"):
            environment.endpoints("WEBHOOKS")


def test_settings_say_what_is_open_to_all(monkeypatch):
    monkeypatch.setenv("OPEN_TO_ALL", "metrics,everything")
    with pytest.raises(ImproperlyConfigured, match="use some of metrics,schema"):
        environment.chosen("OPEN_TO_ALL", ("metrics", "schema"))


@pytest.mark.slow
def test_production_settings_pass_djangos_own_check(tmp_path):
    production = {
        "PODLINE_DATA": str(tmp_path),
        "SECRET_KEY": "k" * 25 + "0123456789abcdefghijABCDEFGHIJ!",
        "SECURE_COOKIES": "True",
        "HSTS_SECONDS": "31536000",
        "REDIRECT_TO_HTTPS": "True",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, env=os.environ | production, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝"])
def test_no_cell_of_a_table_begins_like_a_formula(start):
    assert make_cell(f"{start}1") == f"'{start}1"


@pytest.fixture(autouse=True)
def nobody_has_failed_yet():
    cache.clear()


@pytest.mark.django_db
def test_one_user_has_so_many_exports_at_once(client, settings):
    settings.MAX_EXPORTS = 2
    ada, bob = make_user("ada"), make_user("bob", is_superuser=True)
    path = f"/api/clusters/{make_cluster(ada).name}/transitions"
    client.force_login(ada)
    held = [client.get(path) for _ in range(2)]
    refused = client.get(path)
    assert refused.status_code == 429
    assert "2 exports at once" in refused.json()["detail"]
    client.force_login(bob)
    assert client.get(path).status_code == 200
    client.force_login(ada)
    assert b"".join(held.pop().streaming_content)
    assert client.get(path).status_code == 200
