"""An MCP server for tests, over standard streams. The file that it is given says what it offers and does:

{"tools": [{"name": …, "description": …, "inputSchema": …, "annotations": …, "answer": [content, …], "structured": …,
            "isError": bool, "delay": seconds, "die": "once" | "always", "ask": elicitation params, "sample": params,
            "progress": [message, …]}],
 "resources": [{"uri": …, "text": …}], "templates": [{"uriTemplate": …, "text": …}],
 "prompts": [{"name": …, "arguments": […], "texts": […]}],
 "values": {"argument": [value, …] | "never"}, which are completed by how they begin,
 "instructions": …, "startDelay": seconds, "page": tools on a page, "stderr": text, "never": true}

It is read again for every request. Every line that comes in is appended to <file>.log; a change of <file>.poke sends
list_changed for tools, prompts and resources, and resources/updated for the address in it, if any.
"""
import json
import os
import sys
import threading
import time

SPEC = sys.argv[1]
OUT = threading.Lock()
ASKED = {}


def spec():
    with open(SPEC) as file:
        return json.load(file)


def log(line):
    with open(SPEC + ".log", "a") as file:
        file.write(line + "\n")


def send(message):
    with OUT:
        try:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever asked is gone; a traceback would be the last line of the log.
            os._exit(0)


def ask(method, params):
    event = threading.Event()
    number = f"ask-{len(ASKED)}"
    ASKED[number] = [event, None]
    send({"id": number, "method": method, "params": params})
    event.wait()
    return ASKED[number][1]


def listed(request, key, all_items, fields):
    page = spec().get("page", 1000)
    begin = int((request.get("params") or {}).get("cursor") or 0)
    items = [{field: item[field] for field in fields if field in item} for item in all_items[begin : begin + page]]
    result = {key: items}
    if begin + page < len(all_items):
        result["nextCursor"] = str(begin + page)
    return result


def call(request):
    params = request["params"]
    tool = next((tool for tool in spec().get("tools", []) if tool["name"] == params["name"]), None)
    if tool is None:
        return None, {"code": -32602, "message": "Unknown tool: " + params["name"]}
    time.sleep(tool.get("delay", 0))
    if tool.get("die") == "always":
        os._exit(1)
    if tool.get("die") == "once" and not os.path.exists(SPEC + ".died"):
        open(SPEC + ".died", "w").close()
        os._exit(1)
    token = (params.get("_meta") or {}).get("progressToken")
    for number, message in enumerate(tool.get("progress", [])):
        progress = {"progressToken": token, "progress": number + 1, "total": len(tool["progress"]), "message": message}
        send({"method": "notifications/progress", "params": progress})
        time.sleep(0.05)
    content = tool.get("answer", [{"type": "text", "text": json.dumps(params.get("arguments", {}), sort_keys=True)}])
    if "ask" in tool:
        content = [{"type": "text", "text": "user: " + json.dumps(ask("elicitation/create", tool["ask"]), sort_keys=True)}]
    if "sample" in tool:
        content = [{"type": "text", "text": "model: " + json.dumps(ask("sampling/createMessage", tool["sample"]), sort_keys=True)}]
    if "roots" in tool:
        content = [{"type": "text", "text": json.dumps(ask("roots/list", {}), sort_keys=True)}]
    result = {"content": content, "isError": tool.get("isError", False)}
    if "structured" in tool:
        result["structuredContent"] = tool["structured"]
    return result, None


def initialized(request):
    given = spec()
    time.sleep(given.get("startDelay", 0))
    if given.get("never"):
        time.sleep(3600)
    result = {
        "protocolVersion": request["params"]["protocolVersion"],
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "prompts": {"listChanged": True},
        },
        "serverInfo": {"name": "fixture", "version": "1.0"},
    }
    if "values" in given:
        result["capabilities"]["completions"] = {}
    if "instructions" in given:
        result["instructions"] = given["instructions"]
    return result


def answer(request):
    method, given = request["method"], spec()
    result, error = {}, None
    if method == "initialize":
        result = initialized(request)
    elif method == "tools/list":
        fields = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"]
        tools = [{"inputSchema": {"type": "object"}, **tool} for tool in given.get("tools", [])]
        result = listed(request, "tools", tools, fields)
    elif method == "tools/call":
        result, error = call(request)
    elif method == "resources/list":
        resources = [{"name": one["uri"], **one} for one in given.get("resources", [])]
        result = listed(request, "resources", resources, ["uri", "name", "mimeType"])
    elif method == "resources/templates/list":
        templates = [{"name": one["uriTemplate"], **one} for one in given.get("templates", [])]
        result = listed(request, "resourceTemplates", templates, ["uriTemplate", "name"])
    elif method == "resources/read":
        uri = request["params"]["uri"]
        found = [one for one in given.get("resources", []) if one["uri"] == uri]
        found = found or given.get("templates", [])
        if found:
            result = {"contents": [{"uri": uri, "mimeType": "text/plain", "text": found[0]["text"]}]}
        else:
            result, error = None, {"code": -32002, "message": "Resource not found"}
    elif method == "prompts/list":
        result = listed(request, "prompts", given.get("prompts", []), ["name", "description", "arguments"])
    elif method == "prompts/get":
        prompt = next(one for one in given["prompts"] if one["name"] == request["params"]["name"])
        arguments = request["params"].get("arguments") or {}
        texts = [text.format(**arguments) for text in prompt["texts"]]
        messages = [{"role": "user", "content": {"type": "text", "text": text}} for text in texts]
        result = {"messages": messages}
    elif method == "completion/complete":
        argument = request["params"]["argument"]
        values = given.get("values", {}).get(argument["name"], [])
        if values == "never":
            return
        fitting = [value for value in values if value.lower().startswith(argument["value"].lower())]
        result = {"completion": {"values": fitting[:100], "total": len(fitting)}}
    elif method not in ("ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"):
        result, error = None, {"code": -32601, "message": "Method not found"}
    if error:
        send({"id": request["id"], "error": error})
    else:
        send({"id": request["id"], "result": result})


def poked():
    known = None
    while True:
        try:
            with open(SPEC + ".poke") as file:
                text = file.read().strip()
        except OSError:
            text = None
        if text is not None and text != known:
            known = text
            for kind in ("tools", "prompts", "resources"):
                send({"method": f"notifications/{kind}/list_changed"})
            for word in text.split():
                if "://" in word:
                    send({"method": "notifications/resources/updated", "params": {"uri": word}})
        time.sleep(0.02)


def main():
    threading.Thread(target=poked, daemon=True).start()
    if "stderr" in spec():
        sys.stderr.write(spec()["stderr"])
        sys.stderr.flush()
    log("started with " + json.dumps({key: value for key, value in os.environ.items() if key.startswith(("FIXTURE", "OAUTH"))}))
    for line in sys.stdin:
        log(line.rstrip("\n"))
        message = json.loads(line)
        if "method" in message and "id" in message:
            threading.Thread(target=answer, args=(message,), daemon=True).start()
        elif message.get("id") in ASKED:
            waiting = ASKED[message["id"]]
            waiting[1] = message.get("result", message.get("error"))
            waiting[0].set()


main()
