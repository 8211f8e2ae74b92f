"""Podline's settings: one file, read from the environment, wrong values refused at the start.

| variable          | default                     | what                                           |
|-------------------|-----------------------------|------------------------------------------------|
| PODLINE_DATA      | ./var                       | database, secret key, Redis files              |
| DATABASE_URL      | SQLite in PODLINE_DATA      | postgres://user:password@host/name             |
| REDIS_URL         | redis://127.0.0.1:6379/0    | Celery's broker, live frames, nudges           |
| DEBUG             | False                       | Django's debug pages                           |
| SECRET_KEY        | made once, kept in the data | signs sessions                                 |
| ALLOWED_HOSTS     | localhost,127.0.0.1,[::1]   | names the server answers to                    |
| TRUSTED_ORIGINS   | (none)                      | further origins forms may come from, https://… |
| SECURE_COOKIES    | False                       | True behind HTTPS                              |
| HSTS_SECONDS      | 0                           | how long browsers are to insist on HTTPS       |
| REDIRECT_TO_HTTPS | False                       | True: what comes in clear is sent to HTTPS     |
| OPEN_TO_ALL       | (none)                      | of metrics,schema: what needs no signing in    |
| PODLINE_AUTHORITY | made in PODLINE_DATA        | PEM file of the authority kubeconfigs trust    |
| PODLINE_SHARDS    | 16                          | shards clusters are spread over                |
| RENDER_CHARTS     | False                       | True: the server's helm and kubectl render     |
| MAX_CLUSTERS      | 100                         | clusters one user may have; 0: any number      |
| MAX_PODS          | 20000                       | pods one user's clusters may have together     |
| MAX_MEGABYTES     | 8192                        | MiB of history one user's clusters may keep    |
| MAX_COMMANDS      | 50                          | commands a second one user may send, a process |
| MAX_SOCKETS       | 200                         | sockets and watches one user may have open     |
| MAX_EXECS         | 16                          | `kubectl exec`s one user may have at once      |
| MAX_TOOLS         | 4                           | tools an agent's user may have at once         |
| MAX_ANSWER_MIB    | 64                          | MiB of answers that may be on their way to one |
| MAX_PREVIEWS      | 4                           | previews and looks one user may have at once   |
| MAX_SHARES        | 50                          | shared links one user may have that are good   |
| MAX_EXPORTS       | 4                           | exports one user may have at once, a process   |
| WEBHOOKS          | (none)                      | admission webhooks that may be called: where   |
| KUBERNETES        | v1.36                       | of new clusters that ask for no release        |
| LOG_LEVEL         | INFO                        | DEBUG, INFO, WARNING or ERROR                  |

Limits of one user are for all but superusers, who set them; a cluster whose owner has too much is paused and
says why. Sockets, execs, commands, previews and exports are counted by each process of the web server.
`up` sets RENDER_CHARTS and OPEN_TO_ALL where only this machine reaches it.
"""

import hashlib
import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import SimpleLazyObject

import lifecycle
from dashboard import environment as env
from lifecycle.engine.releases.known import DEFAULT_RELEASE, find_release

BASE_DIR = Path(__file__).resolve().parent.parent
# In the wheel both stand below another package.
LIFECYCLE, DASHBOARD = lifecycle.__name__, __name__.rpartition(".")[0]

# They need neither server nor database: they leave no folder behind.
STATELESS_COMMANDS = {
    "simulate", "follow", "generate_docs", "help", "--help", "check", "makemigrations",
}  # fmt: skip
_keeps_state = not STATELESS_COMMANDS.intersection(sys.argv[1:2])
DATA = env.folder("PODLINE_DATA", "var", create=_keeps_state)
if _keeps_state:
    os.umask(0o077)

DEBUG = env.flag("DEBUG")
SECRET_KEY = SimpleLazyObject(lambda: env.secret_key(DATA))
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
OPEN_TO_ALL = env.chosen("OPEN_TO_ALL", ("metrics", "schema"))
CSRF_TRUSTED_ORIGINS = env.words("TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    LIFECYCLE,
    # Behind what has a command of its own for its tokens.
    "rest_framework.authtoken",
    DASHBOARD,
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dashboard.web.compressing.compress_pages",
    "dashboard.web.content_policy.add_policy",
    "dashboard.web.plain_addresses.refuse_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dashboard.web.guests.LetGuestsIn",
    "dashboard.web.refusals.AnswerExceeded",
]

ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


def _sqlite() -> dict[str, Any]:
    """SQLite for one machine: readers never wait (WAL), writers queue from their first statement.

    The cache of pages is SQLite's own 2 MiB: web connections live for one request each, and what they take
    and give back many times a second would leave the heap in pieces.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(DATA / "podline.sqlite3"),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": ("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"),
        },
        # A file, because threads and worker processes of tests share it.
        "TEST": {"NAME": str(Path(tempfile.gettempdir()) / "podline-test.sqlite3")},
    }


# A machine that vanishes in the middle of a transaction leaves its locks behind: PostgreSQL misses it after
# four seconds so, not after two hours, and a PostgreSQL that vanishes is missed as soon.
POSTGRES_OPTIONS = {
    "connect_timeout": 4,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 4000,
    # Keepalives are for a silent line; what was sent and not acknowledged has a timeout of its own.
    "options": (
        "-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3"
        " -c tcp_user_timeout=4000"
    ),
}


def _database() -> dict[str, Any]:
    """DATABASE_URL (PostgreSQL, or sqlite:///path), else SQLite in the data folder."""
    url = env.text("DATABASE_URL")
    if not url:
        return _sqlite()
    env.address("DATABASE_URL", "", ("postgres", "postgresql", "sqlite"))
    # A request has a thread of its own under ASGI: connections that outlived it would only pile up.
    parsed = dj_database_url.parse(url, conn_max_age=0)
    if parsed["ENGINE"].endswith("sqlite3"):
        return _sqlite() | {"NAME": parsed["NAME"]}
    return dict(parsed) | {"OPTIONS": POSTGRES_OPTIONS | parsed.get("OPTIONS", {})}


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# A session is a row, so that signing out ends it wherever its cookie is; reading a page never writes one.
SESSION_ENGINE = "django.contrib.sessions.backends.db"
# Cookies know no ports: beside another Podline on this machine each has its own.
SESSION_COOKIE_NAME = f"podline_{hashlib.sha256(str(DATABASES['default']['NAME']).encode()).hexdigest()[:8]}"
SESSION_COOKIE_AGE = int(timedelta(days=30).total_seconds())
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("SECURE_COOKIES")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SESSION_COOKIE_SECURE else None
# Counters of wrong passwords are kept there: a stranger with many addresses pushes none of them out.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = env.whole("HSTS_SECONDS", 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE_HSTS_SECONDS > 0
SECURE_SSL_REDIRECT = env.flag("REDIRECT_TO_HTTPS")
X_FRAME_OPTIONS = "DENY"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# `manage.py up` keeps an authority of its own, and serves TLS with its certificate.
TLS_AUTHORITY = env.text("PODLINE_AUTHORITY", str(DATA / "tls" / "authority.pem"))

# What one request may bring of manifests, sent and unpacked, and a little for the form around it. Files are
# kept in memory; those of a larger request are not kept at all, and a larger text is a 400.
UPLOAD_MAX_BYTES = 8 * 1024 * 1024
# As many values of YAML take some two seconds to read; Argo CD's install.yaml has 64,000 in 2 MB.
UPLOAD_MAX_VALUES = 250_000
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = UPLOAD_MAX_BYTES + 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 5000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000


def _hash_of_static_files() -> str:
    """What static addresses begin with: ours by their bytes, those of packages by their pinned versions."""
    pins = [BASE_DIR / name for name in ("requirements.txt", "constraints.txt")]
    seen = hashlib.sha256(b"".join(pin.read_bytes() for pin in pins if pin.exists()))
    for folder in STATIC_FOLDERS:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            seen.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return seen.hexdigest()[:16]


# Under an address that changes whenever one of them does, static files may be kept for ever. `manage.py up`
# gathers and compresses them there; without that they come straight from the folders they live in.
STATIC_FOLDERS = (BASE_DIR / "static", BASE_DIR / "lifecycle" / "static")
_static_hash = "live" if DEBUG else _hash_of_static_files()
STATIC_URL = f"/static/{_static_hash}/"
STATIC_ROOT = DATA / "static" / _static_hash
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
STATIC_COMPLETE = STATIC_ROOT / "complete"
WHITENOISE_USE_FINDERS = DEBUG or not STATIC_COMPLETE.exists()
WHITENOISE_IMMUTABLE_FILE_TEST = r"(?!)" if DEBUG else r""
WHITENOISE_MAX_AGE = 0

# Commands beside a running `up` find the Redis that it has started.
_OWN_REDIS = (DATA / "redis.sock").resolve()
_USUAL_REDIS = f"unix://{_OWN_REDIS}" if _OWN_REDIS.exists() else "redis://127.0.0.1:6379/0"
REDIS_URL = env.address("REDIS_URL", _USUAL_REDIS, ("redis", "rediss", "unix"))
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "podline"},
    }
}

SHARDS = env.whole("PODLINE_SHARDS", 16, low=1, high=4096)
RENDER_CHARTS = env.flag("RENDER_CHARTS")
WEBHOOKS = env.endpoints("WEBHOOKS")
MAX_CLUSTERS = env.whole("MAX_CLUSTERS", 100)
MAX_PODS = env.whole("MAX_PODS", 20_000)
MAX_MEGABYTES = env.whole("MAX_MEGABYTES", 8192)
MAX_COMMANDS = env.whole("MAX_COMMANDS", 50)
MAX_SOCKETS = env.whole("MAX_SOCKETS", 200)
MAX_EXECS = env.whole("MAX_EXECS", 16)
MAX_TOOLS = env.whole("MAX_TOOLS", 4)
MAX_ANSWER_MIB = env.whole("MAX_ANSWER_MIB", 64)
MAX_PREVIEWS = env.whole("MAX_PREVIEWS", 4)
MAX_SHARES = env.whole("MAX_SHARES", 50)
MAX_EXPORTS = env.whole("MAX_EXPORTS", 4, low=1)

# kombu spells a Redis socket redis+socket://.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Turns are short and may be taken twice: a lost broker has nothing to wait for.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_POOL = "solo"
CELERY_WORKER_CONCURRENCY = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_CONSUMER = "lifecycle.runs.celery.consuming:Consumer"
# A worker that takes a shard over listens to its queue within a quarter of a second. A broker that stops
# answering without a word is noticed within five; left to themselves, publishing would wait for ever and
# listening for 50 s. Publishers look for one that is away every 0.2 s, for a second.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "podline:",
    "visibility_timeout": 60,
    "polling_interval": 0.25,
    "socket_timeout": 1.0,
    "socket_connect_timeout": 1.0,
    "health_check_interval": 2,
    "interval_start": 0.2,
    "interval_step": 0.0,
    "connect_retries_timeout": 1.0,
}
CELERY_TASK_DEFAULT_QUEUE = "engine.default"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    # `?format=csv` is the export's own; DRF's override would answer 404 before it is read.
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Podline",
    "DESCRIPTION": "Histories of simulated Kubernetes clusters.",
    "VERSION": "v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": [
        f"rest_framework.permissions.{'AllowAny' if 'schema' in OPEN_TO_ALL else 'IsAuthenticated'}"
    ],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "lifecycle.export.documents.describe_refusals",
    ],
}

KUBERNETES = env.text("KUBERNETES", DEFAULT_RELEASE.name)
try:
    find_release(KUBERNETES)
except ValueError as problem:
    raise ImproperlyConfigured(f"KUBERNETES={KUBERNETES}: {problem}") from None
LOG_LEVEL = env.text("LOG_LEVEL", "INFO").upper()
if LOG_LEVEL not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
    raise ImproperlyConfigured(f"LOG_LEVEL={LOG_LEVEL}: use DEBUG, INFO, WARNING or ERROR")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"structured": {"()": "dashboard.web.structured_logs.KeyValueFormatter"}},
    "filters": {"quiet": {"()": "dashboard.web.structured_logs.QuietUnderFloods"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "structured", "filters": ["quiet"]}
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        LIFECYCLE: {"level": LOG_LEVEL},
        DASHBOARD: {"level": LOG_LEVEL},
        "celery": {"level": "WARNING"},
    },
}
