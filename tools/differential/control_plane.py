"""`python -m tools.differential.control_plane BINARIES FOLDER`: a scratch cluster without kubelets.

BINARIES is a folder with `etcd`, `kube-apiserver`, `kube-controller-manager` and `kube-scheduler`. It runs
on this machine until it is interrupted; FOLDER then holds `kubeconfig` and a log of each.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

from tools.differential.client import Client

TOKEN = "scratch"
START_SECONDS = 120
QUICK = ["--kube-api-qps=1000", "--kube-api-burst=2000"]
"""Many scenarios run at once: none is to wait for another one's requests."""


def main(binaries: Path, folder: Path) -> None:
    """Start all, wait until the server answers, and stay."""
    folder.mkdir(parents=True, exist_ok=True)
    etcd, peer, api = (_find_port() for _ in range(3))
    kubeconfig = _write_kubeconfig(folder, api)
    processes = [_start(binaries, folder, "etcd", _list_etcd_flags(folder, etcd, peer))]
    try:
        processes.append(_start(binaries, folder, "kube-apiserver", _list_server_flags(folder, etcd, api)))
        _wait_until_ready(Client(kubeconfig))
        known = [f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0", *QUICK]
        keys = [
            f"--service-account-private-key-file={folder}/accounts.key",
            f"--root-ca-file={folder}/apiserver.crt",
        ]
        manager = [*known, *keys, "--controllers=*"]
        processes.append(_start(binaries, folder, "kube-controller-manager", manager))
        processes.append(_start(binaries, folder, "kube-scheduler", known))
        print(f"ready: {kubeconfig}", flush=True)
        processes[1].wait()
    except KeyboardInterrupt:
        pass
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def _start(binaries: Path, folder: Path, name: str, flags: list[str]) -> subprocess.Popen[bytes]:
    log = (folder / f"{name}.log").open("wb")
    return subprocess.Popen([str(binaries / name), *flags], stdout=log, stderr=log)


def _list_etcd_flags(folder: Path, port: int, peer: int) -> list[str]:
    own, other = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
    return [
        f"--data-dir={folder}/etcd",
        f"--listen-client-urls={own}",
        f"--advertise-client-urls={own}",
        f"--listen-peer-urls={other}",
        f"--initial-advertise-peer-urls={other}",
        f"--initial-cluster=default={other}",
        "--unsafe-no-fsync",
    ]


def _list_server_flags(folder: Path, etcd: int, port: int) -> list[str]:
    key = folder / "accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    tokens = folder / "tokens.csv"
    tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n')
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-account-issuer=https://scratch.example.com",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--max-requests-inflight=0",
        "--max-mutating-requests-inflight=0",
        "--enable-priority-and-fairness=false",
    ]


def _write_kubeconfig(folder: Path, port: int) -> Path:
    cluster = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "scratch",
        "contexts": [{"name": "scratch", "context": {"cluster": "scratch", "user": "admin"}}],
        "clusters": [{"name": "scratch", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": TOKEN}}],
    }
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config))
    return path


def _wait_until_ready(client: Client) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            if (
                client.ask("GET", "apis/apps/v1").is_ok
                and client.ask("GET", "api/v1/namespaces/default").is_ok
            ):
                return
        except (OSError, ValueError):
            # It does not listen yet, or says in plain text that it is not ready.
            pass
        time.sleep(0.5)
    raise SystemExit("the API server did not get ready: see its log")


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
