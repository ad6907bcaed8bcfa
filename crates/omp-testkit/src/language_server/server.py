"""A language server that does what its script says and complains about every rule a client breaks.

Usage: <program> [arguments]; `<program>.json` is the script, `<program>.log` gets one JSON line for each event. What the
script may hold is in the documentation of the Rust module beside this file.
"""
import json
import os
import sys
import threading
import time

HERE = os.path.abspath(sys.argv[0])
with open(HERE + ".json", encoding="utf-8") as file:
    SCRIPT = json.load(file)
LOG = open(HERE + ".log", "a", encoding="utf-8")
LOCK = threading.Lock()
OPEN = {}
PUBLISHED = {}
COUNTS = {}
STATE = {"step": "new", "last_id": 0, "next_id": 1, "asked": {}, "root": "", "abilities": {}}
PROVIDERS = ["definition", "typeDefinition", "implementation", "references", "hover", "documentSymbol",
             "workspaceSymbol", "rename", "codeAction", "documentFormatting"]
DEFAULTS = {name + "Provider": True for name in PROVIDERS}
DEFAULTS["textDocumentSync"] = {"openClose": True, "change": 2, "save": True}
CAPABILITIES = {**DEFAULTS, **SCRIPT.get("capabilities", {})}


def log(**event):
    with LOCK:
        LOG.write(json.dumps(event) + "\n")
        LOG.flush()


def violation(text):
    log(violation=text)


def check(truth, text):
    if not truth:
        violation(text)
    return truth


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).replace("${root}", STATE["root"]).encode()
    with LOCK:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()


def receive():
    header = b""
    while not header.endswith(b"\r\n\r\n"):
        byte = sys.stdin.buffer.read(1)
        if not byte:
            return None
        header += byte
    lines = header[:-4].split(b"\r\n")
    if not check(len(lines) == 1 and lines[0].startswith(b"Content-Length: "), f"header {header!r}"):
        return None
    length = int(lines[0].split(b": ")[1])
    body = sys.stdin.buffer.read(length)
    check(len(body) == length, "a body that is shorter than announced")
    return json.loads(body)


def units(text):
    encoding = CAPABILITIES.get("positionEncoding", "utf-16")
    return len(text.encode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding])) \
        // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]


def check_position(uri, position, method):
    lines = OPEN[uri]["text"].replace("\r\n", "\n").split("\n")
    line, character = position["line"], position["character"]
    if check(0 <= line < len(lines), f"{method}: line {line} of {len(lines)}"):
        check(0 <= character <= units(lines[line]), f"{method}: character {character} in {lines[line]!r}")


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.005)


def later(seconds, file, action):
    def run():
        time.sleep(seconds)
        if file:
            wait_for(file)
        action()
    threading.Thread(target=run, daemon=True).start()


def findings(text):
    found = []
    for number, line in enumerate(text.split("\n")):
        for rule in SCRIPT.get("rules", []):
            at = line.find(rule["word"])
            if at >= 0:
                start = {"line": number, "character": units(line[:at])}
                end = {"line": number, "character": units(line[:at + len(rule["word"])])}
                extra = {key: value for key, value in rule.items() if key != "word"}
                found.append({"range": {"start": start, "end": end}, "severity": 1, **extra})
    return found


def publish(uri):
    how = SCRIPT.get("publish", "versioned")
    document = OPEN.get(uri)
    if how == "never" or document is None:
        return
    message = {"uri": uri, "diagnostics": findings(document["text"])}
    versioned = {**message, "version": document["version"]}
    out = lambda params: send({"method": "textDocument/publishDiagnostics", "params": params})
    if how == "stale-first":
        stale = [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                  "severity": 1, "message": "stale"}]
        out({"uri": uri, "diagnostics": stale, "version": document["version"] - 1})
        later(0.05, None, lambda: out(versioned))
    elif how == "twice":
        out({"uri": uri, "diagnostics": []})
        later(0.02, None, lambda: out(message))
    elif how == "unversioned":
        out(message)
    elif how == "hasty":
        status = lambda word: send({"method": "textDocument/clangd.fileStatus", "params": {"uri": uri, "state": word}})
        status("parsing includes")
        out({**versioned, "diagnostics": []})
        later(0.3, None, lambda: (out(versioned), status("idle")))
    elif how == "slowly":
        later(0.6, None, lambda: out(message))
    elif how == "once-a-text":
        if PUBLISHED.get(uri) != document["text"]:
            PUBLISHED[uri] = document["text"]
            out(versioned)
    elif isinstance(how, dict):
        # A file opens the gate; until then only texts without the word are answered.
        if how.get("unless", "\0") in document["text"]:
            later(0, how["file"], lambda: out(versioned))
        else:
            out(versioned)
    else:
        out(versioned)


def perform(steps):
    for step in steps:
        if "sleep_ms" in step:
            time.sleep(step["sleep_ms"] / 1000)
        elif "wait_for" in step:
            wait_for(step["wait_for"])
        elif "stderr" in step:
            sys.stderr.write(step["stderr"])
            sys.stderr.flush()
        elif "exit" in step:
            os._exit(step["exit"])
        elif "raw" in step:
            with LOCK:
                for _ in range(step.get("times", 1)):
                    sys.stdout.buffer.write(step["raw"].encode())
                sys.stdout.buffer.flush()
        elif "notify" in step:
            for _ in range(step.get("times", 1)):
                send({"method": step["notify"], "params": step.get("params")})
        elif "request" in step:
            identity = f"s{STATE['next_id']}"
            STATE["next_id"] += 1
            STATE["asked"][identity] = step["request"]
            watching_asked(identity, step)
            send({"id": identity, "method": step["request"], "params": step.get("params")})
            if step.get("wait"):
                while identity in STATE["asked"]:
                    handle(receive())
        elif "background" in step:
            steps_of_its_own = step["background"]
            later(0, None, lambda: perform(steps_of_its_own))


def scripted(method):
    answers = SCRIPT.get("answers", {}).get(method)
    if isinstance(answers, list):
        count = COUNTS.get(method, 0)
        COUNTS[method] = count + 1
        return answers[min(count, len(answers) - 1)]
    return answers


def answer(message):
    method, params, identity = message["method"], message.get("params"), message["id"]
    planned = scripted(method)
    if planned is None:
        if method in ("shutdown",):
            send({"id": identity, "result": None})
        else:
            send({"id": identity, "error": {"code": -32601, "message": f"Unhandled method {method}"}})
        return
    perform(planned.get("first", []))
    if planned.get("hang"):
        return
    if planned.get("echo"):
        send({"id": identity, "result": params})
    elif "error" in planned:
        send({"id": identity, "error": planned["error"]})
    else:
        send({"id": identity, "result": planned.get("result")})
    perform(planned.get("then", []))


def on_request(message):
    method, params = message["method"], message.get("params") or {}
    identity = message["id"]
    check(isinstance(identity, int) and identity > STATE["last_id"], f"{method}: the id {identity!r} is not a new one")
    STATE["last_id"] = identity if isinstance(identity, int) else STATE["last_id"]
    if STATE["step"] == "new":
        check(method == "initialize", f"{method} before initialize")
        check(isinstance(params.get("processId"), int), "initialize: processId")
        check((params.get("rootUri") or "").startswith("file:///"), "initialize: rootUri")
        check(params.get("workspaceFolders", [{}])[0].get("uri") == params.get("rootUri"), "initialize: workspaceFolders")
        check("utf-16" in params["capabilities"]["general"]["positionEncodings"], "initialize: positionEncodings")
        check(params.get("initializationOptions", {}) is not None, "initialize: initializationOptions is null")
        STATE["root"], STATE["abilities"] = params["rootUri"], params["capabilities"]
        STATE["step"] = "initializing"
        perform(SCRIPT.get("before_initialize", []))
        send({"id": identity, "result": {"capabilities": CAPABILITIES}})
        return
    check(STATE["step"] == "ready", f"{method} in the step {STATE['step']}")
    if method == "shutdown":
        STATE["step"] = "shut"
    document = params.get("textDocument") if isinstance(params, dict) else None
    if method.startswith("textDocument/") and check(isinstance(document, dict), f"{method}: no textDocument"):
        uri = document.get("uri")
        if check(uri in OPEN, f"{method}: {uri} is not open"):
            if "position" in params:
                check_position(uri, params["position"], method)
            if "range" in params:
                check_position(uri, params["range"]["start"], method)
                check_position(uri, params["range"]["end"], method)
    if method == "textDocument/rename":
        check(params.get("newName"), "rename: no newName")
    if method == "textDocument/codeAction":
        check(isinstance(params.get("context", {}).get("diagnostics"), list), "codeAction: no diagnostics")
    if method == "textDocument/formatting":
        options = params.get("options", {})
        check(isinstance(options.get("tabSize"), int) and isinstance(options.get("insertSpaces"), bool), "formatting: options")
    if method == "textDocument/references":
        check("includeDeclaration" in params.get("context", {}), "references: no context")
    if method == "textDocument/diagnostic" and "textDocument/diagnostic" not in SCRIPT.get("answers", {}):
        text = OPEN.get(document.get("uri"), {"text": ""})["text"]
        send({"id": identity, "result": {"kind": "full", "items": findings(text)}})
        return
    answer(message)


def on_notification(message):
    method, params = message["method"], message.get("params") or {}
    if method == "initialized":
        check(STATE["step"] == "initializing", f"initialized in the step {STATE['step']}")
        STATE["step"] = "ready"
        perform(SCRIPT.get("after_initialized", []))
        return
    if method == "exit":
        check(STATE["step"] == "shut", "exit before shutdown")
        log(exit=True)
        os._exit(0)
    check(STATE["step"] == "ready", f"{method} in the step {STATE['step']}")
    document = params.get("textDocument", {})
    uri = document.get("uri")
    if method == "textDocument/didOpen":
        check(uri not in OPEN, f"{uri} is opened twice")
        check(document.get("languageId") and isinstance(document.get("version"), int), "didOpen: languageId, version")
        OPEN[uri] = {"version": document["version"], "text": document["text"]}
        publish(uri)
    elif method == "textDocument/didChange":
        if check(uri in OPEN, f"didChange: {uri} is not open"):
            check(document["version"] > OPEN[uri]["version"], f"didChange: version {document['version']} is not newer")
            changes = params["contentChanges"]
            check(len(changes) == 1 and "range" not in changes[0], "didChange: not the whole text")
            OPEN[uri] = {"version": document["version"], "text": changes[0]["text"]}
            publish(uri)
    elif method == "textDocument/didSave":
        check(uri in OPEN, f"didSave: {uri} is not open")
    elif method == "textDocument/didClose":
        if check(uri in OPEN, f"didClose: {uri} is not open"):
            del OPEN[uri]
    elif method == "workspace/didChangeConfiguration":
        check("settings" in params, "didChangeConfiguration: no settings")
    elif method == "workspace/didChangeWatchedFiles":
        check_watched(params)


def handle(message):
    if message is None:
        log(eof=True)
        os._exit(0)
    log(received=message)
    check(message.get("jsonrpc") == "2.0", "no jsonrpc: 2.0")
    if "method" in message and "id" in message:
        on_request(message)
    elif "method" in message:
        on_notification(message)
    else:
        method = STATE["asked"].pop(message.get("id"), None)
        check(method is not None, f"an answer to {message.get('id')!r}, which nobody asked")
        watching_answered(method, message)


log(start=sys.argv[1:], pid=os.getpid(), cwd=os.getcwd())
while True:
    handle(receive())
