"""rag-app serve, rag-app mcp"""

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_app.cli.common import As, Department, Folder, Llm, Role, User, app, asker, model_option, opened, tell
from rag_app.errors import ModelUnavailable, SetupError, UsageError

if TYPE_CHECKING:
    from rag_app.opened import OpenIndex
    from rag_app.serve.askers import Askers

Host = Annotated[
    str, typer.Option(help="Address to listen on. Any other than loopback can be reached by other machines.")
]
Port = Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)]
ByHeader = Annotated[
    str | None,
    typer.Option(
        "--principal-header",
        help="Header in which a proxy names who asks, by a name of principals.json. Only the proxy may reach the port.",
    ),
]
Tokens = Annotated[
    Path | None, typer.Option(help='JSON file of the tokens of askers: {"NAME": "SHA-256 of the token"}.')
]


@app.command()
def serve(
    folder: Folder,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    principal_header: ByHeader = None,
    tokens: Tokens = None,
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    llm: Llm = None,
) -> None:
    """Serve a page to try an index, and a small JSON interface (/ask, /search, /documents/ID)."""
    from rag_app.serve.askers import is_loopback

    askers = _askers(folder, principal_header, tokens, lambda: asker(folder, user, role, department, as_name))
    try:
        from rag_app.serve.application import application
    except ImportError as error:
        raise ModelUnavailable('The page needs an extra: pip install "rag_app[serve]".') from error
    index = _ready(folder, host, askers, port)
    hosts = ["localhost", "127.0.0.1", "[::1]", host] if is_loopback(host) and not principal_header else None
    _listen(application(index, askers, hosts=hosts, **model_option(llm)), host, port)


@app.command("mcp")
def serve_agents(
    folder: Folder,
    http: Annotated[bool, typer.Option("--http", help="Over streamable HTTP (at /mcp) instead of stdio.")] = False,
    host: Host = "127.0.0.1",
    port: Port = 8001,
    principal_header: ByHeader = None,
    tokens: Tokens = None,
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    llm: Llm = None,
) -> None:
    """Serve an index to agents over the Model Context Protocol: the tools ask, search and fetch, all read-only."""
    from rag_app.serve.askers import is_loopback

    if not http and (principal_header or tokens):
        raise UsageError("Over stdio there is one asker: say who with --user or --as, or serve with --http.")
    askers = _askers(folder, principal_header, tokens, lambda: asker(folder, user, role, department, as_name))
    try:
        from mcp.server.transport_security import TransportSecuritySettings

        from rag_app.serve.tools_for_agents import agent_server
    except ImportError as error:
        raise ModelUnavailable('Tools for agents need an extra: pip install "rag_app[mcp]".') from error
    index = _ready(folder, host, askers, port) if http else _ready(folder, "127.0.0.1", askers)
    server = agent_server(index, askers, **model_option(llm))
    if not http:
        server.run("stdio")
        return
    names = ["localhost", "127.0.0.1", "[::1]"]
    guard = TransportSecuritySettings(
        enable_dns_rebinding_protection=is_loopback(host),
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[f"http://{name}:*" for name in names],
    )
    _listen(server.streamable_http_app(stateless_http=True, json_response=True, transport_security=guard), host, port)


def _askers(folder: Path, header: str | None, tokens: Path | None, one: Callable[[], Any]) -> "Askers":
    from rag_app.index.definition import load_definition, load_principals
    from rag_app.serve.askers import AskersByHeader, OneAsker, askers_by_token

    if header and tokens:
        raise UsageError("Say who asks either with --principal-header or with --tokens, not with both.")
    if not header and tokens is None:
        return OneAsker(one())
    principals = load_principals(load_definition(folder).path)
    if tokens is not None:
        return askers_by_token(tokens, principals)
    return AskersByHeader((header or "").lower(), principals)


def _ready(folder: Path, host: str, askers: "Askers", port: int = 0) -> "OpenIndex":
    """The index, if it may be served there. All is loaded before the first question waits for it."""
    from rag_app.index.definition import load_definition
    from rag_app.serve.askers import check_listening

    check_listening(host, askers, load_definition(folder).access)
    _check_free(host, port)
    index = opened(folder)
    tell("loading index and models ...")
    index.warm_up()
    return index


def _check_free(host: str, port: int) -> None:
    """Raises SetupError where nothing can listen on a port, before anything is loaded; 0 is any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            tried.bind(address)
    except OSError as error:
        why = error.strerror or str(error)
        raise SetupError(
            f"Nothing can listen on {host}, port {port} ({why}): choose another --port or --host."
        ) from error


def _listen(application: Any, host: str, port: int) -> None:
    import uvicorn

    class Announcing(uvicorn.Server):
        """Says where it listens once it does: port 0 is any that is free."""

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            for server in self.servers:
                for listening in server.sockets:
                    name, number = listening.getsockname()[:2]
                    tell(f"listening on http://{f'[{name}]' if ':' in name else name}:{number}")

    config = uvicorn.Config(application, host, port, log_level="warning", server_header=False, access_log=False)
    server = Announcing(config)
    server.run()
    sys.exit(0 if server.started else 1)
