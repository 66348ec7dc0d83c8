"""The papers of a small office: a real index over few readable documents, in a temporary folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import BaseNode, TransformComponent

from rag_app.building import BuildReport, build_index
from rag_app.opened import OpenIndex, open_index
from rag_app.principal import Principal
from rag_app.testing import TinyEmbedding

PAPERS = {
    "leave.md": """---
title: Leave rules
version: "3"
effective_date: 2025-02-01
---
# Leave rules

## Entitlement

Every employee gets 25 days of paid holiday in a calendar year. Unused days lapse at the end of March, unless a manager
has agreed in writing.

## Parental leave

Parental leave lasts 16 weeks. The head of personnel approves it.
""",
    "travel.md": """# Business travel

## Hotels

A hotel room is refunded up to the rate of its city.

| City | Rate a night |
|------|--------------|
| Bergen | 190 euros |
| Porto | 120 euros |

## Trains

You must travel second class, except on journeys of more than 6 hours. Tickets are booked in the travel portal:

- domestic tickets at least 3 days ahead
- international tickets at least 14 days ahead
""",
    "printers.txt": """PRINTERS

The printer on the second floor takes A3 paper. Toner is kept in the cupboard beside the lift.
""",
    "backup.md": """# Backups

Backups run every night at 02:30 and are kept for 90 days. To restore a file, run this command on the server:

```sh
restore --from nightly \\
        --file "$1"   # the path
```
""",
}

RULES = {
    "canteen.md": ("public", {}, "# Canteen\n\nThe canteen serves lunch from 11:30 to 14:00 on working days."),
    "budget.md": ("role", {"allowed_roles": "[manager]"},
                  "# Budget\n\nA team manager may spend 4000 euros a quarter on training."),
    "bonus.md": ("department", {"allowed_departments": "[finance]"},
                 "# Bonus scheme zephyr\n\nThe zephyr bonus pays 7 percent of a yearly salary in December."),
    "ana.md": ("private", {"owner_user_id": "ana"}, "# Review\n\nAna wants to lead the Bergen office by next summer."),
    "orphan.md": ("", {}, "# Merger\n\nThe merger with Quillon is planned for October."),
}  # fmt: skip

MANAGER = Principal("mia", roles=("manager",))
ANA = Principal("ana", departments=("finance",))
VISITOR = Principal("visitor")
SECRETS = ("zephyr", "quillon", "merger", "bonus", "7 percent")
"""What a visitor must never see, hear of or be able to guess."""


class AsTheyAre(TransformComponent):
    """A stock index needs a transformation; this one changes nothing."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        return nodes


def stock_index(nodes: Sequence[BaseNode]) -> VectorStoreIndex:
    """LlamaIndex's own vector index over nodes, with every part given."""
    return VectorStoreIndex(
        nodes, embed_model=TinyEmbedding(), callback_manager=CallbackManager([]), transformations=[AsTheyAre()]
    )


def write_papers(folder: Path) -> Path:
    """A plain folder of documents."""
    folder.mkdir(parents=True)
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def write_open(folder: Path) -> Path:
    """An open index, not built yet."""
    write_papers(folder / "documents")
    (folder / "index.toml").write_text(
        '[index]\nname = "office"\ndescription = "An office."\naccess = "open"\n', encoding="utf-8"
    )
    return folder


def write_rules(folder: Path) -> Path:
    """An index whose documents say who may read them; one says nothing, so that nobody may."""
    (folder / "documents").mkdir(parents=True)
    (folder / "index.toml").write_text(
        '[index]\nname = "office"\ndescription = "An office."\naccess = "rules"\n', encoding="utf-8"
    )
    (folder / "principals.json").write_text(
        '{"mia": {"roles": ["manager"]}, "ana": {"departments": ["finance"]}, "visitor": {}}', encoding="utf-8"
    )
    for name, (scope, names, body) in RULES.items():
        fields = {"access_scope": scope, **names} if scope else {}
        head = "".join(f"{key}: {value}\n" for key, value in fields.items())
        text = f"---\n{head}---\n{body}\n" if head else f"{body}\n"
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    return folder


def build_tiny(folder: Path, **options: Any) -> BuildReport:
    """Builds with the quick embedder."""
    return build_index(folder, embedder=TinyEmbedding(), **options)


def open_tiny(folder: Path, **settings: Any) -> OpenIndex:
    """Opens with the quick embedder, and without a cross-encoder."""
    return open_index(folder, embedder=TinyEmbedding(), **{"cross_encoder": "none", **settings})
