"""Amazon Bedrock's Converse API: `bedrock:NAME`. Needs the extra `bedrock`; settings as in `aws.py`.

A few models refuse a temperature: where the integration does not know so yet, hand in an object of your own,
`BedrockConverse(..., additional_kwargs={"temperature": None})`.
"""

import re

from llama_index.core.base.llms.types import LLMMetadata
from llama_index.llms.bedrock_converse import BedrockConverse

from rag_app.llm.providers.aws import bedrock_client
from rag_app.llm.providers.integrations import takes_tools

_GEOGRAPHY = re.compile(r"^(?:us|us-gov|eu|apac|jp|global|ca|au|sa|me|af|il|in|mx|uk)\.")


class Converse(BedrockConverse):
    """A BedrockConverse whose metadata never raises. The integration's raises for models that it does not list, and
    since LlamaIndex reads it to announce a call, none could be made."""

    @property
    def metadata(self) -> LLMMetadata:
        try:
            return super().metadata
        except ValueError:
            return LLMMetadata(
                num_output=self.max_tokens,
                is_chat_model=True,
                is_function_calling_model=takes_tools(self.model),
                model_name=self.application_inference_profile_arn or self.model,
            )


def load_converse(name: str) -> Converse:
    """A model, a cross-region inference profile (`eu....`) or an ARN. Raises as `bedrock_client` does."""
    client, config = bedrock_client(name)
    return Converse(  # pyright: ignore[reportCallIssue]  (pydantic fields without declared defaults)
        # The integration raises for a profile of a model that it does not list, so it gets the bare model to look up
        # what the model can do, and the name itself as what is sent.
        model=_bare(name),
        application_inference_profile_arn=name,
        temperature=0.0,
        max_retries=1,
        client=client,  # pyright: ignore[reportCallIssue]
        botocore_config=config,
    )


def _bare(name: str) -> str:
    """The model behind a name: without ARN and geography. An application profile's opaque id stays as it is."""
    return _GEOGRAPHY.sub("", name.rpartition("/")[2])
