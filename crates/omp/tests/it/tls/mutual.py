"""A gateway behind TLS that lets in only who shows the known certificate. Speaks Anthropic's wire. Prints its port."""
import json, os, socket, ssl

here = os.path.dirname(os.path.abspath(__file__))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(here, "server.pem"), os.path.join(here, "server.key"))
context.load_verify_locations(os.path.join(here, "client.pem"))
context.verify_mode = ssl.CERT_REQUIRED
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)

EVENTS = [
    {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
     "model": "m", "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "known"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]
ANSWER = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS).encode()
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
        continue  # A client without a certificate is not let in.
