"""Who may read what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.principal import NOBODY, PUBLIC, AccessRule, Principal, may_read

ANA = Principal("ana", roles=("manager",), departments=("people",))

names = st.lists(st.sampled_from(["manager", "people", "it", "admin", "ana", "bo"]), max_size=3)


def test_public_is_read_by_everybody() -> None:
    """A public document is read by a principal with no role and no department."""
    assert may_read(Principal("stranger"), PUBLIC)


@pytest.mark.parametrize(
    ("fields", "readable"),
    [
        ({"access_scope": "department", "allowed_departments": ["people", "it"]}, True),
        ({"access_scope": "department", "allowed_departments": ["it"]}, False),
        ({"access_scope": "role", "allowed_roles": ["manager"]}, True),
        ({"access_scope": "role", "allowed_roles": ["people"]}, False),
        ({"access_scope": "private", "owner_user_id": "ana"}, True),
        ({"access_scope": "private", "owner_user_id": "bo"}, False),
    ],
)
def test_scopes(fields: dict[str, object], readable: bool) -> None:
    """A scope looks at its own field alone: departments, roles or the owner."""
    assert may_read(ANA, AccessRule.from_fields(fields)) is readable


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"access_scope": None},
        {"access_scope": "everyone"},
        {"access_scope": "Public"},
        {"access_scope": ["public"]},
        {"access_scope": "department"},
        {"access_scope": "department", "allowed_departments": []},
        {"access_scope": "department", "allowed_departments": "people"},
        {"access_scope": "department", "department": "people"},
        {"access_scope": "role", "allowed_roles": ["manager", 7]},
        {"access_scope": "role", "allowed_roles": ["manager", ""]},
        {"access_scope": "role", "allowed_departments": ["people"]},
        {"access_scope": "public", "allowed_roles": ["manager"]},
        {"access_scope": "role", "allowed_roles": ["manager"], "allowed_departments": ["people"]},
        {"access_scope": "department", "allowed_departments": ["people"], "allowed_roles": ["manager"]},
        {"access_scope": "private"},
        {"access_scope": "private", "owner_user_id": ""},
        {"access_scope": "private", "owner_user_id": ["ana"]},
    ],
)
def test_odd_access_data_means_nobody(fields: dict[str, object]) -> None:
    """Missing, unknown, malformed or contradictory access data is read by no one, whatever their names."""
    assert AccessRule.from_fields(fields) == NOBODY
    assert not may_read(ANA, NOBODY)


def test_admin_means_nothing_special() -> None:
    """A principal called admin, in a role and department admin, reads no more than others."""
    admin = Principal("admin", roles=("admin",), departments=("admin",))
    assert not may_read(admin, AccessRule("role", ("manager",)))
    assert not may_read(admin, AccessRule("private", ("ana",)))


@given(st.sampled_from(["department", "role", "private"]), names, names, names)
def test_a_rule_opens_only_by_its_own_names(
    scope: str, rule_names: list[str], roles: list[str], deps: list[str]
) -> None:
    """A principal that shares no name with a rule never reads under it."""
    rule = AccessRule(scope, tuple(sorted(set(rule_names))))  # pyright: ignore[reportArgumentType]
    asker = Principal("zoe", tuple(roles), tuple(deps))
    held = {"department": deps, "role": roles, "private": ["zoe"]}[scope]
    if not set(rule_names) & set(held):
        assert not may_read(asker, rule)


def test_equal_rules_have_equal_ids() -> None:
    """The order and repetition of names in front matter do not make another rule."""
    one = AccessRule.from_fields({"access_scope": "role", "allowed_roles": ["a", "b", "a"]})
    other = AccessRule.from_fields({"access_scope": "role", "allowed_roles": ["b", "a"]})
    assert one.rule_id == other.rule_id
    assert (
        one.rule_id != AccessRule.from_fields({"access_scope": "department", "allowed_departments": ["a", "b"]}).rule_id
    )


@pytest.mark.parametrize("arguments", [{"user_id": ""}, {"user_id": " "}, {"user_id": "a", "roles": "manager"},
                                       {"user_id": "a", "departments": [""]}])  # fmt: skip
def test_a_malformed_principal_is_refused(arguments: dict[str, object]) -> None:
    """A principal without a user id, or with a text where a list of names belongs, is a ValueError."""
    with pytest.raises(ValueError, match="principal"):
        Principal(**arguments)  # pyright: ignore[reportArgumentType]
