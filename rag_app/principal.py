"""Who asks, who may read, and the one function that decides.

An access rule is data of a document; a principal is data of a question. Nothing but `may_read` compares them.
Whatever is missing, unknown or malformed reads as `NOBODY`: a document whose access data is odd is shown to no one.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rag_app.errors import UsageError

Scope = Literal["public", "department", "role", "private", "nobody"]

ACCESS_FIELDS = ("access_scope", "allowed_roles", "allowed_departments", "owner_user_id")
"""Front matter fields that make a document say who may read it."""
NAMES_OF = {"role": "allowed_roles", "department": "allowed_departments"}
"""Scopes that several people share, and the fields with their names."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A person who asks. Names are compared exactly; no name means anything special.

    Raises UsageError where a name is empty or no text.
    """

    user_id: str
    roles: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.user_id, str) or not self.user_id.strip():
            raise UsageError("A principal needs a user_id: a text that is not empty.")
        for field in ("roles", "departments"):
            value = getattr(self, field)
            if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
                raise UsageError(f"A principal's {field} are a list of names, not {value!r}.")
            names = tuple(value)
            if not all(isinstance(name, str) and name.strip() for name in names):
                raise UsageError(f"A principal's {field} must be names that are not empty: {names!r}.")
            object.__setattr__(self, field, names)


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Who may read a document: a scope and the names it speaks of (departments, roles, or the one owner)."""

    scope: Scope
    names: tuple[str, ...] = ()

    @property
    def rule_id(self) -> str:
        """A stable id: equal rules have equal ids, in every process and version."""
        if self.scope in ("public", "nobody"):
            return self.scope
        return f"{self.scope}-{hashlib.sha256(json.dumps(self.names).encode()).hexdigest()[:16]}"

    def covers(self, other: "AccessRule") -> bool:
        """Whether everybody who may read under `other` may read under this rule too, as far as the rules alone tell."""
        if self.scope == "public" or other.scope == "nobody":
            return True
        return self.scope == other.scope and set(self.names).issuperset(other.names)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> "AccessRule":
        """The rule that front matter states; `NOBODY` where it is missing, unknown, malformed or contradictory."""
        scope = fields.get("access_scope")
        # A wider scope than the names beside it ask for: which of the two is meant is not known.
        if scope != "private" and any(
            fields.get(name) for name in NAMES_OF.values() if name != NAMES_OF.get(str(scope))
        ):
            return NOBODY
        match scope:
            case "public":
                return PUBLIC
            case "department":
                return cls._of("department", fields.get("allowed_departments"))
            case "role":
                return cls._of("role", fields.get("allowed_roles"))
            case "private":
                return cls._of("private", [fields.get("owner_user_id")])
            case _:
                return NOBODY

    @classmethod
    def _of(cls, scope: Scope, names: Any) -> "AccessRule":
        if not isinstance(names, (list, tuple)) or not names:
            return NOBODY
        if not all(isinstance(name, str) and name.strip() for name in names):
            return NOBODY
        return cls(scope, tuple(sorted(set(names))))


PUBLIC = AccessRule("public")
NOBODY = AccessRule("nobody")


def may_read(principal: Principal, rule: AccessRule) -> bool:
    """Whether `principal` may read a document under `rule`. The only place that decides."""
    match rule.scope:
        case "public":
            return True
        case "department":
            return bool(rule.names) and not set(rule.names).isdisjoint(principal.departments)
        case "role":
            return bool(rule.names) and not set(rule.names).isdisjoint(principal.roles)
        case "private":
            return rule.names == (principal.user_id,)
        case _:
            return False
