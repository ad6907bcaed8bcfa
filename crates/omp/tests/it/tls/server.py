"""A model server behind TLS with one answer, for the tests of certificate checks. Prints its port."""
import os, socket, ssl, sys

here = os.path.dirname(os.path.abspath(__file__))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(here, "server.pem"), os.path.join(here, "server.key"))
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)

ANSWER = (b'data: {"choices":[{"index":0,"delta":{"content":"sealed"},"finish_reason":"stop"}]}\n\n'
          b"data: [DONE]\n\n")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"

while True:
    plain, _ = listener.accept()
    try:
        with context.wrap_socket(plain, server_side=True) as client:
            request = b""
            while b"\r\n\r\n" not in request:
                request += client.recv(65536)
            head, body = request.split(b"\r\n\r\n", 1)
            length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
            while len(body) < length:
                body += client.recv(65536)
            client.sendall(HEAD % len(ANSWER) + ANSWER)
    except OSError:
        continue  # A client that does not trust us hangs up.
