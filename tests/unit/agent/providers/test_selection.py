"""Which provider the settings come to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.providers.selection import build_provider
from beaver.config.paths import InstancePaths
from beaver.config.settings import ProviderSettings
from beaver.errors import ConfigError

KEY = "sk-canary-0123456789abcdef"


def built(root: Path, **settings: Any) -> Any:
    return build_provider(ProviderSettings.model_validate(settings), InstancePaths.at(root))


def test_the_default_is_offline(tmp_path: Path) -> None:
    assert built(tmp_path).name == "offline"


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "openai", "model": "m", "apiKey": KEY},
        {"kind": "openai", "model": "m", "baseUrl": "http://127.0.0.1:11434/v1"},
        {"kind": "openai", "model": "m", "baseUrl": "http://127.0.0.1:11434/v1", "apiKey": KEY},
        {"kind": "anthropic", "model": "m", "apiKey": KEY},
        {"kind": "anthropic", "model": "m", "apiKey": KEY, "baseUrl": "http://127.0.0.1:9"},
    ],
)
def test_an_sdk_provider_has_the_settings_name_and_model(tmp_path: Path, settings: dict[str, Any]) -> None:
    provider = built(tmp_path, **settings)
    assert (provider.name, provider.model) == (settings["kind"], "m")
    assert KEY not in repr(provider)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"kind": "openai", "apiKey": KEY}, "provider.model"),
        ({"kind": "openai", "model": "m"}, "provider.apiKey"),
        ({"kind": "anthropic", "apiKey": KEY}, "provider.model"),
        ({"kind": "anthropic", "model": "m"}, "provider.apiKey"),
        ({"kind": "anthropic", "model": "m", "baseUrl": "http://127.0.0.1:9"}, "provider.apiKey"),
        ({"kind": "scripted"}, "provider.script"),
        ({"kind": "scripted", "script": "../outside.json"}, "provider.script"),
        ({"kind": "scripted", "script": "/etc/hostname"}, "provider.script"),
        ({"kind": "scripted", "script": "absent.json"}, "provider.script"),
    ],
)
def test_a_setting_that_is_missing_is_named(tmp_path: Path, settings: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        built(tmp_path, **settings)
    assert caught.value.field == field
    assert KEY not in str(caught.value)


def test_a_symlink_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('[{"text": "x"}]', encoding="utf-8")
    root = tmp_path / "root"
    root.mkdir()
    (root / "script.json").symlink_to(outside)
    with pytest.raises(ConfigError, match="below the instance"):
        built(root, kind="scripted", script="script.json")


def test_a_script_lies_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('[{"text": "x"}]', encoding="utf-8")
    provider = built(tmp_path, kind="scripted", script="script.json")
    assert (provider.name, provider.model) == ("scripted", "script.json")


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_missing_sdk_names_the_extra(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(ConfigError, match=rf"provider\.kind: .*beaver-agent\[{kind}\]"):
        built(tmp_path, kind=kind, model="m", apiKey=KEY)


def test_the_offline_provider_imports_no_sdk() -> None:
    program = (
        "import sys; from beaver.agent.providers.selection import build_provider;"
        "from beaver.config.settings import ProviderSettings; from beaver.config.paths import InstancePaths;"
        "build_provider(ProviderSettings(), InstancePaths.at('.'));"
        "sys.exit(bool({'openai', 'anthropic', 'httpx2'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
