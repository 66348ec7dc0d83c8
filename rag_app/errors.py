"""Everything that can go wrong, by who can put it right.

    RagAppError
    ├── UsageError           the caller's words: an empty question, a missing principal (also a ValueError)
    │   ├── AskerUnknown       a request over the network does not say who asks, or names nobody who may
    │   └── DocumentMissing    there is no document of that id that the asker may read
    ├── SetupError           something the person can fix before trying again
    │   ├── DefinitionError    index.toml, principals.json or a setting is wrong
    │   ├── IndexMissing       there is no built index at that path
    │   ├── IndexMismatch      the built index does not fit the parts it is opened with
    │   ├── ModelUnavailable   a model's files, an extra, or what it is reached with (address, region) are missing
    │   ├── RecordingMissing   a recording holds no reply to this request
    │   └── SearchUnavailable  the key or the extra of a search service is missing
    ├── StoreError           the catalog, the dense or the sparse index cannot be read or written
    │   └── StoreLocked        another process is writing to the index
    ├── BuildError           a build or update could not finish; the earlier state still answers
    ├── EvaluationInterrupted  an evaluation was stopped; its rows are kept, and the same command goes on
    ├── ReadError            one file cannot become a document (a build reports it and goes on)
    ├── SearchError          a search of the web failed while answering
    │   ├── SearchTimeout      no reply in time
    │   ├── SearchThrottled    the service takes no more searches for now (429)
    │   ├── SearchQuota        the plan or the credit is used up (432, 433)
    │   ├── SearchRejected     the search cannot succeed as it is: key, access, request (400, 401, 403)
    │   ├── SearchUnreachable  no connection, or the service itself failed (5xx)
    │   └── SearchReplyMalformed  the reply cannot be read
    ├── FetchError           a page cannot be fetched from the web
    │   ├── FetchUnsafe        its address, or one that it redirects to, is not a public https address
    │   ├── FetchTimeout       it did not come in time
    │   ├── FetchUnreachable   no such name, no connection, no valid certificate, or a broken reply
    │   ├── FetchTooLarge      it is longer than a page may be, packed or unpacked
    │   └── FetchDisallowed    the site's robots.txt asks programs to stay away
    └── ModelError           a model failed while answering
        ├── ModelTimeout       no reply in time
        ├── ModelThrottled     the provider takes no more calls for now
        ├── ModelUnreachable   no connection, or the service itself failed (5xx)
        ├── ModelRejected      the call cannot succeed as it is: model id, key, region, access, size
        ├── ModelRefused       a content filter stopped the reply
        ├── ModelCutOff        the reply was cut off at its token limit
        ├── ModelReplyEmpty    the reply held no text
        └── ModelReplyMalformed  the reply cannot be read

A message is one or two sentences: what happened and what to do. Identifiers a developer needs are keyword
arguments and stay on the error as `details`.
"""

from typing import Any


class RagAppError(Exception):
    """The root of the tree. `details` holds identifiers: paths, ids, names, numbers."""

    transient = False
    """True where the same call may well succeed a moment later."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


class UsageError(RagAppError, ValueError):
    """A call whose words are wrong: an empty question, a missing principal, an unknown option."""


class AskerUnknown(UsageError):
    """A request over the network does not say who asks, or names nobody who may."""


class DocumentMissing(UsageError):
    """There is no document of that id that the asker may read; whether there is one for others is not said."""


class SetupError(RagAppError):
    """Something the person can fix before trying again; shown without a traceback."""


class DefinitionError(SetupError):
    """index.toml, principals.json or a setting is wrong; the message names file and key."""


class IndexMissing(SetupError):
    """There is no built index at that path."""


class IndexMismatch(SetupError):
    """The built index was made with another embedder, splitter or layout than the one it is opened with."""


class ModelUnavailable(SetupError):
    """A model's files, the extra that brings them, or what it is reached with (address, region) are missing."""


class RecordingMissing(SetupError):
    """A recording holds no reply to this request. Details: key, purpose, path. Not the model's trouble, so no
    fallback for a failing model takes it for one."""


class StoreError(RagAppError):
    """The catalog, the dense or the sparse index cannot be read or written."""


class StoreLocked(StoreError):
    """Another process is writing to the index; the message names it and how long it has been at it."""


class BuildError(RagAppError):
    """A build or update could not finish; the earlier state still answers."""


class EvaluationInterrupted(RagAppError):
    """An evaluation was stopped half-way. Details: folder, missing (rows). The same command goes on."""


class ReadError(RagAppError):
    """One file cannot become a document. A build names it in its report and goes on."""


class SearchUnavailable(SetupError):
    """The key of a search service, or the extra that brings its client, is missing."""


class SearchError(RagAppError):
    """A search of the web failed while answering. Never a refusal. Details: backend, status (HTTP; None without)."""


class SearchTimeout(SearchError):
    """No reply in time."""

    transient = True


class SearchThrottled(SearchError):
    """The service takes no more searches for now. Detail `retry_after`: the seconds it asked for, or None."""

    transient = True


class SearchQuota(SearchError):
    """The plan or the credit of the key is used up; waiting a moment does not help."""


class SearchRejected(SearchError):
    """The search cannot succeed as it is: wrong key, no access, or a request that the service does not take."""


class SearchUnreachable(SearchError):
    """No connection, or the service itself failed (5xx)."""

    transient = True


class SearchReplyMalformed(SearchError):
    """The reply cannot be read."""


class FetchError(RagAppError):
    """A page cannot be fetched. Details: url (the one that was asked for), at (the one where it failed)."""


class FetchUnsafe(FetchError):
    """The address, or one that it leads to, is not https on port 443 of a public host; nothing was sent to it."""


class FetchTimeout(FetchError):
    """The page did not come in time, however far it got."""

    transient = True


class FetchUnreachable(FetchError):
    """No such name, no connection, no valid certificate, or a reply that breaks off or breaks the protocol."""

    transient = True


class FetchTooLarge(FetchError):
    """The page is longer than a page may be, packed or unpacked."""


class FetchDisallowed(FetchError):
    """The site's robots.txt asks programs to stay away from the page."""


class ModelError(RagAppError):
    """A model failed while answering. Never a refusal, never cached.

    Details (None where nobody said): model, purpose, request_id (the provider's), status (HTTP).
    """


class ModelTimeout(ModelError):
    """No reply in time."""

    transient = True


class ModelThrottled(ModelError):
    """The provider takes no more calls for now. Detail `retry_after`: the seconds it asked for, or None."""

    transient = True


class ModelUnreachable(ModelError):
    """No connection, or the service itself failed (5xx)."""

    transient = True


class ModelRejected(ModelError):
    """The call cannot succeed as it is: wrong model id, key, region or access, or a request it cannot take."""


class ModelRefused(ModelError):
    """A content filter stopped the reply."""


class ModelCutOff(ModelError):
    """The reply was cut off at its token limit."""


class ModelReplyEmpty(ModelError):
    """The reply held no text."""


class ModelReplyMalformed(ModelError):
    """The reply cannot be read: not what its client expects, or not the JSON that was asked for."""
