"""Any server that speaks OpenAI's chat completions, on this machine or elsewhere: `openai-like:NAME`.

Environment:
    RAG_APP_OPENAI_BASE_URL     its address, such as http://127.0.0.1:8000/v1; else OPENAI_BASE_URL, OPENAI_API_BASE.
                                There is no default, so that no text goes to an address that nobody named.
    RAG_APP_OPENAI_API_KEY      its key; else OPENAI_API_KEY, but only for an address from an OPENAI_ variable, so
                                that a key meant for one provider is never sent to another. Local servers need none.
    RAG_APP_OPENAI_JSON_SCHEMA  0 where the server does not take `response_format` with a JSON Schema.
"""

import os

import httpx
from llama_index.llms.openai_like import OpenAILike
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from rag_app.errors import ModelUnavailable
from rag_app.llm.providers.gateway import amended, amended_async


def load_openai_like(name: str) -> OpenAILike:
    """The model `name` of the server that the environment names.

    Raises:
        ModelUnavailable: the environment names no server, or no address of one.
    """
    url, key = _where(name)
    # A connection belongs to the event loop it was opened in. None is kept, so that the model works in one loop after
    # the other, as in two calls of asyncio.run().
    client = DefaultAsyncHttpxClient(
        limits=httpx.Limits(max_keepalive_connections=0), event_hooks={"response": [amended_async]}
    )
    return OpenAILike(
        model=name,
        api_base=url,
        api_key=key,
        is_chat_model=True,
        temperature=0.0,
        max_retries=0,  # ours is the only retry policy
        should_use_structured_outputs=os.environ.get("RAG_APP_OPENAI_JSON_SCHEMA", "1") not in ("0", "false", "no"),
        http_client=DefaultHttpxClient(event_hooks={"response": [amended]}),  # pyright: ignore[reportCallIssue]
        async_http_client=client,  # pyright: ignore[reportCallIssue]
    )


def _where(name: str) -> tuple[str, str]:
    get = os.environ.get
    own, key = get("RAG_APP_OPENAI_BASE_URL"), get("RAG_APP_OPENAI_API_KEY")
    url = own or get("OPENAI_BASE_URL") or get("OPENAI_API_BASE")
    if not url or not url.startswith(("http://", "https://")):
        wrong = f", and {url!r} does not begin with http:// or https://" if url else ""
        raise ModelUnavailable(
            f"The model {name} needs the address of its server{wrong}: set RAG_APP_OPENAI_BASE_URL, "
            'for example to "http://127.0.0.1:8000/v1".',
            model=name,
            url=url,
        )
    if not key and not own:
        key = get("OPENAI_API_KEY")
    return url, key or "none"
