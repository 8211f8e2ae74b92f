"""Command lines found in public manifests, rewritten as data: `(where it is used, image, command and args)`.

They come from the Kubernetes documentation's examples, from charts and from manifests in public repositories.
Templated values are filled in. What a row stands for is the way people write, not any particular file.
"""

SH = ("sh", "-c")
BIN_SH = ("/bin/sh", "-c")
BASH = ("bash", "-c")

CORPUS: list[tuple[str, str, tuple[str, ...]]] = [
    ("docs: hello", "busybox:1.28", (*SH, "echo The app is running! && sleep 3600")),
    (
        "docs: wait for a Service by its namespaced name",
        "busybox:1.28",
        (
            *SH,
            "until nslookup myservice.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace)"
            ".svc.cluster.local; do echo waiting for myservice; sleep 2; done",
        ),
    ),
    (
        "docs: liveness by a file",
        "busybox:1.27.2",
        ("/bin/sh", "-c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"),
    ),
    ("docs: liveness check", "busybox:1.27.2", ("cat", "/tmp/healthy")),
    ("docs: pi", "perl:5.34.0", ("perl", "-Mbignum=bpi", "-wle", "print bpi(2000)")),
    ("docs: cron job", "busybox:1.28", (*BIN_SH, "date; echo Hello from the Kubernetes cluster")),
    ("docs: print environment", "debian", ("printenv", "HOSTNAME", "KUBERNETES_PORT")),
    ("docs: loop with a greeting", "busybox", (*BIN_SH, "while true; do echo hello; sleep 10;done")),
    (
        "docs: downward API in a loop",
        "busybox:1.27.2",
        (
            *SH,
            "while true; do\necho -en '\\n';\nprintenv MY_NODE_NAME MY_POD_NAME MY_POD_NAMESPACE;\n"
            "printenv MY_POD_IP MY_POD_SERVICE_ACCOUNT;\nsleep 10;\ndone;",
        ),
    ),
    (
        "docs: files of the downward API",
        "busybox:1.28",
        (
            *SH,
            "while true; do\nif [[ -e /etc/podinfo/labels ]]; then\necho -en '\\n\\n'; cat "
            "/etc/podinfo/labels; fi;\n"
            "if [[ -e /etc/podinfo/annotations ]]; then\n"
            "echo -en '\\n\\n'; cat /etc/podinfo/annotations; fi;\nsleep 5;\ndone;",
        ),
    ),
    (
        "docs: counter",
        "busybox:1.28",
        (*BIN_SH, 'i=0; while true; do echo "$i: $(date)"; i=$((i+1)); sleep 1; done'),
    ),
    (
        "docs: counter into two files",
        "busybox:1.28",
        (
            *BIN_SH,
            'i=0;\nwhile true;\ndo\n  echo "$i: $(date)" >> /var/log/1.log;\n'
            '  echo "$(date) INFO $i" >> /var/log/2.log;\n  i=$((i+1));\n  sleep 1;\ndone',
        ),
    ),
    ("docs: log tailing sidecar", "busybox:1.28", (*BIN_SH, "tail -n+1 -F /var/log/1.log")),
    (
        "docs: sidecar that ships logs",
        "alpine:latest",
        (*SH, "tail -F /opt/logs.txt"),
    ),
    (
        "docs: main container beside it",
        "alpine:latest",
        (*SH, 'while true; do echo "logging" >> /opt/logs.txt; sleep 1; done'),
    ),
    (
        "docs: job with a sidecar",
        "alpine:latest",
        (*SH, 'echo "logging" > /opt/logs.txt'),
    ),
    (
        "docs: two containers, one volume",
        "debian",
        (*BIN_SH, "echo Hello from the debian container > /pod-data/index.html"),
    ),
    (
        "docs: postStart",
        "nginx",
        (*BIN_SH, "echo Hello from the postStart handler > /usr/share/message"),
    ),
    (
        "docs: preStop",
        "nginx",
        (*BIN_SH, "nginx -s quit; while killall -0 nginx; do sleep 1; done"),
    ),
    (
        "docs: init container fetches a page",
        "busybox:1.28",
        ("wget", "-O", "/work-dir/index.html", "http://info.cern.ch"),
    ),
    ("docs: indexed job, reversed word", "busybox", ("rev", "/input/data.txt")),
    (
        "docs: indexed job, init container picks its word",
        "bash",
        (
            "bash",
            "-c",
            "items=(foo bar baz qux xyz)\necho ${items[$JOB_COMPLETION_INDEX]} > /input/data.txt\n",
        ),
    ),
    ("docs: expansion of an item", "busybox:1.28", (*SH, "echo Processing item apple && sleep 5")),
    (
        "docs: job with pod-to-pod communication",
        "bash:latest",
        (
            "bash",
            "-c",
            'for i in 0 1 2\ndo\n  gotStatus="-1"\n  wantStatus="0"\n'
            "  while [ $gotStatus -ne $wantStatus ]\n  do\n"
            "    ping -c 1 example-job-${i}.headless-svc > /dev/null 2>&1\n    gotStatus=$?\n"
            "    if [ $gotStatus -ne $wantStatus ]; then\n"
            '      echo "Failed to ping pod example-job-${i}.headless-svc, retrying in 1 second..."\n'
            "      sleep 1\n    fi\n  done\n"
            '  echo "Successfully pinged pod: example-job-${i}.headless-svc"\ndone\n',
        ),
    ),
    (
        "docs: pod failure policy",
        "bash:5",
        (
            "bash",
            "-c",
            'echo "Hello world! I\'m going to exit with 42 to simulate a software bug." && '
            "sleep 30 && exit 42",
        ),
    ),
    (
        "docs: termination message",
        "debian",
        (*BIN_SH, "sleep 10 && echo Sleep expired > /dev/termination-log"),
    ),
    ("docs: security context", "busybox:1.28", (*SH, "sleep 1h")),
    (
        "docs: memory request",
        "polinux/stress",
        ("stress", "--vm", "1", "--vm-bytes", "150M", "--vm-hang", "1"),
    ),
    (
        "docs: load generator of the autoscaler walkthrough",
        "busybox:1.28",
        (*BIN_SH, "while sleep 0.01; do wget -q -O- http://php-apache; done"),
    ),
    (
        "docs: process namespace",
        "busybox:1.28",
        ("sleep", "3600"),
    ),
    (
        "docs: replicated MySQL, server id from the ordinal",
        "mysql:5.7",
        (
            *BASH,
            "set -ex\n# Generate mysql server-id from pod ordinal index.\n"
            "[[ $HOSTNAME =~ -([0-9]+)$ ]] || exit 1\nordinal=${BASH_REMATCH[1]}\n"
            "echo [mysqld] > /mnt/conf.d/server-id.cnf\n"
            "# Add an offset to avoid reserved server-id=0 value.\n"
            "echo server-id=$((100 + $ordinal)) >> /mnt/conf.d/server-id.cnf\n"
            "# Copy appropriate conf.d files from config-map to emptyDir.\n"
            "if [[ $ordinal -eq 0 ]]; then\n  cp /mnt/config-map/primary.cnf /mnt/conf.d/\nelse\n"
            "  cp /mnt/config-map/replica.cnf /mnt/conf.d/\nfi\n",
        ),
    ),
    (
        "docs: replicated MySQL, clone from the peer before",
        "mysql:5.7",
        (
            *BASH,
            "set -ex\n# Skip the clone if data already exists.\n[[ -d /var/lib/mysql/mysql ]] && exit 0\n"
            "# Skip the clone on primary (ordinal index 0).\n[[ `hostname` =~ -([0-9]+)$ ]] || exit 1\n"
            "ordinal=${BASH_REMATCH[1]}\n[[ $ordinal -eq 0 ]] && exit 0\n"
            "ncat --recv-only mysql-$(($ordinal-1)).mysql 3307 | cat > /var/lib/mysql/stream\n",
        ),
    ),
    ("docs: replicated MySQL, liveness", "mysql:5.7", ("mysqladmin", "ping")),
    ("docs: readiness of MySQL", "mysql:5.7", ("mysql", "-h", "127.0.0.1", "-e", "SELECT 1")),
    (
        "docs: ZooKeeper readiness",
        "zookeeper",
        (*SH, '[ "imok" = "$(echo ruok | nc 127.0.0.1 2181)" ] || exit 0'),
    ),
    ("docs: Redis with a mounted file", "redis:5.0.4", ("redis-server", "/redis-master/redis.conf")),
    ("docs: Cassandra drains before it stops", "cassandra:3.11", (*BIN_SH, "nodetool drain")),
    ("docs: volume owner", "busybox:1.28", (*SH, "chown -R 1000:1000 /data/demo && ls -l /data")),
    (
        "chart: maximal map count",
        "busybox:1.26.2",
        (*SH, "sysctl -w vm.max_map_count=262166 && while true; do sleep 86400; done"),
    ),
    (
        "chart: map count only when too low",
        "alpine",
        (*SH, "if [ $(sysctl -n vm.max_map_count) -lt 262144 ]; then sysctl -w vm.max_map_count=262144; fi"),
    ),
    (
        "chart: report limits of the host",
        "busybox",
        (
            *BIN_SH,
            'echo "Print current vm.max_map_count value in host: "\nsysctl vm.max_map_count\n'
            'sysctl -w vm.max_map_count=262144\nulimit -l\nulimit -l unlimited\necho "done!"\n',
        ),
    ),
    (
        "chart: wait for a file, then run",
        "nginx",
        ("/bin/sh", "-c", "while [ ! -f /opt/myfile ]; do sleep 10; done; ls -l /opt/myfile"),
    ),
    (
        "chart: status of nc in backquotes",
        "alpine",
        (
            *SH,
            "--",
            "iis_status=1;\nwhile [ $iis_status != 0  ];\ndo sleep 30;\n"
            "iis_status=`nc is-servicesdocker 9446 < /dev/null; echo $?`;\ndone;",
        ),
    ),
    (
        "chart: sleep, then wait for a key",
        "busybox",
        (*SH, "--", "sleep 60; while [ ! -f /tmp/jwtkey.cer ]; do sleep 2; done;"),
    ),
    (
        "chart: wait for the database",
        "busybox",
        (*SH, "until nc -z -v -w30 postgres 5432; do echo waiting; sleep 5; done"),
    ),
    (
        "chart: wait with a limit",
        "alpine:3.18",
        (
            *SH,
            "for i in $(seq 1 60); do nc -z -w3 mariadb 3306 && exit 0 || sleep 2; done; exit 1",
        ),
    ),
    (
        "chart: wait for a sidecar",
        "ubuntu",
        (
            "/bin/bash",
            "-c",
            "until curl --head localhost:15000 ; do echo Waiting for Sidecar; sleep 3 ; done "
            "; echo Sidecar available",
        ),
    ),
    (
        "chart: status code of a health page",
        "curlimages/curl",
        (
            *SH,
            "until [ $(curl -s -o /dev/null -w '%{http_code}' http://api:8080/health) -eq "
            "200 ]; do sleep 5; done",
        ),
    ),
    (
        "chart: Redis liveness script",
        "redis:7",
        (
            *BASH,
            '[[ -f $REDIS_PASSWORD_FILE ]] && export REDIS_PASSWORD="$(< "${REDIS_PASSWORD_FILE}")"\n'
            '[[ -n "$REDIS_PASSWORD" ]] && export REDISCLI_AUTH="$REDIS_PASSWORD"\n'
            "response=$(\n  timeout -s 3 5 \\\n  redis-cli \\\n    -h localhost \\\n    -p "
            "6379 \\\n    ping\n)\n"
            'if [ "$?" -eq "124" ]; then\n  echo "Timed out"\n  exit 1\nfi\n'
            "responseFirstWord=$(echo $response | head -n1 | awk '{print $1;}')\n"
            'if [ "$response" != "PONG" ] && [ "$responseFirstWord" != "LOADING" ]; then\n'
            '  echo "$response"\n  exit 1\nfi\n',
        ),
    ),
    (
        "chart: Redis role by ordinal",
        "redis:7",
        (
            *BASH,
            'set -eux\n[[ `hostname` =~ -([0-9]+)$ ]] || { echo "Unexpected hostname: '
            '$(hostname)"; exit 1; }\n'
            "POD_ORDINAL=${BASH_REMATCH[1]}\ncp /etc/primary.conf /etc/replica.conf /data/\n"
            "echo >> /data/sentinel.conf # append newline (just in case)\n"
            'echo "sentinel auth-pass myprimary ${REDIS_PASSWORD}" >> /data/sentinel.conf\n'
            "case $POD_ORDINAL in\n0) ln --force --symbolic /data/primary.conf /data/redis.conf;;\n"
            "*) ln --force --symbolic /data/replica.conf /data/redis.conf;;\nesac\n",
        ),
    ),
    ("chart: PostgreSQL is ready", "postgres:15", (*SH, "exec pg_isready -U postgres -h 127.0.0.1 -p 5432")),
    (
        "chart: PostgreSQL is ready, braces kept",
        "postgres:15",
        (*BIN_SH, "-e", 'exec pg_isready -U "postgres" -d "dbname=app" -h 127.0.0.1 -p 5432\n'),
    ),
    (
        "chart: database check with a password from the environment",
        "mysql:8",
        (*SH, "mysqladmin ping -u root -p${MYSQL_ROOT_PASSWORD}"),
    ),
    (
        "chart: backup of PostgreSQL",
        "postgres:15",
        (
            *BIN_SH,
            'set -e\nFILENAME="backup-$(date +%Y-%m-%dT%H-%M-%S).sql.gz"\npg_dump -h "$HOST" '
            'db | gzip > "/backup/$FILENAME"\necho "Backup complete."',
        ),
    ),
    (
        "chart: remove old backups",
        "alpine",
        (*SH, 'find /backup -type f -name "*.sql.gz" -mtime +7 -delete && ls -l /backup'),
    ),
    (
        "chart: script from a ConfigMap",
        "redis:3.2.7-alpine",
        (*SH, "source /redis-config/init.sh; exec redis-server /etc/redis.conf"),
    ),
    (
        "repository: shutdown function around nginx",
        "nginx",
        (
            *BASH,
            "set -e\n_shutdown_() {\n  # allow requests for a while\n"
            '  echo "shutdown initialized"\n  sleep 5\n  nginx -s quit\n  wait "$pid"\n}\n'
            'trap _shutdown_ SIGTERM\nnginx -g "daemon off;" &\npid=$!\nwait "$pid"\n',
        ),
    ),
    (
        "repository: cleanup on TERM",
        "alpine",
        (
            *SH,
            'cleanup() {\n    echo "do something for graceful stop..."\n    exit\n}\n\ntrap '
            "cleanup SIGTERM\n\n"
            'i=1\nwhile true;\ndo\n  echo "running for $i times"\n  i=$((i+1))\n  sleep 1\ndone',
        ),
    ),
    (
        "repository: trap EXIT",
        "ubuntu",
        (*BASH, 'trap "echo shut down gracefully" EXIT; echo starting to sleep; sleep 9999999'),
    ),
    ("repository: crash", "busybox", (*BIN_SH, "echo 'Starting...'; sleep 2; exit 1")),
    (
        "repository: log lines of three levels",
        "busybox",
        (
            *BIN_SH,
            'while true; do\n  echo "$(date) [INFO] Application running smoothly";\n'
            '  echo "$(date) [WARN] API latency high";\n  sleep 5;\ndone\n',
        ),
    ),
    (
        "repository: load on a Service",
        "busybox",
        (
            *SH,
            "echo 'Generating load'\nwhile true; do\n  wget -q -O- "
            "http://echo-demo.default.svc.cluster.local\n  sleep 0.1\ndone\n",
        ),
    ),
    (
        "repository: relative path of the shell",
        "nginx",
        ("bin/bash", "-c", "while true; do echo hello; sleep 5; done;"),
    ),
    ("repository: preStop sleeps", "nginx", ("sleep", "5s")),
    ("repository: keep a container alive", "ubuntu", ("tail", "-f", "/dev/null")),
    ("repository: keep alive for ever", "alpine", (*SH, "sleep infinity")),
    ("repository: keep alive, answering TERM", "alpine", (*SH, "trap : TERM INT; sleep infinity & wait")),
    (
        "repository: render a template",
        "nginx:alpine",
        (
            *SH,
            "envsubst '$API_HOST' < /etc/nginx/templates/default.conf.template > "
            "/etc/nginx/conf.d/default.conf && exec nginx -g 'daemon off;'",
        ),
    ),
    (
        "repository: wait, then a static server",
        "python:3.11",
        (*SH, "until nc -z redis 6379; do sleep 1; done; exec python -m http.server 8000"),
    ),
    (
        "repository: check disk use",
        "busybox",
        (*SH, "df -h | awk '{print $5}' | tail -n +2 | sed 's/%//'"),
    ),
    # Programs that only their images know.
    (
        "repository: migrate, then serve",
        "python:3.11",
        (*SH, "python manage.py migrate && gunicorn app.wsgi -b 0.0.0.0:8000"),
    ),
    ("repository: start of a Node program", "node:18", (*SH, "npm ci && npm start")),
    ("repository: start script of the image", "app:1", (*BIN_SH, "./startup.sh")),
    ("repository: upload of a backup", "amazon/aws-cli", (*SH, "aws s3 cp /backup/db.sql.gz s3://bucket/")),
    ("repository: patch by kubectl", "bitnami/kubectl", (*SH, "kubectl rollout restart deployment/web")),
    (
        "operator: read values into a map",
        "redis:7",
        (
            *BASH,
            "declare -A state\nwhile IFS=: read -r key value; do state[$key]=$value; done < "
            '<(echo "role:master")\n'
            '[[ "${state[role]}" == "master" ]]',
        ),
    ),
]
