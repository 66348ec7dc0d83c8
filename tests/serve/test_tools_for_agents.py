"""The tools for agents, through the official client: in process, over HTTP and over stdio."""

import sys
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters

from rag_app import OpenIndex
from rag_app.errors import StoreError
from rag_app.serve.askers import AskersByHeader, OneAsker
from rag_app.serve.tools_for_agents import agent_server
from tests.office import MANAGER, VISITOR, write_open
from tests.serve.test_application import HOLIDAY, NAMES, served


def called(server: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of some calls of tools."""

    async def run() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(run)


def test_the_tools(office: OpenIndex) -> None:
    """An agent finds three read-only tools with schemas of what goes in and comes out."""

    async def run() -> Any:
        async with Client(agent_server(office, OneAsker(None))) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(run)}
    assert sorted(tools) == ["ask", "fetch", "search"]
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert tool.description
        assert "\n" not in tool.description
        assert "context" not in tool.input_schema["properties"]
    assert {"status", "quotes", "reason"} <= set(tools["ask"].output_schema["properties"])


def test_ask_search_fetch(office: OpenIndex) -> None:
    """Text for the agent stands beside the same as data; a refusal is an answer, and a wrong call is an error with a
    sentence."""
    server = agent_server(office, OneAsker(None))
    answer = office.as_query_engine().query(HOLIDAY).answer
    asked, refused, found, fetched, missing, empty, many = called(
        server,
        ("ask", {"question": HOLIDAY}),
        ("ask", {"question": "What is the capital of Peru?"}),
        ("search", {"question": "parental leave", "k": 2}),
        ("fetch", {"document_id": answer.quotes[0].document_id}),
        ("fetch", {"document_id": "nothing"}),
        ("ask", {"question": " "}),
        ("search", {"question": "leave", "k": 1000}),
    )
    assert asked.content[0].text == str(answer)
    assert asked.structured_content == answer.as_dict(full=False)
    assert (refused.is_error, refused.structured_content["status"]) == (False, "insufficient_evidence")
    assert [each["rank"] for each in found.structured_content["passages"]] == [1, 2]
    assert fetched.structured_content["text"][answer.quotes[0].start :].startswith(answer.quotes[0].text)
    assert [each.is_error for each in (missing, empty, many)] == [True, True, True]
    assert "The question is empty" in empty.content[0].text


def test_trouble_is_an_error(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something fails while answering, the call is an error that says what, never a refusal."""
    server = agent_server(office, OneAsker(None))

    def fails(*_: object, **__: object) -> None:
        raise StoreError("The disk is gone.")

    monkeypatch.setattr(type(office.reader), "snapshot", fails)
    results = called(server, ("ask", {"question": HOLIDAY}), ("search", {"question": "x"}))
    assert len(results) == 2
    for result in results:
        assert result.is_error
        assert "The disk is gone." in result.content[0].text


def test_each_request_is_its_askers(guarded: OpenIndex) -> None:
    """Over HTTP each request gets what its asker may read; one that names nobody gets an error."""
    hidden = {d.document_id for d in guarded.documents(MANAGER)} - {d.document_id for d in guarded.documents(VISITOR)}
    server = agent_server(guarded, AskersByHeader("x-user", NAMES))
    app = server.streamable_http_app(stateless_http=True, json_response=True)

    def ids(address: str, **headers: str) -> set[str] | None:
        """The documents that a search finds; None where it is an error."""
        call = {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "search", "arguments": {"question": "budget of a team manager", "k": 50}},
        }  # fmt: skip
        accepted = {"Accept": "application/json, text/event-stream", **headers}
        result = httpx.post(f"{address}/mcp", json=call, headers=accepted).json()["result"]
        if result["isError"]:
            return None
        return {each["document_id"] for each in result["structuredContent"]["passages"]}

    with served(app) as address:
        assert hidden & (ids(address, **{"X-User": "mia"}) or set())
        assert not hidden & (ids(address, **{"X-User": "visitor"}) or {*hidden})
        assert ids(address) is None


@pytest.mark.long
def test_stdio(tmp_path: Path) -> None:
    """`rag-app mcp` answers over its standard streams, which carry nothing else."""
    folder = write_open(tmp_path / "office")
    code = "from rag_app.cli import main; main()"
    command = StdioServerParameters(command=sys.executable, args=["-c", code, "mcp", str(folder)])
    (result,) = called(command, ("ask", {"question": HOLIDAY}))
    assert "25 days" in result.content[0].text
