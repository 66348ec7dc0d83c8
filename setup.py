"""Puts the prompts of the top-level folder into the wheel; everything else stands in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithPrompts(build_py):
    """Copies `prompts/*.md` to `rag_app/_prompts`; an editable installation reads them where they are."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib, "rag_app", "_prompts")
            folder.mkdir(parents=True, exist_ok=True)
            for file in sorted(Path("prompts").glob("*.md")):
                shutil.copyfile(file, folder / file.name)


setup(cmdclass={"build_py": BuildWithPrompts})
