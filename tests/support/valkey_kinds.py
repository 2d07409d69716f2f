"""Queue servers of every kind a deployment meets: with users, behind TLS, under Sentinel, as a cluster; all real."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from beaver.embedded.valkey import find_server_binary
from tests.support.ports import free_ports
from tests.support.relaying import joined, listening


class TcpServer:
    """One server process on a port of loopback. `options` are its command line's."""

    def __init__(self, folder: Path, *options: str, port: int | None = None) -> None:
        self.port = port or free_ports(1)[0]
        self._folder = folder / str(self.port)
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, waiting: bool = True) -> None:
        """Start, and wait until it answers."""
        self._folder.mkdir(exist_ok=True)
        command = [str(find_server_binary()), *self._arguments()]
        self._process = subprocess.Popen(
            command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        give_up = time.monotonic() + 10
        while waiting and not self._answers():
            if time.monotonic() > give_up:
                raise RuntimeError("the queue server did not start within 10 s")
            time.sleep(0.01)

    def kill(self) -> None:
        """SIGKILL, and wait."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def client(self, password: str | None = None) -> Any:
        """A blocking client of the default user; untyped, since its own types cannot say that it blocks."""
        return redis.Redis(port=self.port, password=password, socket_timeout=5)

    def _arguments(self) -> Sequence[str]:
        return ("--port", str(self.port), "--bind", "127.0.0.1", "--save", "", *self._options)

    def _answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.AuthenticationError:
            return True
        except redis.RedisError:
            return False


class SentinelServer(TcpServer):
    """A Sentinel that watches one master named `main` and calls it dead within half a second."""

    def __init__(self, folder: Path, master_port: int, *further: str) -> None:
        super().__init__(folder)
        self._master_port = master_port
        self._further = further

    def _arguments(self) -> Sequence[str]:
        (self._folder / "sentinel.conf").write_text(
            f"port {self.port}\nbind 127.0.0.1\n"
            f"sentinel monitor main 127.0.0.1 {self._master_port} 1\n"
            "sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 5000\n"
            + "\n".join(self._further)
        )
        return ("sentinel.conf", "--sentinel")


@contextmanager
def running(*servers: TcpServer) -> Iterator[None]:
    """Start them in order; all are killed at the end."""
    try:
        for each in servers:
            each.start()
        yield
    finally:
        for each in servers:
            each.kill()


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder that is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="bk-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Certificates:
    """Files of an authority and of one server's certificate that it signed."""

    authority: Path
    certificate: Path
    key: Path


def make_certificates(folder: Path, names: str) -> Certificates:
    """A fresh authority and a server's certificate for `names` (subjectAltName), by the `openssl` program."""
    made = Certificates(folder / "ca.pem", folder / "server.pem", folder / "server.key")
    fresh = (
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    )
    _run(*fresh, "-subj", "/CN=authority", "-keyout", str(folder / "ca.key"), "-out", str(made.authority))
    signed = ("-CA", str(made.authority), "-CAkey", str(folder / "ca.key"), "-subj", "/CN=server")
    extensions = ("-addext", f"subjectAltName={names}", "-addext", "basicConstraints=critical,CA:FALSE")
    _run(*fresh, *signed, *extensions, "-keyout", str(made.key), "-out", str(made.certificate))
    return made


@asynccontextmanager
async def tls_in_front_of(port: int, certificates: Certificates) -> AsyncIterator[int]:
    """A port that ends TLS and passes everything on to a plain port: the bundled server is built without TLS."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates.certificate, certificates.key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await joined((reader, writer), await asyncio.open_connection("127.0.0.1", port))

    async with listening(serve, context) as front:
        yield front


@asynccontextmanager
async def not_redis() -> AsyncIterator[int]:
    """A port where a web server answers."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with listening(serve) as port:
        yield port


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=30)
