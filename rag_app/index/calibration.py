"""What was fitted to the questions of one index: its thresholds, kept in the manifest with what they hold for.

They travel with the index (update, export, install) and are dropped by a build that changes what they rest on: the
embedder, or how documents are cut. `rag_app.evaluate.fit.calibrate` makes them; see docs/design/calibration.md.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag_app.errors import StoreError
from rag_app.index.catalog import Catalog
from rag_app.index.definition import load_definition
from rag_app.index.lock import writing
from rag_app.index.store import Store
from rag_app.settings import ENGLISH_CROSS_ENCODER, ENGLISH_EMBEDDER, Settings, load_settings
from rag_app.trace import Trace

KEY = "calibration"
"""In the manifest; "" or no entry means that there is no calibration."""


@dataclass(frozen=True, slots=True)
class Decline:
    """When a draft without a language model is declined: from the score of its best statement, by Platt's scaling
    (Advances in Large Margin Classifiers, 1999): P(right) = 1 / (1 + exp(slope * (middle - score)))."""

    slope: float
    middle: float
    """The score of drafts of which half are right."""
    threshold: float
    """Probability from which a draft is shown, 0 to 1."""
    with_cross_encoder: bool
    """Whether the scores it was fitted to have a cross-encoder's part; those of the others are of another size."""

    def probability(self, score: float) -> float:
        """How likely a draft with this score is right, 0 to 1."""
        return 1 / (1 + math.exp(min(700.0, self.slope * (self.middle - score))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds fitted to questions about one index; a part that is None stays at its default."""

    gate_threshold: float | None
    """Cosine from which the confidence gate is open, -1 to 1."""
    decline: Decline | None
    cross_encoder: str
    """Short name of the one that read the questions: the decline holds for no other."""
    cutting: str
    """How the documents were cut."""
    wrong_cost: float
    """How many refusals of a right answer one wrong answer costs."""
    questions: str
    """SHA-256 of the file of questions."""
    split: str
    asked: int
    """Number of questions."""

    def as_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Calibration":
        """Raises ValueError where it is not what `as_json` writes."""
        try:
            fields = json.loads(text)
            decline = fields.pop("decline")
            found = cls(**fields, decline=None if decline is None else Decline(**decline))
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"no calibration: {error}") from error
        numbers: list[Any] = [] if found.gate_threshold is None else [found.gate_threshold]
        if found.decline is not None:
            numbers += [found.decline.slope, found.decline.middle, found.decline.threshold]
        if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
            raise ValueError(f"thresholds that are no numbers: {numbers}")
        return found


@dataclass(frozen=True, slots=True)
class Declining:
    """When drafts are declined: by the calibration of the index, else by the defaults; a threshold in the settings
    overrides both."""

    calibrated: Decline | None = None
    threshold: float | None = None
    """Setting; None: the calibrated one, else the fitted one."""
    note: str | None = None
    """Why a calibration that there is does not hold."""
    reads_only_english: bool = False
    """Whether the embedder or the cross-encoder is one of those that come with the installation."""

    @classmethod
    def of(cls, calibration: Calibration | None, settings: Settings) -> "Declining":
        """A calibration holds for the cross-encoder that it was made with."""
        english = settings.embedding == ENGLISH_EMBEDDER or settings.cross_encoder == ENGLISH_CROSS_ENCODER
        if calibration is None or calibration.decline is None:
            return cls(threshold=settings.decline_threshold, reads_only_english=english)
        if calibration.cross_encoder != settings.cross_encoder:
            note = (
                f"The calibration of declines was left out: it was made with the cross-encoder "
                f"{calibration.cross_encoder}, not with {settings.cross_encoder}."
            )
            return cls(threshold=settings.decline_threshold, note=note, reads_only_english=english)
        return cls(calibration.decline, settings.decline_threshold, reads_only_english=english)

    def rule(self, default: Decline, trace: Trace) -> Decline:
        """Scale and threshold for drafts that `default` is made for; the trace says where a calibration is left out."""
        rule = self.calibrated or default
        if rule.with_cross_encoder != default.with_cross_encoder:
            trace.warn(
                "The calibration of declines was left out: it was made with"
                + (
                    " a cross-encoder, and none read"
                    if rule.with_cross_encoder
                    else "out a cross-encoder, and one read"
                )
                + " this question."
            )
            rule = default
        elif self.note:
            trace.warn(self.note)
        threshold = rule.threshold if self.threshold is None else self.threshold
        trace.numbers["decline.threshold"] = threshold
        trace.numbers["decline.calibrated"] = float(rule is self.calibrated)
        return Decline(rule.slope, rule.middle, threshold, rule.with_cross_encoder)


def calibration_in(manifest: Mapping[str, str]) -> Calibration | None:
    """The calibration of an index, from its manifest.

    Raises:
        StoreError: there is one that cannot be read.
    """
    text = manifest.get(KEY)
    if not text:
        return None
    try:
        return Calibration.from_json(text)
    except ValueError as error:
        raise StoreError(
            f"The calibration of the index {manifest.get('name', '')} cannot be read ({error}): take it out with "
            "`rag-app calibrate --clear`, and calibrate again."
        ) from error


def kept_calibration(before: Mapping[str, str], *, same_embedder: bool, cutting: str) -> tuple[str, str | None]:
    """What a build leaves of a calibration: its entry, and a sentence where it drops it."""
    text = before.get(KEY, "")
    if not text:
        return "", None
    try:
        fits = Calibration.from_json(text).cutting == cutting
    except ValueError:
        return text, None  # opening the index warns of it
    if same_embedder and fits:
        return text, None
    changed = "the way documents are cut" if same_embedder else "the embedder"
    return "", f"The calibration was dropped, since {changed} changed: run `rag-app calibrate` again."


def write_calibration(path: str | Path, calibration: Calibration | None) -> None:
    """Puts a calibration in force, or takes it out (None), for every question from now on.

    Raises:
        IndexMissing: nothing was built there.
        StoreError, StoreLocked: the store cannot be written, or somebody else writes to it.
    """
    definition = load_definition(path)
    store = Store(definition.store_path, load_settings(definition.settings).chroma_url)
    generation = store.opened(definition.path)
    with writing(store.path), Catalog(generation.catalog) as catalog:
        text = "" if calibration is None else calibration.as_json()
        if catalog.read_manifest().get(KEY, "") != text:
            catalog.discard_staged()
            catalog.flip((), {KEY: text})
