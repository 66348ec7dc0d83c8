"""A clean environment: dummy credentials, no proxies, nothing of the machine's own settings, nothing loaded."""

import os
import tempfile
from pathlib import Path

import pytest

from rag_app import models


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("AWS_", "OPENAI_", "RAG_APP_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name, value in {
        "AWS_CONFIG_FILE": str(tmp_path / "no-config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "no-credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "not-a-secret",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path.parent / f"{tmp_path.name}-temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path.parent / f"{tmp_path.name}-temp"))
    monkeypatch.setattr(models, "_loaded", {})
