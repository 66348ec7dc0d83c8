"""Why there is not enough evidence, in a sentence."""

from rag_app.show.shown import Shown

_REASONS = {
    "nothing_readable": "There is no document here that you may read.",
    "nothing_found": "No passage was found that has to do with the question.",
    "below_confidence": "No passage is near enough to the question in meaning.",
    "not_for_search": "The question names nothing that could be searched for on the web.",
    "nothing_relevant": "What was found on the web is of another region, about something else of that name, or off the "
    "topic.",
    "extractive_declined": "Passages near the question were read, but no statement in them is likely enough to answer "
    "it.",
    "model_declined": "Passages near the question were read, but the language model chose no statement in them.",
    "nothing_validated": "What the language model chose is no statement of the documents that were shown to it.",
}


def reason_in_words(answer: Shown) -> str:
    """One sentence for a refusal, with the numbers behind the gate where it was closed; empty where nobody said."""
    said = _REASONS.get(answer.reason or "", "")
    numbers = answer.trace.numbers
    best, threshold = numbers.get("gate.best_cosine"), numbers.get("gate.threshold")
    if answer.reason == "below_confidence" and best is not None and threshold is not None:
        return f"{said[:-1]}: the nearest has a similarity of {best:.2f}, and {threshold:.2f} is asked for."
    return said
