"""Amazon Bedrock's InvokeModel: `bedrock-invoke:NAME`, through a client that its makers deprecate. Needs the extra
`bedrock-invoke`; settings as in `aws.py`."""

from llama_index.llms.bedrock import Bedrock
from llama_index.llms.bedrock.utils import BEDROCK_FOUNDATION_LLMS

from rag_app.errors import ModelUnavailable
from rag_app.llm.providers.aws import bedrock_client


def load_invoke(name: str) -> Bedrock:
    """The model `name`.

    Raises:
        ModelUnavailable: as `bedrock_client`, or the name does not say whose model it is.
    """
    client, config = bedrock_client(name)
    try:
        return Bedrock(
            model=name,
            context_size=BEDROCK_FOUNDATION_LLMS.get(name, 8192),  # demanded for other models; nothing reads it
            temperature=0.0,
            max_retries=1,
            client=client,
            botocore_config=config,
        )
    except ValueError as error:
        raise ModelUnavailable(
            f"InvokeModel needs to know whose model {name} is, and its name does not say: use bedrock:{name} instead.",
            model=name,
        ) from error
