"""A model server that plays a script on three wires and keeps what it was sent.

A reply is a list of parts: `["text", text]`, `["thinking", text, signature]`, `["call", id, name, arguments]` or
`["error", status, message]`, which stands alone. Requests beyond the script are answered with the text `done`.
"""
import http.server, json, threading

APIS = ("anthropic-messages", "openai-completions", "openai-responses")
USAGE = 100


class Server:
    """Listens on a port of its own until it is closed."""

    def __init__(self):
        self.replies, self.requests, self.strange = [], [], []
        handler = type("Handler", (Handler,), {"owner": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.http.daemon_threads = True
        self.lock = threading.Lock()
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.http.server_port}"

    def play(self, replies):
        """Begins a conversation anew."""
        with self.lock:
            self.replies, self.requests, self.strange = list(replies), [], []

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def take(self, path, headers, body):
        """The next reply, with the names by which the request offers its tools."""
        with self.lock:
            self.requests.append({"path": path, "headers": headers, "body": body})
            reply = self.replies.pop(0) if self.replies else [["text", "done"]]
        offered = [tool.get("name") or tool["function"]["name"] for tool in body.get("tools", [])]
        name = lambda known: "_" + known if known not in offered and "_" + known in offered else known
        return [["call", part[1], name(part[2]), part[3]] if part[0] == "call" else part for part in reply]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.owner.strange.append(f"GET {self.path}")
        self.answer(404, "application/json", b"{}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        wire = next((api for api, end in ENDS.items() if self.path.split("?")[0].endswith(end)), None)
        if wire is None:
            self.owner.strange.append(f"POST {self.path}")
            return self.answer(404, "application/json", b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.owner.take(self.path, headers, json.loads(body))
        if reply[0][0] == "error":
            _, status, message = reply[0]
            fault = {"type": "error", "error": {"type": "api_error", "message": message}}
            return self.answer(status, "application/json", json.dumps(fault).encode())
        self.answer(200, "text/event-stream", RENDER[wire](reply).encode())

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ENDS = {"anthropic-messages": "/messages", "openai-completions": "/chat/completions", "openai-responses": "/responses"}


def named(events):
    """Events with their types as names."""
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def anthropic(reply):
    usage = {"input_tokens": USAGE, "output_tokens": 10}
    events = [{"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
                                                    "stop_reason": None, "stop_sequence": None, "usage": usage}}]
    for index, (kind, *part) in enumerate(reply):
        if kind == "text":
            start, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": part[0]}]
        elif kind == "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": part[0]}, {"type": "signature_delta", "signature": part[1]}]
        else:
            start = {"type": "tool_use", "id": part[0], "name": part[1], "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(part[2])}]
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    stop = "tool_use" if any(part[0] == "call" for part in reply) else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 10}})
    return named(events + [{"type": "message_stop"}])


def chat(reply):
    chunks, calls = [], 0
    for kind, *part in reply:
        if kind == "text":
            chunks.append({"content": part[0]})
        elif kind == "thinking":
            chunks.append({"reasoning_content": part[0]})
        else:
            function = {"name": part[1], "arguments": json.dumps(part[2])}
            chunks.append({"tool_calls": [{"index": calls, "id": part[0], "type": "function", "function": function}]})
            calls += 1
    stop = "tool_calls" if calls else "stop"
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choice = lambda delta, reason: {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    events = [choice({"role": "assistant", **chunk}, None) for chunk in chunks] + [choice({}, stop)]
    events.append({**base, "choices": [], "usage": {"prompt_tokens": USAGE, "completion_tokens": 10, "total_tokens": USAGE + 10}})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def responses(reply):
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "in_progress", "output": []}
    events, output = [{"type": "response.created", "response": head}], []
    for index, (kind, *part) in enumerate(reply):
        at = {"output_index": index}
        if kind == "text":
            item = {"type": "message", "id": f"msg_{index}", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": part[0], "annotations": []}]}
            here = {**at, "item_id": item["id"], "content_index": 0}
            events += [{"type": "response.output_item.added", **at, "item": {**item, "status": "in_progress", "content": []}},
                       {"type": "response.content_part.added", **here, "part": {"type": "output_text", "text": "", "annotations": []}},
                       {"type": "response.output_text.delta", **here, "delta": part[0]},
                       {"type": "response.output_text.done", **here, "text": part[0]},
                       {"type": "response.content_part.done", **here, "part": item["content"][0]}]
        elif kind == "thinking":
            item = {"type": "reasoning", "id": f"rs_{index}", "summary": [{"type": "summary_text", "text": part[0]}], "encrypted_content": part[1]}
            here = {**at, "item_id": item["id"], "summary_index": 0}
            events += [{"type": "response.output_item.added", **at, "item": {**item, "summary": []}},
                       {"type": "response.reasoning_summary_part.added", **here, "part": {"type": "summary_text", "text": ""}},
                       {"type": "response.reasoning_summary_text.delta", **here, "delta": part[0]},
                       {"type": "response.reasoning_summary_text.done", **here, "text": part[0]},
                       {"type": "response.reasoning_summary_part.done", **here, "part": item["summary"][0]}]
        else:
            text = json.dumps(part[2])
            item = {"type": "function_call", "id": f"fc_{index}", "call_id": part[0], "name": part[1], "arguments": text, "status": "completed"}
            here = {**at, "item_id": item["id"]}
            events += [{"type": "response.output_item.added", **at, "item": {**item, "status": "in_progress", "arguments": ""}},
                       {"type": "response.function_call_arguments.delta", **here, "delta": text},
                       {"type": "response.function_call_arguments.done", **here, "arguments": text}]
        events.append({"type": "response.output_item.done", **at, "item": item})
        output.append(item)
    usage = {"input_tokens": USAGE, "output_tokens": 10, "total_tokens": USAGE + 10, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    events.append({"type": "response.completed", "response": {**head, "status": "completed", "output": output, "usage": usage}})
    return named([{**event, "sequence_number": number} for number, event in enumerate(events)])


RENDER = {"anthropic-messages": anthropic, "openai-completions": chat, "openai-responses": responses}
