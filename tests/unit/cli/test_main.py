"""What all commands have in common: light starts, one shape of errors, exit codes that scripts can rely on."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from beaver.cli.failures import report, report_missing_extra, report_refusal
from beaver.errors import PeerFault
from tests.unit.cli.conftest import CommandLine

BEAVER = (sys.executable, "-m", "beaver")
NOUNS = ("up", "chat", "check", "serve", "worker", "migrate", "sessions", "queue", "gateway")
HEAVY = ("sqlalchemy", "httpx", "pydantic", "rich", "fastapi", "uvicorn", "redis", "structlog", "asyncio", "filelock")


def test_help_names_every_command(beaver: CommandLine) -> None:
    helped = beaver("--help")
    assert helped.code == 0
    assert all(f"\n  {noun} " in helped.out for noun in NOUNS)


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; sys.argv = ['beaver', '--help']\n"
        "from beaver.cli.main import main\n"
        "try: main()\n"
        f"finally: print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)"
    )
    helped = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert helped.returncode == 0
    assert helped.stderr.strip() == ""


def test_an_unknown_command_is_a_usage_error(beaver: CommandLine) -> None:
    assert beaver("dig").code == 2


def test_a_folder_that_is_none_is_said_in_plain_words(beaver: CommandLine) -> None:
    (beaver.root / ".beaver").touch()
    refused = beaver("chat", "-m", "hi", "--json")
    assert (refused.code, refused.error["code"]) == (69, "unavailable")
    assert refused.error["message"] == f"the system refused a file: File exists: {beaver.root / '.beaver'}"


def test_a_disk_that_takes_no_byte_more_is_said_in_plain_words(beaver: CommandLine) -> None:
    beaver.configure({"memory": {"mode": "curated"}})
    refused = subprocess.run(
        [*BEAVER, "chat", "-m", "hi"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert refused.returncode == 69
    assert refused.stderr.startswith("beaver: the system refused a file: File too large\n  See that the disk has room")


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), TimeoutError(110, "timed out"), OSError("ours")])
def test_what_is_about_no_file_is_not_taken_for_it(error: OSError) -> None:
    assert not report_refusal(error, as_json=False)


BROKEN = {"server": {"port": "s3cret-value"}}


def test_a_broken_configuration_ends_with_the_rule_and_the_next_step_and_no_value(beaver: CommandLine) -> None:
    beaver.configure(BROKEN)
    refused = beaver("sessions", "list")
    assert refused.code == 78
    assert refused.err.startswith("beaver: server.port: must be a whole number\n")
    assert "`beaver check`" in refused.err
    assert "s3cret" not in refused.err + refused.out


def test_with_json_an_error_is_json_too(beaver: CommandLine) -> None:
    beaver.configure(BROKEN)
    refused = beaver("sessions", "list", "--json")
    assert refused.code == 78
    assert refused.out == ""
    assert refused.error["code"] == "config"
    assert refused.error["message"] == "server.port: must be a whole number"


@pytest.mark.parametrize("before", [True, False])
def test_the_root_may_stand_before_or_after_the_command(
    beaver: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    beaver.configure(BROKEN)
    monkeypatch.setenv("BEAVER_ROOT", str(tmp_path / "elsewhere"))
    root = ("--root", str(tmp_path))
    arguments = (*root, "sessions", "list") if before else ("sessions", "list", *root)
    assert beaver(*arguments).code == 78


def test_a_root_that_is_not_there_is_a_usage_error(beaver: CommandLine, tmp_path: Path) -> None:
    assert beaver("--root", str(tmp_path / "nowhere"), "sessions", "list").code == 2


def test_a_module_of_an_extra_that_is_not_installed_is_named_with_its_extra(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_missing_extra(ModuleNotFoundError(name="fastapi.routing"), as_json=False)
    assert "beaver-agent[server]" in capsys.readouterr().err
    assert not report_missing_extra(ModuleNotFoundError(name="beaver.typo"), as_json=False)


def test_the_worker_command_passes_its_health_check_on(tmp_path: Path) -> None:
    command = [*BEAVER, "worker", "--health", "--root", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (result.returncode, result.stdout) == (
        0,
        "the memory plan has no Gateway, so there is nothing to deliver\n",
    )


def test_the_worker_command_becomes_the_worker_of_that_root(tmp_path: Path) -> None:
    with subprocess.Popen([*BEAVER, "worker", "--root", str(tmp_path)], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        first_line = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    # No credentials in an empty folder: the worker says that it idles, and ends well.
    assert b"worker.idle" in first_line
    assert process.returncode == 0


def test_the_words_of_an_error_leave_the_screen_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    report(PeerFault("a peer said \x1b]0;owned\x07\x9b2J"), as_json=False)
    assert capsys.readouterr().err.startswith("beaver: a peer said ]0;owned2J\n")
