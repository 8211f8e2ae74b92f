"""The wheel, built once, in bare virtual environments; and validators that are not ours, in one of their own.

What comes from a registry is asked for by pip and npm as the machine is set up for it. Where there is no
registry these tests are skipped and say so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13")
_HIDDEN = ("PYTHONPATH", "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE")
UNREACHED = ("No matching distribution", "Connection", "connection", "Temporary failure", "timed out")


def clean_environment(**more: str) -> dict[str, str]:
    """Ours, without what would lead Python to this checkout."""
    return {name: value for name, value in os.environ.items() if name not in _HIDDEN} | more


def run(command: list[str | Path], cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=cwd, env=clean_environment(**more), capture_output=True, text=True, timeout=900
    )


def pip(python: str | Path, *words: str | Path) -> None:
    """Run pip; skip where no registry answers."""
    done = run([python, "-m", "pip", "--disable-pip-version-check", *words], TOP)
    if done.returncode and any(sign in done.stderr for sign in UNREACHED):
        pytest.skip(f"no registry: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, TOP)
    (found,) = folder.glob("podline-*.whl")
    return found


def find_python(version: str) -> str:
    """An interpreter of that version; skips where this machine has none."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    found = str(installed[-1]) if installed else shutil.which(f"python{version}")
    return found or pytest.skip(f"Python {version} is not on this machine")


@pytest.fixture(scope="session")
def install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a bare virtual environment with the wheel, once for each version; the folder of its programs."""
    made: dict[tuple[str, ...], Path] = {}

    def make(version: str = PYTHONS[0], *others: str) -> Path:
        key = version, *others
        if key not in made:
            folder = tmp_path_factory.mktemp(f"python{version}")
            done = run([find_python(version), "-m", "venv", folder], TOP)
            assert done.returncode == 0, done.stderr
            pip(folder / "bin" / "python", "install", "--quiet", wheel, *others)
            made[key] = folder / "bin"
        return made[key]

    return make


@pytest.fixture(scope="session")
def validators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with validators of formats."""
    folder = tmp_path_factory.mktemp("validators")
    assert run([sys.executable, "-m", "venv", folder], TOP).returncode == 0
    pip(folder / "bin" / "python", "install", "--quiet", "check-jsonschema==0.39.0", "junitparser==5.0.3")
    return folder / "bin"


@pytest.fixture(scope="session")
def sarif_schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published schema of SARIF 2.1.0, as Microsoft's matchers for tests bring it."""
    folder = tmp_path_factory.mktemp("sarif")
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    done = run(["npm", "pack", "--silent", "@microsoft/jest-sarif@1.0.0-beta.0"], folder)
    if done.returncode:
        pytest.skip(f"no registry: {done.stderr.strip()[-200:]}")
    shutil.unpack_archive(next(folder.glob("*.tgz")), folder)
    (schema,) = folder.rglob("sarif-2.1.0*.json")
    return schema
