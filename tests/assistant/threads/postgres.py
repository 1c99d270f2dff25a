"""A PostgreSQL server of the tests' own: on 127.0.0.1, a free port, data in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "test-key"
USER = "xuanka"
BOUND_S = 60


def find_binaries() -> Path | None:
    """The folder of initdb and pg_ctl: on the path, or where Debian puts them."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "pg_ctl").exists() and (folder / "initdb").exists()), None)


def has_user() -> bool:
    """Whether the server may run: it refuses to as root, and then needs the user of Debian's package."""
    if os.geteuid() != 0:
        return True
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return False
    return shutil.which("runuser") is not None


@dataclass
class Server:
    """A server that is started and stopped by hand."""

    binaries: Path
    folder: Path
    port: int = 0

    @property
    def url(self) -> str:
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        """A fresh cluster whose only user has a password."""
        self.folder.mkdir(mode=0o755, exist_ok=True)
        secret = self.folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        if os.geteuid() == 0:
            for path in (self.folder, secret):
                shutil.chown(path, "postgres")
        self._run("initdb", "-D", self._data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--locale=C", "-N")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} -c fsync=off -c max_connections=30"
        self._run("pg_ctl", "-D", self._data, "-w", "-t", str(BOUND_S), "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-w", "-t", str(BOUND_S), "-m", "immediate", "stop")

    def restart(self) -> None:
        """As after a crash: connections break."""
        self.stop()
        self.start()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, name: str, *arguments: str) -> None:
        command = [str(self.binaries / name), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, timeout=2 * BOUND_S, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
