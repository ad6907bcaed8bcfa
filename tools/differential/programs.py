"""Both programs as a user runs them: a home of its own, a server that plays a script, one `-p` run, what the server was sent."""
import concurrent.futures, json, os, pathlib, subprocess, sys, tempfile

import frame, scripted

# The package is the one of the area `sessions`.
PACKAGE = "sessions"
WHO = ("ours", "theirs")
# Tools with one meaning and two names.
SAME_TOOL = {"glob": "find", "grep": "search"}
TIME = 300
WORKERS = 2


class Programs:
    def __init__(self, options):
        sets = frame.installed(PACKAGE, options)
        package = sets[PACKAGE] / "node_modules/@oh-my-pi/pi-coding-agent/src/cli.ts"
        self.commands = {"ours": [ours()], "theirs": [frame.bun(sets), str(package)]}

    def all(self, cases):
        """What became of each case, on each wire: `(case, api, {who: run})`."""
        work = [(case, api) for case in cases for api in scripted.APIS]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            runs = pool.map(lambda one: {who: self.run(who, *one) for who in WHO}, work)
            yield from ((case, api, run) for (case, api), run in zip(work, runs))

    def run(self, who, case, api):
        """One run. `case` has `files` (below the home), `model`, `provider`, `settings`, `arguments`, `cwd`, `replies`."""
        server = scripted.Server()
        try:
            with tempfile.TemporaryDirectory() as place:
                home = pathlib.Path(place).resolve()
                furnish(home, case, api, server.address)
                server.play(case.get("replies", []))
                command = self.commands[who] + ["-p", "--model", "local/m", *case["arguments"]]
                environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home / "tmp"), "TZ": "UTC"}
                done = subprocess.run(command, cwd=home / case.get("cwd", "work"), env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIME)
                requests = [{**request, "body": placeless(request["body"], home)} for request in server.requests]
                return {"requests": requests, "strange": server.strange, "exit": done.returncode, "output": done.stdout}
        finally:
            server.close()


def ours():
    if subprocess.run(["cargo", "build", "--quiet", "-p", "omp"], cwd=frame.ROOT).returncode != 0:
        sys.exit("differential: could not build omp")
    found = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=frame.ROOT, stdout=subprocess.PIPE, text=True)
    return str(pathlib.Path(json.loads(found.stdout)["target_directory"]) / "debug" / "omp")


def furnish(home, case, api, address):
    """JSON is YAML."""
    model = {"id": "m", "name": "m", "input": ["text"], "contextWindow": 200000, "maxTokens": 8000, "reasoning": True,
             "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, **case.get("model", {})}
    base = address if api == "anthropic-messages" else address + "/v1"
    provider = {"baseUrl": base, "api": api, "apiKey": "the-key", **case.get("provider", {}), "models": [model]}
    settings = {"retry": {"baseDelayMs": 1}, **case.get("settings", {})}
    files = {".omp/agent/models.yml": json.dumps({"providers": {"local": provider}}), ".omp/agent/config.yml": json.dumps(settings),
             "work/.git/HEAD": "ref: refs/heads/main\n", "tmp/.keep": "", **case.get("files", {})}
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")


def placeless(body, home):
    return json.loads(json.dumps(body).replace(json.dumps(str(home))[1:-1], "HOME"))


def tool_name(name):
    """The original writes tools with an underscore where it passes for another program."""
    name = name.removeprefix("_")
    return SAME_TOOL.get(name, name)


def tools(body):
    return sorted(tool_name(tool.get("name") or tool["function"]["name"]) for tool in body.get("tools", []))


def system(api, body):
    """Everything that stands before the conversation, as one text."""
    if api == "anthropic-messages":
        blocks = body.get("system", [])
        return blocks if isinstance(blocks, str) else "\n".join(block["text"] for block in blocks)
    if api == "openai-responses":
        return body.get("instructions") or ""
    return "\n".join(text(message["content"]) for message in body["messages"] if message["role"] in ("system", "developer"))


def text(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", f"[{part.get('type')}]") for part in content or [])


def rows(api, body):
    """The conversation in one form for all wires: `[role, "text", text]`, `["assistant", "thinking", text, signature]`,
    `["assistant", "call", id, name, arguments]`, `["result", id, failed, text]`."""
    return list({"anthropic-messages": anthropic, "openai-completions": chat, "openai-responses": responses}[api](body))


def anthropic(body):
    for message in body["messages"]:
        content, role = message["content"], message["role"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            kind = block["type"]
            if kind == "text":
                yield [role, "text", block["text"]]
            elif kind == "thinking":
                yield [role, "thinking", block["thinking"], block.get("signature")]
            elif kind == "tool_use":
                yield [role, "call", block["id"], tool_name(block["name"]), block["input"]]
            elif kind == "tool_result":
                yield ["result", block["tool_use_id"], block.get("is_error", False), text(block.get("content", ""))]
            else:
                yield [role, kind]


def chat(body):
    for message in body["messages"]:
        role = message["role"]
        if role in ("system", "developer"):
            continue
        if role == "tool":
            yield ["result", message["tool_call_id"], None, text(message["content"])]
            continue
        for field in ("reasoning_content", "reasoning", "reasoning_text"):
            if message.get(field):
                yield [role, "thinking", message[field], field]
        if message.get("content"):
            yield [role, "text", text(message["content"])]
        for call in message.get("tool_calls") or []:
            yield [role, "call", call["id"], tool_name(call["function"]["name"]), json.loads(call["function"]["arguments"])]


def responses(body):
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "message":
            yield [item["role"], "text", text(item["content"])]
        elif kind == "reasoning":
            yield ["assistant", "thinking", text(item.get("summary")), item.get("encrypted_content")]
        elif kind == "function_call":
            yield ["assistant", "call", item["call_id"], tool_name(item["name"]), json.loads(item["arguments"])]
        elif kind == "function_call_output":
            yield ["result", item["call_id"], None, text(item["output"])]
        else:
            yield ["assistant", kind]


def shown(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def compare(report, case, api, values):
    """A record for each aspect of a case. Requests that only one of the two made have nothing to be compared with."""
    both = [aspect for aspect in values["ours"] if aspect in values["theirs"]]
    for aspect in both:
        mine, theirs = (shown(values[who][aspect]) for who in WHO)
        report.add({"class": "same" if mine == theirs else "different", "case": case["name"], "wire": api, "aspect": aspect,
                    "ours": mine, "theirs": theirs})
