"""Reports in a real browser: from a file, in a narrow window, with filters; skipped where there is no Chromium."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag_app.evaluate.report.result_page import as_html
from rag_app.evaluate.run.results import Result
from rag_app.evaluate.run.row import Place, QuotedRow
from tests.evaluate.papers import error_row, result, row

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no report can be looked at")

LONG = "unbreakable" * 40
PASSAGE = Place("d", 0, 40)
PROBE = """
<script>
const visible = () => rows.filter(row => row.offsetParent !== null).map(row => row.querySelector("b").textContent);
const choose = (number, value) => { choices[number].value = value; choices[number].dispatchEvent(new Event("input")); };
const seen = { wrong: visible() };
choose(1, ""); seen.all = visible();
choose(2, "(wrong fact)"); seen.reason = visible();
choose(2, ""); search.value = "NEEDLE"; search.dispatchEvent(new Event("input")); seen.search = visible();
search.value = ""; search.dispatchEvent(new Event("input"));
rows[0].querySelector("summary").click();
seen.text = rows[0].innerText;
for (const row of rows) row.open = true;
seen.wide = document.documentElement.scrollWidth;
seen.inner = window.innerWidth;
parent.postMessage(JSON.stringify(seen), "*");
</script>
"""
FRAME = """<!doctype html><meta charset="utf-8">
<iframe src="report.html" width="360" height="800" style="border:0"></iframe>
<pre id="seen"></pre><script>onmessage = event => document.getElementById("seen").textContent = event.data</script>"""


def narrow(page: str, folder: Path) -> dict[str, Any]:
    """What a browser makes of a page in a frame of 360 pixels, opened from a file."""
    (folder / "report.html").write_text(page + PROBE, encoding="utf-8")
    (folder / "frame.html").write_text(FRAME, encoding="utf-8")
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
        (folder / "frame.html").as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:]
    return json.loads(html.unescape(found[1]))


@pytest.fixture
def report() -> Result:
    """A right row, a refusal, an error and a row with a wrong fact, with long words in every place."""
    quotes = (QuotedRow("d", LONG, 0, 9, f"There are 24 days. {LONG}", 0),)
    wrong = row("misled", strict=False, question=f"How many? {LONG}", quotes=quotes, kept=(PASSAGE, Place("x", 0, 9)))
    refused = row("refused", strict=False, outcome="refused", reason="below_confidence", quotes=(), question="needle")
    of = result(row("fine"), refused, error_row("failed"), wrong)
    case = {**of.cases["misled"], "facts": [["26 days"]], "wrong_facts": ["24 days"]}
    passages = {
        PASSAGE.name: {"title": "Leave", "text": f"You have 26 days. {LONG}"},
        "x:0-9": {"title": "Other", "text": "<b>Something</b> else."},
    }
    return replace(
        of,
        cases={**of.cases, "misled": case},
        passages=passages,
        measured={"relevant": {"misled": [PASSAGE.name]}},
    )


def test_a_report_works_in_a_narrow_window(report: Result, tmp_path: Path) -> None:
    """From a file and 360 pixels wide, nothing scrolls sideways; the worst row stands first; filters and search choose
    rows; one click on a row shows its evidence, and the passage that would have been right."""
    seen = narrow(as_html(report), tmp_path)
    assert seen["inner"] == 360
    assert seen["wide"] <= 360
    assert seen["wrong"] == ["misled", "failed", "refused"]
    assert seen["all"] == ["misled", "failed", "refused", "fine"]
    assert seen["reason"] == ["misled"]
    assert seen["search"] == ["refused"]
    assert "You have 26 days." in seen["text"].partition("Quoted")[0]
    assert "<b>Something</b> else." in seen["text"].partition("Evidence: 2 passages")[2]
