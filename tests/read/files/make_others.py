"""Writes the files of tests/read/files/others and their manifest; run by hand: python tests/read/files/make_others.py

With python-docx, openpyxl, python-pptx and LibreOffice (`soffice`, from Debian's libreoffice-writer, -calc, -impress),
which saves copies of some of them in other formats; pages and texts are written out here. The manifest says of each
file what must be quotable, what must never be quoted, what must be shown together, and what the report must name.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.read.files import data_files, more_office, more_texts, pages, presentations, sheets, texts, words

FOLDER = Path(__file__).parent / "others"
COPIES = {
    # source: (target suffix, LibreOffice's filter)
    "word-list.docx": "odt", "word-headings.docx": "odt", "word-table.docx": "odt", "word-tracked.docx": "odt",
    "word-notes.docx": "odt", "word-struck.docx": "odt", "word-box.docx": "odt",
    "html-struck.html": "odt", "html-table.html": "odt", "html-list-kinds.html": "odt",
    "word-two-header-rows.docx": "odt", "word-exponents.docx": "odt", "word-page-fields.docx": "odt", "word-rows-as-titles.docx": "odt",
    "word-table-in-table.docx": "odt", "sheet-two-header-rows.xlsx": "ods", "sheet-rich-text.xlsx": "ods", "sheet-side-by-side.xlsx": "ods",
    "sheet-prices.xlsx": "ods", "sheet-formats.xlsx": "ods", "sheet-hidden.xlsx": "ods", "csv-comma.csv": "xlsx",
}  # fmt: skip
AGAIN = ("word-list.odt", "word-table.odt", "word-notes.odt", "word-struck.odt", "html-table.odt")
"""OpenDocument copies that LibreOffice saves once more as Word files."""

RICH = (
    "word-list.docx", "word-headings.docx", "word-table.docx", "word-tracked.docx", "word-notes.docx", "word-struck.docx",
    "word-hidden.docx", "word-legal.docx", "word-exponents.docx", "word-two-header-rows.docx", "word-merged.docx",
)  # fmt: skip
"""Word files that LibreOffice saves as RTF too."""


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    manifest: dict[str, dict] = {}
    for room in (pages, texts, words, sheets, presentations, data_files, more_office, more_texts):
        for name, (content, wanted) in room.FILES.items():
            path = FOLDER / name
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            manifest[name] = wanted
    for name, suffix in COPIES.items():
        if suffix != "odp":
            copied = copy(FOLDER / name, suffix)
            manifest[copied] = {**manifest[name], **OTHERWISE.get(copied, {})}
    for name in AGAIN:
        copied = copy(FOLDER / name, "docx", stem=f"{Path(name).stem}-office")
        manifest[copied] = {**manifest[name], **OTHERWISE.get(copied, {})}
    for name in RICH:
        manifest[copy(FOLDER / name, "rtf")] = manifest[name]
    (FOLDER / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


OTHERWISE: dict[str, dict] = {
    # Where LibreOffice's copy says something else than its source: it knows no <del>.
    "html-struck.odt": {"never": ["18 euros", "5 2"]},
}


def copy(source: Path, suffix: str, stem: str = "") -> str:
    """Has LibreOffice save a file in another format; returns the new name."""
    target = f"{stem or source.stem}.{suffix}"
    if (FOLDER / target).exists():
        target = f"{source.stem}-{source.suffix[1:]}.{suffix}"
    with tempfile.TemporaryDirectory() as folder:
        kind = "writer_web_HTML" if source.suffix == ".html" else ""
        subprocess.run(
            ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless",
             *(["--infilter=HTML (StarWriter)"] if kind else []),
             "--convert-to", suffix, "--outdir", folder, str(source)],
            check=True, capture_output=True,
        )  # fmt: skip
        shutil.copyfile(Path(folder) / f"{source.stem}.{suffix}", FOLDER / target)
    return target


if __name__ == "__main__":
    main()
