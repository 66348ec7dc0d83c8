"""How well a model chooses with the prompt "draft".

python -m evals.prompts                      # replays the recording
python -m evals.prompts MODEL FILE           # asks a model (a short name, see rag_app.models), records into FILE
python -m evals.prompts --replay FILE
"""

import sys
from pathlib import Path

from evals.prompts.cases import by_kind, choose, judge, load_cases
from rag_app.errors import RecordingMissing
from rag_app.llm.recording import RecordingLLM
from rag_app.models import load_llm
from rag_app.prompts import load_prompt

RECORDED = Path(__file__).parent / "recordings" / "draft-3.jsonl"


def report(llm: RecordingLLM) -> str:
    """Right choices by kind, and each wrong one; cases that a recording does not hold are counted apart."""
    verdicts, absent = [], 0
    for case in load_cases():
        try:
            verdicts.append(judge(case, choose(llm, case)))
        except RecordingMissing:
            absent += 1
    lines = [f"prompt draft {load_prompt('draft').fingerprint}, model {llm.model}, not recorded: {absent}"]
    lines += [
        f"{verdict.case.id} ({verdict.case.kind}): missing {sorted(verdict.missing)}, beside {sorted(verdict.beside)}"
        for verdict in verdicts
        if not verdict.is_right
    ]
    lines += [f"{kind:20} {right} of {of}" for kind, (right, of) in by_kind(verdicts).items()]
    lines.append(f"{'all':20} {sum(verdict.is_right for verdict in verdicts)} of {len(verdicts)}")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Prints the report."""
    if len(arguments) == 2 and arguments[0] != "--replay":
        llm = RecordingLLM(load_llm(arguments[0]), path=arguments[1], mode="record")
    else:
        llm = RecordingLLM(path=arguments[1] if arguments else RECORDED)
    print(report(llm))


if __name__ == "__main__":
    main(sys.argv[1:])
