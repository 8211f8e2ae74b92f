"""What is in well-known images beside the usual folders: working folders, volumes, document roots.

The working folder and the volumes are what the build file says (`built.py`). A row here has what commands of
that file make, and where the package it installs puts its configuration and its pages. Of the files only the
names are known, and programs are not listed. That a folder is not listed says nothing, unless all files of
the image are known. The usual folders are root's, as those of the distributions are; whose the others are is
not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from lifecycle.lean_dataclasses import dataclass
from lifecycle.userland.file_layers import FOLDER, IMAGE_LAYER, OPAQUE, File, FileLayer
from lifecycle.userland.file_view import join_path

from .sources import find_image


@dataclass(frozen=True, slots=True)
class Contents:
    """Absolute paths, parted by spaces. The folders of files are there with them."""

    folders: str = ""
    files: str = ""
    working_folder: str = "/"
    has_owners: bool = False
    """Whether the usual folders are known to be root's."""


_NGINX = Contents(
    folders="/var/log/nginx /var/cache/nginx /docker-entrypoint.d",
    files="/usr/share/nginx/html/index.html /usr/share/nginx/html/50x.html"
    " /etc/nginx/nginx.conf /etc/nginx/mime.types /etc/nginx/conf.d/default.conf",
)
_PHP_FOLDERS = "/var/www/html /usr/local/etc/php/conf.d"
_APACHE_FOLDERS = "/etc/apache2/sites-available /etc/apache2/conf-available /var/log/apache2"
_PHP_APACHE = Contents(f"{_PHP_FOLDERS} {_APACHE_FOLDERS}", "/etc/apache2/apache2.conf")
_PHP_FPM = Contents(_PHP_FOLDERS, "/usr/local/etc/php-fpm.conf /usr/local/etc/php-fpm.d/www.conf")
_RABBITMQ = Contents("/etc/rabbitmq/conf.d /var/log/rabbitmq")

_CONTENTS: Mapping[str, Contents] = {
    # Languages. There is no folder for programs in python and ruby.
    "golang": Contents("/go/src /go/bin"),
    "perl": Contents(working_folder="/usr/src/app"),
    "node": Contents("/home/node"),
    "php": Contents(_PHP_FOLDERS),
    "php:apache": _PHP_APACHE,
    "php:fpm": _PHP_FPM,
    "hpa-example": Contents(_PHP_FOLDERS, "/var/www/html/index.php", "/var/www/html"),
    "gb-frontend": Contents(_PHP_FOLDERS, "/var/www/html/index.html"),
    "docker": Contents("/certs/client"),
    "docker:dind": Contents("/var/lib/docker /certs/client"),
    # Web servers and proxies.
    "nginx": _NGINX,
    "nginxinc/nginx-unprivileged": _NGINX,
    "httpd": Contents(
        "/usr/local/apache2/logs /usr/local/apache2/cgi-bin /usr/local/apache2/conf/extra",
        "/usr/local/apache2/htdocs/index.html /usr/local/apache2/conf/httpd.conf",
    ),
    "wordpress": Contents(f"{_PHP_FOLDERS} {_APACHE_FOLDERS} /usr/src/wordpress/wp-content"),
    "wordpress:fpm": Contents(f"{_PHP_FOLDERS} /usr/src/wordpress/wp-content"),
    # The working folder came with version 2.7 of haproxy and with 2.6 of caddy.
    "haproxy": Contents("/usr/local/etc/haproxy"),
    "caddy": Contents("/config/caddy /data/caddy", "/etc/caddy/Caddyfile /usr/share/caddy/index.html"),
    "tomcat": Contents(
        "/usr/local/tomcat/webapps /usr/local/tomcat/webapps.dist /usr/local/tomcat/lib"
        " /usr/local/tomcat/logs /usr/local/tomcat/temp /usr/local/tomcat/work /usr/local/tomcat/bin",
        "/usr/local/tomcat/conf/server.xml /usr/local/tomcat/conf/web.xml",
    ),
    # Data stores.
    "postgres": Contents("/docker-entrypoint-initdb.d /var/run/postgresql"),
    "mysql": Contents("/docker-entrypoint-initdb.d /var/run/mysqld /etc/mysql/conf.d", "/etc/my.cnf"),
    "mariadb": Contents(
        "/docker-entrypoint-initdb.d /var/run/mysqld /etc/mysql/conf.d /etc/mysql/mariadb.conf.d"
    ),
    "mongo": Contents("/docker-entrypoint-initdb.d"),
    "cassandra": Contents("/var/log/cassandra", "/etc/cassandra/cassandra.yaml"),
    "elasticsearch": Contents(
        "/usr/share/elasticsearch/data /usr/share/elasticsearch/logs /usr/share/elasticsearch/plugins",
        "/usr/share/elasticsearch/config/elasticsearch.yml",
        "/usr/share/elasticsearch",
    ),
    # Messaging and coordination.
    "rabbitmq": _RABBITMQ,
    "rabbitmq:management": _RABBITMQ,
    "zookeeper": Contents("/conf"),
    "consul": Contents("/consul/data /consul/config"),
    "vault": Contents("/vault/logs /vault/file /vault/config"),
    # Observability and delivery.
    "prometheus": Contents(files="/etc/prometheus/prometheus.yml"),
    "grafana/grafana": Contents(
        "/var/lib/grafana/plugins /var/log/grafana /etc/grafana/provisioning/dashboards"
        " /etc/grafana/provisioning/datasources",
        "/etc/grafana/grafana.ini",
        "/usr/share/grafana",
    ),
    "fluentd": Contents("/fluentd/log /fluentd/plugins", "/fluentd/etc/fluent.conf"),
    "jenkins/jenkins": Contents("/usr/share/jenkins/ref"),
}
_NOTHING = Contents()


def _find_contents(image: str) -> Contents:
    found = find_image(image)
    if found is None:
        return _NOTHING
    contents, built = _CONTENTS.get(found.name, _NOTHING), found.facts.built
    if built is None:
        return contents
    folders = " ".join((contents.folders, *built.volumes))
    return Contents(folders, contents.files, built.folder, has_owners=True)


def find_working_folder(raw: Mapping[str, Any]) -> str:
    """The folder in which a container's processes start, given its JSON: its own word, or its image's."""
    return _name_working_folder(str(raw.get("workingDir") or ""), str(raw.get("image") or ""))


@lru_cache(maxsize=4096)
def _name_working_folder(named: str, image: str) -> str:
    return join_path("/", named or str(_find_contents(image).working_folder))


@lru_cache(maxsize=4096)
def find_image_files(image: str) -> FileLayer:
    """What an image holds: one layer for all containers of it, never to be written to."""
    return _make_layer(_find_contents(image))


@cache
def _make_layer(contents: Contents) -> FileLayer:
    if contents is _NOTHING:
        return IMAGE_LAYER
    layer = FileLayer()
    layer.has_owners = contents.has_owners
    for path, entry in IMAGE_LAYER.entries.items():
        layer.put(path, entry)
    for path in [contents.working_folder, *contents.folders.split()]:
        if path != "/" and layer.get(path[1:]) is None:
            layer.put(path[1:], File(FOLDER, mode=0o755, owner=None))
    for path in contents.files.split():
        layer.put(path[1:], File(OPAQUE, owner=None))
    return layer
