"""What is in well-known images beside the usual folders: working folders, volumes, document roots.

Each row is what the Dockerfile of the image says (its WORKDIR, its VOLUMEs, the folders it makes) and where
the package it installs puts its configuration and its pages. The official ones are those of docker-library
on GitHub, but for nginx (nginx/docker-nginx), caddy (caddyserver/caddy-docker), perl (Perl/docker-perl) and
influxdb (influxdata/influxdata-docker). Of the files only the names are known, and programs are not listed.
That a folder is not listed says nothing, unless all files of the image are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lifecycle.userland.file_layers import FOLDER, IMAGE_LAYER, OPAQUE, File, FileLayer
from lifecycle.userland.file_view import join_path

from .sources import find_image


@dataclass(frozen=True, slots=True)
class Contents:
    """Absolute paths, parted by spaces. The folders of files are there with them."""

    working_folder: str = "/"
    folders: str = ""
    files: str = ""


_NGINX = Contents(
    folders="/var/log/nginx /var/cache/nginx /docker-entrypoint.d",
    files="/usr/share/nginx/html/index.html /usr/share/nginx/html/50x.html"
    " /etc/nginx/nginx.conf /etc/nginx/mime.types /etc/nginx/conf.d/default.conf",
)
_PHP_FOLDERS = "/var/www/html /usr/local/etc/php/conf.d"
_APACHE_FOLDERS = "/etc/apache2/sites-available /etc/apache2/conf-available /var/log/apache2"
_PHP_APACHE = Contents("/var/www/html", f"{_PHP_FOLDERS} {_APACHE_FOLDERS}", "/etc/apache2/apache2.conf")
_PHP_FPM = Contents(
    "/var/www/html", _PHP_FOLDERS, "/usr/local/etc/php-fpm.conf /usr/local/etc/php-fpm.d/www.conf"
)
_RABBITMQ = Contents(folders="/var/lib/rabbitmq /etc/rabbitmq/conf.d /var/log/rabbitmq")

_CONTENTS: Mapping[str, Contents] = {
    # Languages. There is no folder for programs in python and ruby.
    "golang": Contents("/go", "/go/src /go/bin"),
    "perl": Contents("/usr/src/app"),
    "node": Contents(folders="/home/node"),
    "alpine/git": Contents("/git"),
    "php": Contents(folders=_PHP_FOLDERS),
    "php:apache": _PHP_APACHE,
    "php:fpm": _PHP_FPM,
    "hpa-example": Contents("/var/www/html", _PHP_FOLDERS, "/var/www/html/index.php"),
    "gb-frontend": Contents("/var/www/html", _PHP_FOLDERS, "/var/www/html/index.html"),
    "docker": Contents(folders="/certs/client"),
    "docker:dind": Contents(folders="/var/lib/docker /certs/client"),
    # Web servers and proxies.
    "nginx": _NGINX,
    "nginxinc/nginx-unprivileged": _NGINX,
    "httpd": Contents(
        "/usr/local/apache2",
        "/usr/local/apache2/logs /usr/local/apache2/cgi-bin /usr/local/apache2/conf/extra",
        "/usr/local/apache2/htdocs/index.html /usr/local/apache2/conf/httpd.conf",
    ),
    "wordpress": Contents("/var/www/html", f"{_PHP_FOLDERS} {_APACHE_FOLDERS} /usr/src/wordpress/wp-content"),
    "wordpress:fpm": Contents("/var/www/html", f"{_PHP_FOLDERS} /usr/src/wordpress/wp-content"),
    # The working folder came with version 2.7 of haproxy and with 2.6 of caddy.
    "haproxy": Contents("/var/lib/haproxy", "/usr/local/etc/haproxy"),
    "caddy": Contents(
        "/srv", "/config/caddy /data/caddy", "/etc/caddy/Caddyfile /usr/share/caddy/index.html"
    ),
    "tomcat": Contents(
        "/usr/local/tomcat",
        "/usr/local/tomcat/webapps /usr/local/tomcat/webapps.dist /usr/local/tomcat/lib"
        " /usr/local/tomcat/logs /usr/local/tomcat/temp /usr/local/tomcat/work /usr/local/tomcat/bin",
        "/usr/local/tomcat/conf/server.xml /usr/local/tomcat/conf/web.xml",
    ),
    # Data stores.
    "redis": Contents("/data"),
    "postgres": Contents(folders="/var/lib/postgresql/data /docker-entrypoint-initdb.d /var/run/postgresql"),
    "mysql": Contents(
        folders="/var/lib/mysql /docker-entrypoint-initdb.d /var/run/mysqld /etc/mysql/conf.d",
        files="/etc/my.cnf",
    ),
    "mariadb": Contents(
        folders="/var/lib/mysql /docker-entrypoint-initdb.d /var/run/mysqld /etc/mysql/conf.d"
        " /etc/mysql/mariadb.conf.d",
    ),
    "mongo": Contents(folders="/data/db /data/configdb /docker-entrypoint-initdb.d"),
    "cassandra": Contents(
        folders="/var/lib/cassandra /var/log/cassandra", files="/etc/cassandra/cassandra.yaml"
    ),
    "elasticsearch": Contents(
        "/usr/share/elasticsearch",
        "/usr/share/elasticsearch/data /usr/share/elasticsearch/logs /usr/share/elasticsearch/plugins",
        "/usr/share/elasticsearch/config/elasticsearch.yml",
    ),
    "influxdb": Contents(folders="/var/lib/influxdb2 /etc/influxdb2"),
    # Messaging and coordination.
    "rabbitmq": _RABBITMQ,
    "rabbitmq:management": _RABBITMQ,
    "zookeeper": Contents(folders="/data /datalog /logs /conf"),
    "consul": Contents(folders="/consul/data /consul/config"),
    "vault": Contents(folders="/vault/logs /vault/file /vault/config"),
    # Observability and delivery.
    "prometheus": Contents("/prometheus", files="/etc/prometheus/prometheus.yml"),
    "grafana/grafana": Contents(
        "/usr/share/grafana",
        "/var/lib/grafana/plugins /var/log/grafana /etc/grafana/provisioning/dashboards"
        " /etc/grafana/provisioning/datasources",
        "/etc/grafana/grafana.ini",
    ),
    "fluentd": Contents(folders="/fluentd/log /fluentd/plugins", files="/fluentd/etc/fluent.conf"),
    "jenkins/jenkins": Contents(folders="/var/jenkins_home /usr/share/jenkins/ref"),
    "registry": Contents(folders="/var/lib/registry"),
}
_NOTHING = Contents()


def _find_contents(image: str) -> Contents:
    found = find_image(image)
    return _CONTENTS.get(found.name, _NOTHING) if found is not None else _NOTHING


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
    for path, entry in IMAGE_LAYER.entries.items():
        layer.put(path, entry)
    for path in [contents.working_folder, *contents.folders.split()]:
        if path != "/" and layer.get(path[1:]) is None:
            layer.put(path[1:], File(FOLDER, mode=0o755))
    for path in contents.files.split():
        layer.put(path[1:], File(OPAQUE))
    return layer
