"""A scripted MCP server over HTTP. The argument names what is special about it. Prints its port."""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

mode = sys.argv[1]
other = sys.argv[2] if len(sys.argv) > 2 else ""
lock = threading.Lock()
seen = []
sessions = 0
calls = 0
streams = []
tokens = {"first": "refresh-1"}
challenge = ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def events(self, *events, **headers):
        """An event stream that ends."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        for event in events:
            self.wfile.write(event.encode())
            self.wfile.flush()
        self.close_connection = True

    def remember(self, what, **more):
        with lock:
            seen.append({"what": what, **more, "session": self.headers.get("Mcp-Session-Id"),
                "auth": self.headers.get("Authorization"), "method": self.headers.get("Mcp-Method"),
                "name": self.headers.get("Mcp-Name"), "last": self.headers.get("Last-Event-ID")})

    def do_DELETE(self):
        self.remember("DELETE")
        self.answer(200)

    def do_GET(self):
        path = urlparse(self.path).path
        self.remember("GET " + path)
        base = "http://127.0.0.1:%d" % server.server_port
        if path == "/seen":
            with lock:
                return self.answer(200, seen)
        if mode.startswith("oauth"):
            if path.startswith("/.well-known/oauth-protected-resource"):
                return self.answer(200, {"resource": base + "/mcp", "authorization_servers": [base]})
            if path.startswith("/.well-known/oauth-authorization-server"):
                issuer = "https://evil.example" if mode == "oauth-lies" else base
                return self.answer(200, {"issuer": issuer, "authorization_endpoint": base + "/authorize",
                    "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
                    "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                    "authorization_response_iss_parameter_supported": True})
        if mode == "cut" and self.headers.get("Last-Event-ID") == "7":
            ident = streams[-1]
            return self.events(message({"id": ident, "result": text("resumed")}))
        if mode == "get-500" and path == "/mcp":
            return self.answer(500, b"no stream", "text/plain")
        if mode in ("get-silent", "get-ends") and path == "/mcp":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.flush()
            time.sleep(600 if mode == "get-silent" else 0)
            self.close_connection = True
            return
        if mode.startswith("legacy") and path == "/mcp":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            where = other if mode == "legacy-elsewhere" else "/messages?id=1"
            self.wfile.write(("event: endpoint\ndata: %s\n\n" % where).encode())
            self.wfile.flush()
            with lock:
                streams.append(self.wfile)
            while True:
                time.sleep(0.2)
                try:
                    self.wfile.write(b": alive\n\n")
                    self.wfile.flush()
                except OSError:
                    return
        self.answer(405 if path == "/mcp" else 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlparse(self.path).path
        if path == "/register":
            self.remember("register")
            return self.answer(201, {"client_id": "client", "redirect_uris": json.loads(body)["redirect_uris"]})
        if path in ("/token", "/token-elsewhere"):
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            self.remember(path[1:] + " " + form["grant_type"], secret=form.get("client_secret"))
            fresh = "first" if form["grant_type"] == "authorization_code" else "second"
            tokens["valid"] = fresh
            return self.answer(200, {"access_token": fresh, "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": "refresh"})
        request = json.loads(body)
        method, ident = request.get("method"), request.get("id")
        self.remember(method or "reply")
        if mode == "legacy" and path == "/messages":
            self.answer(202)
            reply = result_of(request)
            if reply:
                with lock:
                    streams[-1].write(message(reply).encode())
                    streams[-1].flush()
            return
        if mode.startswith("legacy"):
            return self.answer(405)
        self.streamable(request, method, ident)

    def streamable(self, request, method, ident):
        global sessions, calls
        base = "http://127.0.0.1:%d" % server.server_port
        if mode == "redirect":
            return self.answer(307, Location=other)
        if mode == "redirect-inside" and self.path == "/mcp":
            return self.answer(307, Location="/moved")
        if mode == "html":
            return self.answer(200, b"<html>hello</html>", "text/html")
        if mode == "broken":
            return self.answer(503, b"down for maintenance", "text/plain")
        if mode.startswith("oauth"):
            token = (self.headers.get("Authorization") or "").replace("Bearer ", "")
            if token != tokens.get("valid"):
                where = 'Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"' % base
                return self.answer(401, {"error": "invalid_token"}, WWW_Authenticate=where)
        if mode == "stateless":
            if method == "server/discover":
                return self.answer(200, {"jsonrpc": "2.0", "id": ident, "result": {"resultType": "complete",
                    "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0,
                    "cacheScope": "private", "serverInfo": {"name": "scripted", "version": "1"}}})
        elif method == "server/discover":
            return self.answer(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "no session"}})
        if method == "initialize":
            sessions += 1
            return self.answer(200, {"jsonrpc": "2.0", **result_of(request)}, Mcp_Session_Id="s%d" % sessions)
        if ident is None:
            return self.answer(202)
        session = self.headers.get("Mcp-Session-Id")
        if method == "tools/call":
            calls += 1
            if mode == "lost" and session == "s1":
                return self.answer(404, b"no such session", "text/plain")
            if mode == "login-in-between" and calls == 2:
                return self.answer(401, WWW_Authenticate='Bearer realm="x"')
            if mode == "scope" and calls == 2:
                return self.answer(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="write"')
            if mode == "forbidden":
                return self.answer(403, b"not for you", "text/plain", Mcp_Auth_Server="https://login.example")
            if mode == "unanswered":
                log = {"method": "notifications/message", "params": {"level": "info", "data": "before"}}
                return self.events(message(log), message({"id": 4711, "result": {}}))
            if mode == "asks-first":
                return self.events(message({"id": "r", "method": "ping"}), message(result_of(request)),
                    message({"method": "notifications/message", "params": {"level": "info", "data": "after"}}))
            if mode == "large":
                return self.answer(200, b'{"x":"' + b"x" * (20 << 20) + b'"}')
            if mode == "large-event":
                return self.events("data: " + "x" * (20 << 20) + "\n\n")
            if mode == "events":
                log = {"method": "notifications/message", "params": {"level": "info", "data": "before"}}
                return self.events(": hello\n\n", message(log), "event: message\ndata: not json\n\n",
                    message({"id": 4711, "result": {}}), message(result_of(request)))
            if mode == "cut":
                with lock:
                    streams.append(ident)
                return self.events("id: 7\nretry: 10\ndata:\n\n")
        self.answer(200, {"jsonrpc": "2.0", **result_of(request)})


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def message(content):
    return "event: message\ndata: %s\n\n" % json.dumps({"jsonrpc": "2.0", **content})


def result_of(request):
    method, ident = request.get("method"), request.get("id")
    if method == "initialize":
        version = "2024-11-05" if mode.startswith("legacy") else request["params"]["protocolVersion"]
        return {"id": ident, "result": {"protocolVersion": version, "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"}}}
    if method == "tools/list":
        return {"id": ident, "result": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}}
    if method == "tools/call":
        return {"id": ident, "result": {**text("echo"), "resultType": "complete"}}
    if ident is not None:
        return {"id": ident, "error": {"code": -32601, "message": "Method not found"}}
    return None


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
