"""The index as tools of an agent, over the Model Context Protocol: ask, search and fetch, all read-only.

A refusal is an answer; an error says that something failed. Everything is computed for the asker of that one request.
"""

from typing import Annotated, Any

import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field
from typing_extensions import TypedDict

from rag_app.errors import RagAppError
from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.serve.askers import Askers
from rag_app.serve.requested import FoundPassage, day_of, fetched, found_passages
from rag_app.show.brief import BriefAnswer, brief
from rag_app.show.lines import printable

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
INSTRUCTIONS = (
    "ask answers a question with sentences quoted word for word from the documents, or says that they do not say. "
    "Hand its quotes on as they are, with their sources. search finds passages; fetch gives a document's whole text."
)
ASK = (
    "Answers a question in the documents' own sentences, each with its source, or says that there is not enough "
    'evidence in them (status "insufficient_evidence"), which is an answer and no error.'
)

Question = Annotated[str, Field(description="A question in plain language, understandable by itself.")]
Day = Annotated[str | None, Field(description="YYYY-MM-DD: ask the documents in force on that day; left out: today.")]
Count = Annotated[int, Field(description="How many passages.", ge=1, le=50)]
Id = Annotated[str, Field(description="A document_id, as ask and search give it.")]


class Found(TypedDict):
    """The passages nearest to a question, best first."""

    passages: list[FoundPassage]


class Fetched(TypedDict):
    """A document with its text."""

    document_id: str
    title: str
    text: str
    source: str
    version: str | None
    effective_date: str | None


def agent_server(index: OpenIndex, askers: Askers, **options: Any) -> MCPServer:
    """The server, to be run over stdio or streamable HTTP.

    Args:
        options: those of `OpenIndex.as_query_engine`.
    """
    name = index.reader.definition.name
    description = index.reader.definition.description
    server = MCPServer(name, description=description, instructions=INSTRUCTIONS, log_level="WARNING")

    def principal_of(context: Context) -> Principal | None:
        return askers.principal(context.headers or {})

    @server.tool(annotations=READ_ONLY, description=ASK)
    async def ask(context: Context, question: Question, as_of: Day = None) -> Annotated[CallToolResult, BriefAnswer]:
        try:
            engine = index.as_query_engine(principal_of(context), **options)
            answer = (await engine.aquery(question, as_of=day_of(as_of))).answer
        except RagAppError as error:
            raise ToolError(str(error)) from error
        return _result(str(answer), brief(answer))

    @server.tool(annotations=READ_ONLY)
    async def search(context: Context, question: Question, k: Count = 5) -> Annotated[CallToolResult, Found]:
        """Finds the passages nearest to a question, without an answer."""
        try:
            principal = principal_of(context)
            passages = await anyio.to_thread.run_sync(lambda: found_passages(index, principal, question, k))
        except RagAppError as error:
            raise ToolError(str(error)) from error
        lines = (f"{each['title']} ({each['document_id']}):\n{each['text']}" for each in passages)
        return _result(printable("\n\n".join(lines)) or "Nothing was found.", Found(passages=passages))

    @server.tool(annotations=READ_ONLY)
    async def fetch(context: Context, document_id: Id) -> Annotated[CallToolResult, Fetched]:
        """Gives the whole text of a document."""
        try:
            principal = principal_of(context)
            document = await anyio.to_thread.run_sync(lambda: fetched(index, principal, document_id))
        except RagAppError as error:
            raise ToolError(str(error)) from error
        found = Fetched(
            document_id=document.document_id,
            title=document.title,
            text=document.text,
            source=document.source,
            version=document.version,
            effective_date=document.effective_date.isoformat() if document.effective_date else None,
        )
        return _result(printable(document.text), found)

    return server


def _result(text: str, data: Any) -> CallToolResult:
    """What an agent reads, beside the same as data."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=dict(data))
