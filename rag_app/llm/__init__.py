"""Language models: one call in, one reply out, and every kind of trouble by its name. Light to import.

reply = call_llm(llm, ModelCall((("user", "..."),), max_tokens=200), deadline=time.monotonic() + 30)
"""

from rag_app.llm.call import ModelCall, ModelReply
from rag_app.llm.calling import RetryPolicy, acall_llm, asking, call_llm

__all__ = ["ModelCall", "ModelReply", "RetryPolicy", "acall_llm", "asking", "call_llm"]
