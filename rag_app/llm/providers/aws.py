"""What both ways to Amazon Bedrock share: a boto3 client for it. Needs boto3.

Region, credentials, profile and endpoint are found as boto3 finds them (AWS_REGION is read too); for another address
set AWS_ENDPOINT_URL_BEDROCK_RUNTIME.
"""

import os
import threading
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from rag_app.errors import ModelUnavailable

CONNECT_SECONDS = 10
READ_SECONDS = 120
"""When the client itself gives up. botocore sets this per client; the deadline of a call usually comes first."""
CONNECTIONS = 50


class LazyClient:
    """A boto3 client that is made when first used: making one looks for credentials, which can go over the network."""

    def __init__(self, session: Any, region: str, config: Any) -> None:
        self._made: Any = None
        self._making = threading.Lock()
        self._how = (session, region, config)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        with self._making:
            if self._made is None:
                session, region, config = self._how
                self._made = session.client("bedrock-runtime", region_name=region, config=config)
        return getattr(self._made, name)


def bedrock_client(name: str) -> tuple[LazyClient, Config]:
    """A client for the model `name`, and its configuration. Credentials are looked for at the first call.

    Raises:
        ModelUnavailable: no region, or a profile that does not exist.
    """
    try:
        session = boto3.Session()
        region = session.region_name or os.environ.get("AWS_REGION")
    except BotoCoreError as error:
        raise ModelUnavailable(f"The AWS settings for the model {name} are wrong: {error}.", model=name) from error
    if not region:
        raise ModelUnavailable(
            f"The model {name} needs an AWS region: set AWS_REGION, or `region` in your AWS profile.", model=name
        )
    config = Config(
        retries={"total_max_attempts": 1, "mode": "standard"},  # ours is the only retry policy
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        max_pool_connections=CONNECTIONS,
    )
    return LazyClient(session, region, config), config
