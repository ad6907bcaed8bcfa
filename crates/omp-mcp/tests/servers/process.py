"""A scripted MCP server over standard streams. The argument names what is wrong with it; "good" is nothing."""
import json
import os
import sys
import time

mode = sys.argv[1] if len(sys.argv) > 1 else "good"
state = sys.argv[2] if len(sys.argv) > 2 else None


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(method, **params):
    send({"method": method, "params": params})


def count():
    """How often this server was started, if it keeps count."""
    if not state:
        return 0
    with open(state, "a") as file:
        file.write("x")
    return os.path.getsize(state)


OBJECT = {"type": "object", "properties": {}}
OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def tool(name, **more):
    return {"name": name, "description": "d", "inputSchema": OBJECT, **more}


def tools():
    if mode == "schemas":
        return [
            tool("loop", outputSchema={"$ref": "#"}),
            tool("broken", outputSchema={"type": 5}),
            tool("remote", outputSchema={"$ref": "https://example.com/x"}),
            tool("huge", outputSchema={"type": "object", "description": "x" * 300000}),
        ]
    if mode == "names":
        return [
            tool("fine"), tool(""), tool("red\x1b[31m"), tool("x" * 300), {"name": 5}, {"nothing": True},
            tool("my.tool"), tool("my-tool"),
        ]
    return [tool("echo"), tool("slow"), tool("number", outputSchema=OUTPUT), tool("wrong", outputSchema=OUTPUT)]


started = count()
if mode == "garbage":
    print("Server listening on stdio...")
    print("\x1b[31mWARNING\x1b[0m {not json")
    print("[1, 2")
    sys.stdout.buffer.write(b"\xff\xfe\x00\n")
    sys.stdout.flush()
if mode == "exits":
    print("the configuration is missing", file=sys.stderr)
    sys.exit(3)
if mode == "forks":
    if os.fork():
        time.sleep(0.2)
        os._exit(0)
    time.sleep(600)
if mode == "silent":
    time.sleep(600)
if mode == "stderr":
    for number in range(20000):
        print("complaint %d %s" % (number, "y" * 80), file=sys.stderr)

listed = 0
pages = {None: 0, "1": 1, "2": 2}
pending = []


def replies(count):
    """Replies to requests of ours, by id. Other messages are handled meanwhile."""
    found = {}
    while len(found) < count:
        message = json.loads(sys.stdin.readline())
        if "method" in message:
            handle(message)
        else:
            found[message["id"]] = message.get("result", message.get("error"))
    return found


def handle(message):
    global listed, mode
    method, ident, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "server/discover":
        if mode == "dies-at-discover":
            sys.exit(1)
        if mode in ("stateless", "tasks", "asks-again", "hints"):
            send({"id": ident, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "serverInfo": {"name": "scripted", "version": "1"}, "ttlMs": 0,
                "cacheScope": "private"}})
        elif mode != "never-discovers":
            send({"id": ident, "error": {"code": -32601, "message": "Method not found"}})
    elif method == "initialize":
        version = "2024-11-05" if mode == "old" else params["protocolVersion"]
        send({"id": ident, "result": {"protocolVersion": version,
            "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {}},
            "serverInfo": {"name": "scripted", "version": "1"}, "instructions": "be nice"}})
    elif method == "tools/list":
        listed += 1
        if mode == "pages":
            page = pages[params.get("cursor")]
            result = {"tools": [tool("t%d" % page)]}
            if page < 2:
                result["nextCursor"] = str(page + 1)
            send({"id": ident, "result": result})
        elif mode == "hints":
            send({"id": ident, "result": {"tools": [tool("t%d" % listed)], "ttlMs": 10, "cacheScope": "private",
                "resultType": "complete"}})
        elif mode == "endless":
            send({"id": ident, "result": {"tools": [tool("t%d" % listed)], "nextCursor": "c%d" % listed}})
        elif mode == "changes":
            send({"id": ident, "result": {"tools": [tool("t%d" % listed)]}})
            if listed == 1:
                note("notifications/tools/list_changed")
                note("notifications/tools/list_changed")
        else:
            send({"id": ident, "result": {"tools": tools()}})
    elif method == "resources/list":
        send({"id": ident, "result": {"resources": [{"uri": "test://a", "name": "a"}]}})
    elif method == "resources/templates/list":
        send({"id": ident, "error": {"code": -32601, "message": "Method not found"}})
    elif method == "prompts/list":
        send({"id": ident, "result": {"prompts": [{"name": "p", "arguments": [{"name": "x", "required": True}]}]}})
    elif method == "prompts/get":
        send({"id": ident, "result": {"messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}]}})
    elif method == "resources/read":
        send({"id": ident, "result": {"contents": [{"uri": "test://a", "text": "body"}]}})
    elif method == "notifications/cancelled":
        # An answer that nobody waits for any more.
        send({"id": params.get("requestId"), "result": {"content": [{"type": "text", "text": "too late"}]}})
        pending.append(params.get("requestId"))
    elif method == "tasks/get":
        now = "2026-11-18T00:00:00Z"
        task = {"taskId": "t1", "createdAt": now, "lastUpdatedAt": now, "ttlMs": None, "pollIntervalMs": 20}
        pending.append("asked")
        done = {"status": "completed", "result": {"content": [{"type": "text", "text": "done in time"}]}}
        rest = done if len(pending) > 2 and state is None else {"status": "working"}
        send({"id": ident, "result": {"resultType": "complete", **task, **rest}})
    elif method == "tasks/cancel":
        with open(state, "a") as file:
            file.write("cancelled " + params["taskId"])
        send({"id": ident, "result": {"resultType": "complete"}})
    elif method == "tools/call":
        name = params["name"]
        answer = {"id": ident, "result": {"content": [{"type": "text", "text": name}]}}
        if mode == "large":
            sys.stdout.write('{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"')
            for _ in range(100):
                sys.stdout.write("x" * 1000000)
            sys.stdout.write('"}]},"id":%d}\n' % ident)
            sys.stdout.flush()
            mode = "good"
        elif mode == "deaf":
            os.close(0)
            time.sleep(600)
        elif mode == "asks-again":
            pending.append(params.get("requestState"))
            ask = {"method": "elicitation/create", "params": {"mode": "form", "message": "Again?",
                "requestedSchema": {"type": "object", "properties": {}}}}
            send({"id": ident, "result": {"resultType": "input_required", "inputRequests": {"q": ask},
                "requestState": "round %d" % len(pending)}})
        elif mode == "tasks":
            now = "2026-11-18T00:00:00Z"
            task = {"taskId": "t1", "createdAt": now, "lastUpdatedAt": now, "ttlMs": None, "pollIntervalMs": 20}
            send({"id": ident, "result": {"resultType": "task", **task, "status": "working"}})
        elif mode == "half":
            sys.stdout.write('{"jsonrpc":"2.0","id":%d,"res' % ident)
            sys.stdout.flush()
        elif mode == "ids":
            send({"id": 9999, "result": {"content": []}})
            send({"id": "nobody", "result": {"content": []}})
            send({"id": None, "error": {"code": -1, "message": "?"}})
            send(answer)
            send(answer)
            send({"id": ident, "error": {"code": -1, "message": "again"}})
        elif mode == "flood":
            token = params["_meta"]["progressToken"]
            for number in range(20000):
                note("notifications/progress", progressToken=token, progress=number)
            send(answer)
        elif mode == "samples":
            for number in range(60):
                send({"id": "s%d" % number, "method": "sampling/createMessage",
                    "params": {"messages": [], "maxTokens": 5}})
            refused = sum("code" in reply for reply in replies(60).values())
            send({"id": ident, "result": {"content": [{"type": "text", "text": "refused %d" % refused}]}})
        elif mode == "elicits":
            send({"id": "e", "method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {
                "type": "object", "properties": {"name": {"type": "string"}}}}})
            send({"id": ident, "result": {"content": [{"type": "text", "text": json.dumps(replies(1)["e"])}]}})
        elif mode == "dies" or (mode == "dies-once" and started == 1):
            sys.exit(7)
        elif mode == "roots":
            send({"id": "r", "method": "roots/list"})
            send({"id": "p", "method": "ping"})
            send({"id": "u", "method": "unknown/method"})
            send({"id": ident, "result": {"content": [{"type": "text", "text": json.dumps(replies(3))}]}})
        elif name == "slow":
            token = params["_meta"]["progressToken"]
            note("notifications/progress", progressToken=token, progress=1, total=2, message="half")
        elif name == "number":
            send({"id": ident, "result": {"content": [{"type": "text", "text": '{"n": 5}'}], "structuredContent": {"n": 5}}})
        elif name == "wrong":
            send({"id": ident, "result": {"content": [], "structuredContent": {"n": "five"}}})
        elif name == "cancelled":
            send({"id": ident, "result": {"content": [{"type": "text", "text": json.dumps(pending)}]}})
        elif name == "environment":
            text = json.dumps({key: os.environ.get(key) for key in params["arguments"]["names"]})
            send({"id": ident, "result": {"content": [{"type": "text", "text": text + " " + os.getcwd()}]}})
        elif name == "broken":
            send({"id": ident, "error": {"code": -32000, "message": "it is broken"}})
        else:
            send(answer)


while True:
    line = sys.stdin.readline()
    if not line:
        break
    try:
        message = json.loads(line)
    except ValueError:
        continue
    handle(message)

if mode == "ignores":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
