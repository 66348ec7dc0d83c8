"""Who asks over the network: stated by the operator of the server, never by the page or the agent itself."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Protocol

from rag_app.errors import AskerUnknown, DefinitionError, UsageError
from rag_app.principal import Principal


class Askers(Protocol):
    """Says who sent a request."""

    def principal(self, headers: Mapping[str, str]) -> Principal | None:
        """The asker of a request with these headers (names in lower case); None on an index that asks nobody.

        Raises AskerUnknown where the request does not say, or says a name that is not known.
        """
        ...


@dataclass(frozen=True, slots=True)
class OneAsker:
    """Every request is of the same person: the one at this machine; None on an open index."""

    person: Principal | None

    def principal(self, headers: Mapping[str, str]) -> Principal | None:
        return self.person


@dataclass(frozen=True, slots=True)
class AskersByHeader:
    """A proxy in front has made sure who asks and names them in a header, which it takes out of what it is sent.

    Only the proxy may reach the server: anybody else who can send it the header asks as the person the header names.
    """

    header: str
    """Name of the header, in lower case; its value is a name in the index's principals.json."""
    principals: Mapping[str, Principal]

    def principal(self, headers: Mapping[str, str]) -> Principal:
        name = headers.get(self.header, "").strip()
        if name not in self.principals:
            raise AskerUnknown("The request names nobody who may ask.")
        return self.principals[name]


@dataclass(frozen=True, slots=True)
class AskersByToken:
    """Each asker holds a token and sends it as `Authorization: Bearer TOKEN`; the server knows only the hashes."""

    hashes: Mapping[str, Principal]
    """SHA-256 of a token, in hexadecimal, and whose it is."""

    def principal(self, headers: Mapping[str, str]) -> Principal:
        kind, _, token = headers.get("authorization", "").partition(" ")
        said = hashlib.sha256(token.strip().encode("utf-8", "replace")).hexdigest()
        for known, principal in self.hashes.items():
            if kind.lower() == "bearer" and hmac.compare_digest(said, known):
                return principal
        raise AskerUnknown("The request carries no token of anybody who may ask.")


def askers_by_token(file: Path, principals: Mapping[str, Principal]) -> AskersByToken:
    """Reads a token file: `{"NAME": "SHA-256 of the token"}`, the names being those of principals.json.

    `printf %s TOKEN | sha256sum` makes such a hash.

    Raises:
        DefinitionError: the file cannot be read, or an entry is not of that form.
    """
    try:
        entries = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DefinitionError(f"The token file {file} cannot be read: {error}.") from error
    if not isinstance(entries, dict) or not entries:
        raise DefinitionError(f'The token file {file} must be {{"NAME": "SHA-256 of the token", ...}}.')
    hashes: dict[str, Principal] = {}
    for name, digest in entries.items():
        if name not in principals:
            raise DefinitionError(f"The token file {file} names {name!r}, whom principals.json does not know.")
        if not isinstance(digest, str) or len(digest) != 64 or digest.lower().strip("0123456789abcdef"):
            raise DefinitionError(f"The entry of {name!r} in {file} is not a SHA-256 in hexadecimal.")
        if digest.lower() in hashes:
            raise DefinitionError(f"Two names in {file} have the same token.")
        hashes[digest.lower()] = principals[name]
    return AskersByToken(hashes)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens on `host`."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_listening(host: str, askers: Askers, access: str) -> None:
    """Raises UsageError where others would ask as the one who started the server."""
    if access == "rules" and isinstance(askers, OneAsker) and not is_loopback(host):
        raise UsageError(
            f"This index has access rules, and on {host} anybody who reaches it would ask as you: say who asks with "
            "--principal-header NAME (set by a proxy) or --tokens FILE, or listen on 127.0.0.1."
        )
