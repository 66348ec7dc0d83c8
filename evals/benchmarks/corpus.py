"""An invented corpus of any size, made from a seed: readable documents about places, teams and things, and questions.

The vocabulary is skewed as in real text: place names are rare, nouns return, function words are everywhere.
"""

import random
from dataclasses import dataclass
from pathlib import Path

SECTIONS = 10
"""Of a document; each becomes one passage of about 110 words."""

_ONSETS = "Al Bran Cor Dun El Fen Gar Hol In Ket Lor Mar Nor Or Pen Quar Ros Sel Tam Ul Ver Wil Yar Zen".split()
_MIDDLES = "a e i o u an el in or un ar".split()
_ENDINGS = "bridge bury cliff combe den field ford gate ham haven hurst leigh mere mouth ness stead thorpe wick".split()
TEAMS = (
    "archive bakery boathouse brewery carpentry clinic depot farm ferry forge foundry garage garden kitchen laboratory "
    "laundry library mill museum nursery observatory office orchard pottery printshop quarry sawmill school theatre "
    "vineyard warehouse workshop"
).split()
THINGS = (
    "anchor badge barrel basket blanket boiler booking bottle bracket cable candle cart catalogue ceiling certificate "
    "chair contract cooler crane crate curtain deposit drill engine fence filter generator handrail heater helmet hose "
    "invoice jacket kettle ladder lamp lantern ledger lever licence locker meter mirror net oven paddle panel parcel "
    "permit pump receipt register roof rope sack saddle sample scale shelf shutter sieve stove table tank tarpaulin "
    "ticket timer tool trolley uniform valve vehicle vessel wagon wheel window wrench"
).split()
_ACTS = (
    (
        "cleaned collected counted delivered dismantled handed in inspected insured labelled locked measured moved "
        "oiled ordered painted photographed registered renewed repaired replaced reported returned signed for stored "
        "tested weighed wrapped"
    )
    .replace("handed in", "handed_in")
    .replace("signed for", "signed_for")
)
_ACTS = [act.replace("_", " ") for act in _ACTS.split()]
PEOPLE = (
    "apprentice attendant caretaker cashier clerk coordinator curator driver engineer foreman guard inspector keeper "
    "librarian manager mechanic nurse planner porter rigger steward supervisor surveyor teacher technician trainee "
    "treasurer visitor volunteer warden"
).split()
_WHEN = (
    "before the morning round", "after the last visitor has left", "at the end of each month",
    "in the first week of May",
    "while the gate is shut", "on the day of delivery", "during the winter break", "whenever the weather turns",
    "as soon as the bell rings", "at the start of the season", "once the count is finished", "between two shifts",
)  # fmt: skip
_WHY = (
    "because damp spoils the paper labels", "so that nothing is counted twice", "since the old store flooded",
    "because the lift carries one load at a time", "so that the insurer accepts the claim",
    "as the council asks for it",
    "because the floor is uneven there", "so that the next shift finds it ready", "since keys went missing in spring",
)  # fmt: skip
_UNITS = ("days", "hours", "weeks", "minutes", "crowns", "metres", "kilograms", "litres", "pieces")
_TOPICS = (
    "Arrival", "Bookings", "Charges", "Checks", "Cleaning", "Deliveries", "Duties", "Equipment", "Exceptions", "Keys",
    "Losses", "Maintenance", "Opening times", "Permits", "Records", "Repairs", "Safety", "Staffing", "Storage",
    "Visits",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of documents, and questions that it answers."""

    folder: Path
    questions: tuple[str, ...]


def write_corpus(folder: Path, documents: int, *, questions: int, seed: int = 7, rules: int = 0) -> Corpus:
    """Writes `documents` Markdown files of `SECTIONS` sections each into `folder`, the same for the same seed.

    With `rules`, document n may be read by whoever has role `r<n % rules>`, and index.toml says so.
    """
    rng = random.Random(seed)
    (folder / "documents").mkdir(parents=True)
    access = "rules" if rules else "open"
    (folder / "index.toml").write_text(
        f'[index]\nname = "bench"\ndescription = "Invented."\naccess = "{access}"\n', encoding="utf-8"
    )
    asked: list[str] = []
    for number in range(documents):
        place = make_place(rng)
        team = rng.choice(TEAMS)
        front = [f"document_id: d{number}", f"title: {place} {team} handbook"]
        if rules:
            front += ["access_scope: role", f"allowed_roles: [r{number % rules}]"]
        lines = ["---", *front, "---", f"# {place} {team} handbook", ""]
        for topic in rng.sample(_TOPICS, SECTIONS):
            lines += [f"## {topic}", "", *_section(rng, place, team, topic, asked)]
        (folder / "documents" / f"d{number:05}.md").write_text("\n".join(lines), encoding="utf-8")
    return Corpus(folder, tuple(rng.sample(asked, questions)))


def _section(rng: random.Random, place: str, team: str, topic: str, asked: list[str]) -> list[str]:
    thing, limit, unit = rng.choice(THINGS), rng.randint(2, 400), rng.choice(_UNITS)
    act = rng.choice(_ACTS)
    fact = f"At {place} every {thing} is {act} within {limit} {unit} of the first request."
    asked.append(f"Within how many {unit} is a {thing} {act} at the {place} {team}?")
    sentences = [_sentence(rng, team) for _ in range(4)]
    sentences.insert(rng.randrange(5), fact)
    lines = [" ".join(sentences), ""]
    if rng.random() < 0.4:
        who = rng.choice(PEOPLE)
        lines += [f"For {topic.lower()} the {who} brings:", ""]
        lines += [f"- {rng.randint(2, 30)} {rng.choice(THINGS)}s, {rng.choice(_WHEN)}" for _ in range(3)]
    else:
        lines += [" ".join(_sentence(rng, team) for _ in range(2))]
    return [*lines, ""]


def _sentence(rng: random.Random, team: str) -> str:
    thing, other = rng.sample(THINGS, 2)
    who, whom = rng.sample(PEOPLE, 2)
    act, when, why = rng.choice(_ACTS), rng.choice(_WHEN), rng.choice(_WHY)
    number, unit = rng.randint(2, 90), rng.choice(_UNITS)
    return rng.choice(
        (
            f"The {who} of the {team} sees that each {thing} is {act} {when}, {why}.",
            f"A {thing} of more than {number} {unit} is not {act} unless the {whom} has agreed in writing.",
            f"Whoever takes a {thing} tells the {who}, who notes it beside the {other} {when}.",
            f"Where the {other} is missing, the {thing} stays with the {whom} for {number} {unit}.",
            f"{when[0].upper()}{when[1:]}, the {who} and the {whom} compare the {thing} with the {other}.",
            f"It costs {number} crowns to have a {thing} {act} by the {who}, {why}.",
        )
    )


def make_place(rng: random.Random) -> str:
    """An invented name."""
    return rng.choice(_ONSETS) + rng.choice(_MIDDLES) + rng.choice("bdfglmnprstvz") + rng.choice(_ENDINGS)
