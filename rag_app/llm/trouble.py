"""Foreign exceptions become ours: those of botocore, openai, httpx and their like, and of anybody's LLM object.

They are told apart by the names of their classes, by error codes and by HTTP status, so that no client library need
be installed, or is imported for this.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rag_app.errors import (
    ModelError,
    ModelRefused,
    ModelRejected,
    ModelReplyMalformed,
    ModelThrottled,
    ModelTimeout,
    ModelUnreachable,
    RagAppError,
)
from rag_app.llm import retry_after
from rag_app.llm.call import ModelCall

_BY_CODE: dict[str, type[ModelError]] = {
    "ThrottlingException": ModelThrottled,
    "ServiceQuotaExceededException": ModelThrottled,
    "ModelTimeoutException": ModelTimeout,
    "ModelErrorException": ModelUnreachable,
    "insufficient_quota": ModelRejected,  # an account without credit: waiting does not help
    "content_filter": ModelRefused,
}
_BY_STATUS: dict[int, type[ModelError]] = {408: ModelTimeout, 429: ModelThrottled, 504: ModelTimeout}
_BY_CLASS: dict[str, type[ModelError]] = {
    "TimeoutError": ModelTimeout,
    "TimeoutException": ModelTimeout,
    "APITimeoutError": ModelTimeout,
    "ReadTimeoutError": ModelTimeout,
    "ConnectTimeoutError": ModelTimeout,
    "Timeout": ModelTimeout,
    "DeadlineExceeded": ModelTimeout,
    "NoCredentialsError": ModelRejected,
    "PartialCredentialsError": ModelRejected,
    "CredentialRetrievalError": ModelRejected,
    "TokenRetrievalError": ModelRejected,
    "SSOError": ModelRejected,
    "NoRegionError": ModelRejected,
    "InvalidRegionError": ModelRejected,
    "ProfileNotFound": ModelRejected,
    "ParamValidationError": ModelRejected,
    "UnsupportedProtocol": ModelRejected,
    "InvalidURL": ModelRejected,
    "HTTPClientError": ModelUnreachable,
    "APIConnectionError": ModelUnreachable,
    "TransportError": ModelUnreachable,
    "ConnectionError": ModelUnreachable,
    "ConnectionClosedError": ModelUnreachable,
    "JSONDecodeError": ModelReplyMalformed,
    "ResponseParserError": ModelReplyMalformed,
    "APIResponseValidationError": ModelReplyMalformed,
}
"""First match of an exception's classes counts, in this order."""

_NO_KEY = {"NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError"}

_WHAT: dict[type[ModelError], tuple[str, str]] = {
    ModelTimeout: ("did not reply in time", "ask again, or allow more time"),
    ModelThrottled: ("takes no more calls for now", "wait a moment, or raise its quota"),
    ModelUnreachable: ("cannot be reached", "look at its address, the network and its provider's status page"),
    ModelRejected: (
        "did not take the call",
        "look at its name and address or region, at your key and access, and at what it says",
    ),
    ModelRefused: ("was stopped by a content filter", "put the question in other words"),
    ModelReplyMalformed: ("sent a reply that cannot be read", "ask again, or see that its address is right"),
    ModelError: ("failed", "the cause is attached"),
}
_MISREAD = (KeyError, IndexError, TypeError, AttributeError)
_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id")
"""Headers in which providers name a request."""
_LONGEST = 200


def model_name(llm: object) -> str:
    """What a person knows `llm` by."""
    for field in ("application_inference_profile_arn", "model", "model_name"):
        name = getattr(llm, field, None)
        if isinstance(name, str) and name:
            return name
    return type(llm).__name__


def model_error(error: Exception, llm: object, call: ModelCall) -> RagAppError:
    """`error` as one of ours. One of ours already is given back, with model and purpose added to its details."""
    who: dict[str, Any] = {"model": model_name(llm), "purpose": call.purpose}
    if isinstance(error, RagAppError):
        if isinstance(error, ModelError):
            error.details = {**who, "request_id": None, "status": None, **error.details}
        return error
    for cause in _chain(error):
        details = _details(cause)
        kind = _kind(cause, details)
        if kind is not None:
            return _make(kind, cause, {**who, **details})
    # An integration that trips over a reply met one that is not of the provider's form.
    kind = ModelReplyMalformed if isinstance(error, _MISREAD) and _is_of_integration(error, llm) else ModelError
    return _make(kind, error, {**who, **_details(error)})


def _is_of_integration(error: BaseException, llm: object) -> bool:
    """Whether LlamaIndex's integration raised it, rather than code of a user's own class around it."""
    modules = {base.__module__ for base in type(llm).__mro__ if not base.__module__.startswith("llama_index.core.")}
    raised_in, place = "", error.__traceback__
    while place:
        module = place.tb_frame.f_globals.get("__name__", "")
        raised_in = module if module in modules else raised_in
        place = place.tb_next
    return raised_in.startswith("llama_index.llms.")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(8):
        if error is None:
            return
        yield error
        error = error.__cause__


def _kind(error: BaseException, details: Mapping[str, Any]) -> type[ModelError] | None:
    if details["code"] in _BY_CODE:
        return _BY_CODE[details["code"]]
    status = details["status"]
    if status is not None and status >= 400:
        return _BY_STATUS.get(status) or (ModelUnreachable if status >= 500 else ModelRejected)
    names = {base.__name__ for base in type(error).__mro__}
    return next((kind for name, kind in _BY_CLASS.items() if name in names), None)


def _details(error: BaseException) -> dict[str, Any]:
    """status, code, request_id and retry_after, each None where the exception does not tell."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore
        about, meta = response.get("Error", {}), response.get("ResponseMetadata", {})
        headers = meta.get("HTTPHeaders", {})
        status, code, request_id = meta.get("HTTPStatusCode"), about.get("Code"), meta.get("RequestId")
    else:  # openai, anthropic, httpx, requests
        headers = getattr(response, "headers", None) or {}
        status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
        code = getattr(error, "code", None)
        known = (headers.get(name) for name in _REQUEST_IDS)
        request_id = getattr(error, "request_id", None) or next(filter(None, known), None)
    return {
        "status": status if isinstance(status, int) else None,
        "code": code if isinstance(code, str) else None,
        "request_id": request_id or None,
        "retry_after": retry_after.seconds_of(headers.get("retry-after")),
    }


def _make(kind: type[ModelError], error: BaseException, details: dict[str, Any]) -> ModelError:
    happened, remedy = _WHAT[kind]
    said = _said(error)
    if kind is ModelRejected and "response_format" in said:
        remedy = "where its server takes no JSON Schema, set RAG_APP_OPENAI_JSON_SCHEMA=0"
    if any(name in _NO_KEY for name in (base.__name__ for base in type(error).__mro__)):
        remedy = "set the credentials as boto3 finds them, for example AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    cause = ": ".join(part for part in (details["code"] or type(error).__name__, said) if part)
    if isinstance(error, _MISREAD) and kind is ModelReplyMalformed:
        cause = "it is not of the form of the provider's interface"  # where a client tripped says nothing to a person
    cause += f", request {details['request_id']}" if details["request_id"] else ""
    return kind(f"The model {details['model']} {happened} ({cause}): {remedy}.", **details)


def _said(error: BaseException) -> str:
    """The provider's own words, on one line."""
    response = getattr(error, "response", None)
    body = getattr(error, "body", None)
    if isinstance(response, Mapping):
        said = response.get("Error", {}).get("Message") or ""
    elif isinstance(body, Mapping):
        said = body.get("message") or json.dumps(body, default=str)
    else:
        said = str(error)
    line = " ".join(str(said).split()).rstrip(".")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
