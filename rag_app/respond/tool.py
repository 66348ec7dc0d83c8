"""A query engine as a tool of an agent."""

import re

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.tools import QueryEngineTool

WHAT_IT_DOES = (
    "Answers a question in plain language with sentences quoted word for word from the documents, each with its "
    "source, or says that they do not say. Do not reword its quotes."
)
_LONGEST = 64
"""Characters of a tool's name that providers of language models take."""


def question_tool(engine: BaseQueryEngine, name: str, description: str, return_direct: bool) -> QueryEngineTool:
    """The tool; `name` is made one that every provider takes."""
    return QueryEngineTool.from_defaults(
        engine,
        name=tool_name(name),
        description=f"{description.rstrip('.')}. {WHAT_IT_DOES}" if description.strip() else WHAT_IT_DOES,
        return_direct=return_direct,
    )


def tool_name(name: str) -> str:
    """Letters, digits, dashes and underscores; "documents" where nothing is left."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:_LONGEST] or "documents"
