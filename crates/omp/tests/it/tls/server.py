"""A model server behind TLS with one answer, for the tests of certificate checks. Prints its port."""
import sys

sys.dont_write_bytecode = True
import sealed

sealed.serve(b'data: {"choices":[{"index":0,"delta":{"content":"sealed"},"finish_reason":"stop"}]}\n\n'
             b"data: [DONE]\n\n")
