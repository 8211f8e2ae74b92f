"""Manifests to begin with, offered beside the empty text box."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A manifest and what it shows."""

    key: str
    label: str
    manifest: str


NGINX = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: nginx-deployment
  labels:
    app: nginx
spec:
  replicas: 3
  selector:
    matchLabels:
      app: nginx
  template:
    metadata:
      labels:
        app: nginx
    spec:
      containers:
      - name: nginx
        image: nginx:1.14.2
        ports:
        - containerPort: 80
"""

PROBED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 4
  minReadySeconds: 2
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 1}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: app
        image: example.com/web:1
        ports:
        - containerPort: 8080
        readinessProbe:
          httpGet: {path: /ready, port: 8080}
          initialDelaySeconds: 3
          periodSeconds: 2
        lifecycle:
          preStop:
            exec: {command: ["sleep", "5"]}
"""

CRASHING = """\
apiVersion: v1
kind: Pod
metadata:
  name: crashing
spec:
  containers:
  - name: app
    image: busybox:1.36
    command: ["sh", "-c", "echo starting; sleep 3; echo giving up; exit 1"]
"""

JOB_LIKE = """\
apiVersion: v1
kind: Pod
metadata:
  name: two-steps
spec:
  restartPolicy: Never
  initContainers:
  - name: prepare
    image: busybox:1.36
    command: ["sh", "-c", "sleep 4"]
  containers:
  - name: work
    image: busybox:1.36
    command: ["sh", "-c", "echo working; sleep 10; echo done"]
"""

EXAMPLES = (
    Example("nginx", "nginx, three replicas", NGINX),
    Example("probed", "Probes, a budget, a slow preStop", PROBED),
    Example("crashing", "A container that keeps crashing", CRASHING),
    Example("two-steps", "An init container, then work", JOB_LIKE),
)
