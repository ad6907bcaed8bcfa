"""A server behind TLS that answers every request with the same stream. Prints its port."""
import os, socket, ssl

here = os.path.dirname(os.path.abspath(__file__))
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"


def serve(answer, client_certificate=None):
    """Answers until it is ended; with a certificate, only those who show it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(here, "server.pem"), os.path.join(here, "server.key"))
    if client_certificate:
        context.load_verify_locations(os.path.join(here, client_certificate))
        context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        plain, _ = listener.accept()
        try:
            with context.wrap_socket(plain, server_side=True) as client:
                read_request(client)
                client.sendall(HEAD % len(answer) + answer)
        except OSError:
            continue  # A client that does not trust us hangs up; one without a certificate is not let in.


def read_request(client):
    request = b""
    while b"\r\n\r\n" not in request:
        request += client.recv(65536)
    head, body = request.split(b"\r\n\r\n", 1)
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        body += client.recv(65536)
