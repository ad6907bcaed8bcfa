"""What each example is made to do, and what shows that it did.

Steps: `> text` types a line, `key NAME` presses a key, `see TEXT` waits until it is on the terminal, `raw TEXT` until it was written with
escape sequences, `sent TEXT` until a request to the model has it, `result TEXT` the same in the result of a call, `file PATH: TEXT` until
a file has it, `gone` until omp has ended. `write PATH: TEXT` writes a file. `what` says which part of the extension that was.
"""


def text(words):
    return [["text", words]]


def call(tool, /, **arguments):
    return [["call", "call_1", tool, {"_i": "as asked", **arguments}]]


def case(what, *steps, replies=(), arguments=(), files=None, settings="", ends=False):
    """`ends`: the extension is over at the end, and should be."""
    return {"what": what, "ends": ends, "steps": steps, "replies": list(replies), "arguments": list(arguments), "files": files or {}, "settings": settings}


def tool(tool, result, /, *more, arguments=(), **given):
    """The model calls a tool, and reads its result."""
    return case(f"tool {tool}", "> go", f"result {result}", "see all is well", *more, replies=[call(tool, **given), text("all is well")],
                arguments=arguments)


def shown(command, *texts, what=None, **more):
    return case(what or f"command {command.split()[0]}", f"> {command}", *(f"see {text}" for text in texts), **more)


TURN = ("> go", "see all is well")
WELL = [text("all is well")]
GONE = ("key C-c", "key C-c", "gone")
DANGER = call("bash", command="rm -rf build")
GUARD = case("event tool_call", "> go", "see Allow?", "key Down", "key Enter", "result locked", replies=[DANGER, *WELL])
PROTECTED = case("event tool_call", "> go", "result rotected", replies=[call("write", path=".env", content="A=1\n"), *WELL])
COMMITS = case("event session_shutdown", *TURN, *GONE, "file .git/logs/HEAD: all is well", replies=WELL, files={"new.txt": "new\n"})
CLEARS = case("event session_before_switch", *TURN, "> /new", "see Clear session?", replies=WELL)
DIRTY = case("event session_before_switch", *TURN, "> /new", "see uncommitted file", replies=WELL, files={"new.txt": "new\n"})
LONG = text("So it was. " * 300 + "all is well")
COMPACTS = case("event session_before_compact", *TURN, *TURN, *TURN, *TURN, "> /compact", "see Custom compaction", replies=[LONG, LONG, LONG, LONG],
                settings="compaction:\n  keepRecentTokens: 350\n")
CHECKPOINT = case("events turn_start, tool_result", *TURN, replies=[call("bash", command="touch made"), *WELL], files={"README.md": "changed\n"})
TRIGGER = case("event session_start, sendMessage", "see Watching", "write /tmp/agent-trigger.txt: wake up please", "sent wake up please", files={"/tmp/agent-trigger.txt": ""})
HANDOFF = case("command /handoff", *TURN, "> /handoff build it", "see Generating handoff prompt", replies=[*WELL, text("Summary of it")])
QNA = case("command /qna", *TURN, "> /qna", "see Q: Which one?", replies=[text("all is well. Which one?"), text("Q: Which one?\nA: ")])
PIRATE = case("command /pirate, event before_agent_start", "> /pirate", "see Arrr! Pirate mode enabled!", "> go", "sent PIRATE MODE", replies=WELL)
STATUS = case("events session_start, turn_end", "see Ready", *TURN, "see complete", replies=WELL)
GAME = ("key Left", "key Escape")

SAY = """export default (pi) => pi.registerCommand("say", { handler: async (content) =>
  pi.sendMessage({ customType: "status-update", content, display: true, details: { level: "info", timestamp: 0 } }) });
"""

CASES = {
    "pi/auto-commit-on-exit": COMMITS,
    "pi/bash-spawn-hook": case("tool bash", "> go", "result spawned", replies=[call("bash", command="test -n \"$PI_SPAWN_HOOK\" && echo spawned"), *WELL]),
    "pi/bookmark": case("command /bookmark", *TURN, "> /bookmark here", "see Bookmarked as: here", replies=WELL),
    "pi/border-status-editor": case("events session_start, agent_start", "see main", *TURN, replies=WELL),
    "pi/built-in-tool-renderer": case("tool read", "> go", "result needle", "see all is well", replies=[call("read", path="README.md"), *WELL]),
    "pi/claude-rules": case("events session_start, before_agent_start", "see Found 1 rule(s)", "> go", "sent style.md", replies=WELL, files={".claude/rules/style.md": "Be brief.\n"}),
    "pi/commands": shown("/commands", "Available Commands", "/commands"),
    "pi/confirm-destructive": CLEARS,
    "pi/custom-compaction": COMPACTS,
    "pi/custom-footer": shown("/footer", "Custom footer enabled", "main"),
    "pi/custom-header": case("event session_start, command /builtin-header", "see shitty coding agent", "> /builtin-header", "see Built-in header restored"),
    "pi/custom-provider-anthropic/index": case("provider", "> /model custom-anthropic/claude-opus-4-5", "see Switched to custom-anthropic"),
    "pi/custom-provider-gitlab-duo/index": case("provider", "> /model gitlab-duo/claude-opus-4-8", "see Switched to gitlab-duo"),
    "pi/debug-provider": shown("/debug-provider on", "Provider event capture enabled", "provider debug"),
    "pi/dirty-repo-guard": DIRTY,
    "pi/doom-overlay/index": shown("/doom-overlay", "DOOM"),
    "pi/dynamic-resources/index": case("event resources_discover", "> /skill:dynamic-resources", "sent dynamic"),
    "pi/dynamic-tools": case("tool echo_session, command /add-echo-tool", "> go", "result hi there", "> /add-echo-tool echo_more", "see Registered dynamic tool: echo_more", replies=[call("echo_session", message="hi there"), *WELL]),
    "pi/entry-renderer": shown("/status-card all green", "[status] all green"),
    "pi/event-bus": shown("/emit hi there", "Event from", "hi there"),
    "pi/file-trigger": TRIGGER,
    "pi/git-checkpoint": CHECKPOINT,
    "pi/git-merge-and-resolve": case("event agent_end", *TURN, replies=WELL),
    "pi/github-issue-autocomplete": case("event session_start", "see not a GitHub repository"),
    "pi/gondolin/index": case("event session_start", "see Gondolin"),
    "pi/handoff": HANDOFF,
    "pi/hello": tool("hello", "Hello, Ada!", name="Ada"),
    "pi/hidden-thinking-label": shown("/thinking-label Musing", "Hidden thinking label set to: Musing"),
    "pi/inline-bash": case("event input", "> say !{echo expanded}", "see Expanded 1 inline command", "sent say expanded", replies=WELL),
    "pi/input-transform-streaming": case("event input", "> go", "sent go", replies=WELL),
    "pi/input-transform": case("event input", "> ?quick why", "sent Respond briefly in 1-2 sentences: why", "> ping", "see pong", replies=WELL),
    "pi/interactive-shell": case("event user_bash", "> !i echo from-$((1 + 1))", "see from-2"),
    "pi/jev-router": case("virtual model", "> /model auto", "see Auto (Jev)"),
    "pi/mac-system-theme": case("event session_start", *TURN, replies=WELL),
    # Its command has the name of one of ours, so another extension sends the message.
    "pi/message-renderer": case("message renderer", "> /say fine", "see [INFO] fine", files={"../.omp/agent/extensions/say.ts": SAY}),
    "pi/minimal-mode": case("tool read", "> go", "result needle", "see all is well", replies=[call("read", path="README.md"), *WELL]),
    "pi/modal-editor": case("editor component", "see INSERT", "key Escape", "see NORMAL"),
    "pi/model-status": case("event model_select", "> /model example/other", "see Model: example/other"),
    "pi/notify": case("event agent_settled", *TURN, replies=WELL),
    "pi/overlay-qa-tests": case("command /overlay-edge", "> /overlay-edge", "see Edge", "key Escape"),
    "pi/overlay-test": case("command /overlay-test", "> /overlay-test", "see Search", "key Escape"),
    "pi/permission-gate": GUARD,
    "pi/pirate": PIRATE,
    "pi/plan-mode/index": case("key ctrl+alt+p, event tool_call", "key C-M-p", "see Plan mode enabled"),
    "pi/preset": case("command /preset, event before_agent_start", "> /preset brief", 'see "brief" activated', "> go", "sent Be very brief", replies=WELL, files={".omp/presets.json": '{"brief": {"instructions": "Be very brief."}}', ".pi/presets.json": '{"brief": {"instructions": "Be very brief."}}'}),
    "pi/project-trust": case("event session_start", "see project-trust example loaded"),
    "pi/prompt-customizer": case("event before_agent_start", *TURN, replies=WELL),
    "pi/protected-paths": PROTECTED,
    "pi/provider-payload": case("events before_provider_request, after_provider_response", *TURN, "file .omp/provider-payload.log: model", replies=WELL, files={".omp/keep": ""}),
    "pi/qna": QNA,
    "pi/question": case("tool question", "> go", "see Enter to select", "key Enter", "result User selected: 1. Red", replies=[call("question", question="Red or blue?", options=[{"label": "Red"}, {"label": "Blue"}]), *WELL]),
    "pi/questionnaire": case("tool questionnaire", "> go", "see Enter select", "key Enter", "result Red", replies=[call("questionnaire", questions=[{"id": "a", "prompt": "Which colour?", "options": [{"value": "red", "label": "Red"}]}]), *WELL]),
    "pi/rainbow-editor": case("editor component", "> ultrathink", "sent ultrathink", replies=WELL),
    "pi/reload-runtime": case("command /reload-runtime", "> /reload-runtime", *TURN, replies=WELL),
    "pi/rpc-demo": case("events session_start, turn_end", "see Loaded and ready.", *TURN, "see done", replies=WELL),
    "pi/send-user-message": case("command /ask", "> /ask why not", "sent why not", "see all is well", replies=WELL),
    "pi/session-name": shown("/session-name Great work", "Session named: Great work"),
    "pi/shutdown-command": case("tool finish_and_exit", "> go", "gone", replies=[call("finish_and_exit"), *WELL]),
    "pi/snake": case("command /snake", "> /snake", "see Score", *GAME),
    "pi/space-invaders": case("command /invaders", "> /invaders", "see Score", *GAME),
    "pi/ssh": case("tool bash", "> go", "result here", replies=[call("bash", command="echo here"), *WELL]),
    "pi/status-line": STATUS,
    "pi/structured-output": case("tool structured_output", "> go", "see Structured", replies=[call("structured_output", headline="Structured", summary="All of it", actionItems=["one"]), *WELL]),
    "pi/subagent/index": case("tool subagent", "> go", "result nknown agent", "see all is well", replies=[call("subagent", agent="nobody", task="nothing"), *WELL]),
    "pi/summarize": case("command /summarize", *TURN, "> /summarize", "see Preparing summary", replies=WELL),
    "pi/system-prompt-header": case("event agent_start", *TURN, "see chars", replies=WELL),
    "pi/tic-tac-toe": case("command /tic-tac-toe, tool tic_tac_toe_see_board", "> go", "see all is well", "> /tic-tac-toe", "see Tic", *GAME, replies=[call("tic_tac_toe_see_board"), *WELL]),
    "pi/timed-confirm": case("command /timed", "> /timed", "see Timed Confirmation", "key Enter", "see Confirmed by user!"),
    "pi/titlebar-spinner": case("event agent_start", *TURN, "raw π", replies=WELL),
    "pi/todo": case("tool todo, command /todos", "> go", "result milk", "see all is well", "> /todos", "see milk", "key Escape", replies=[call("todo", action="add", text="milk"), *WELL]),
    "pi/tool-override": case("tool read, command /read-log", "> go", "result needle", "see all is well", "> /read-log", "see Recent file access", replies=[call("read", path="README.md"), *WELL]),
    "pi/tools": case("event session_start", *TURN, replies=WELL),
    "pi/trigger-compact": case("command /trigger-compact", *TURN, "> /trigger-compact", "see Compaction started", replies=WELL),
    "pi/truncated-tool": case("tool rg", "> go", "result needle", "see all is well", replies=[call("rg", pattern="needle"), *WELL]),
    "pi/widget-placement": case("event session_start", "see Above editor widget", "see Below editor widget"),
    "pi/with-deps/index": tool("parse_duration", "7200000", duration="2h"),
    "pi/working-indicator": shown("/working-indicator pulse", "Working indicator set to"),
    "pi/working-message-test": case("event session_start", *TURN, replies=WELL),
    "oh-my-pi/extensions/api-demo": tool("api_demo", "hi there", message="hi there", logLevel="debug"),
    "oh-my-pi/extensions/chalk-logger": case("events agent_start, tool_call", *TURN, "> /extensions log", "see Agent starting", replies=[call("bash", command="true"), *WELL]),
    "oh-my-pi/extensions/hello": tool("hello", "Ada", name="Ada"),
    "oh-my-pi/extensions/pirate": PIRATE,
    "oh-my-pi/extensions/plan-mode": case("event session_start", *TURN, replies=WELL),
    "oh-my-pi/extensions/reload-runtime": case("command /reload-runtime", "> /reload-runtime", *TURN, replies=WELL),
    "oh-my-pi/extensions/thinking-note": case("thinking renderer", "> go", "see thinking chars: 12", replies=[[["thinking", "let me see..", ""], ["text", "all is well"]]]),
    "oh-my-pi/extensions/tools": case("event session_start", *TURN, replies=WELL),
    "oh-my-pi/extensions/with-deps/index": tool("parse_duration", "7200000", duration="2h"),
    "oh-my-pi/hooks/auto-commit-on-exit": COMMITS,
    "oh-my-pi/hooks/confirm-destructive": CLEARS,
    "oh-my-pi/hooks/custom-compaction": COMPACTS,
    "oh-my-pi/hooks/dirty-repo-guard": DIRTY,
    "oh-my-pi/hooks/file-trigger": TRIGGER,
    "oh-my-pi/hooks/git-checkpoint": CHECKPOINT,
    "oh-my-pi/hooks/handoff": HANDOFF,
    "oh-my-pi/hooks/permission-gate": GUARD,
    "oh-my-pi/hooks/protected-paths": PROTECTED,
    "oh-my-pi/hooks/qna": QNA,
    "oh-my-pi/hooks/status-line": STATUS,
    "oh-my-pi/custom-tools/hello/index": tool("hello", "Ada", name="Ada"),
}

# Extensions of ours that need a process: with each program that can run them, and with none.
THREADS = case("tool, event, command, question, end of the process", "> go", "result sum 6 twice 12 half 3 session 1 true", "result asked in another process",
               "see all is well", "> /threads", "see Who is there?", "> Ada", "see welcome Ada, true", "> /nowhere", "see Nowhere is not offered by omp",
               "> /die", "see has ended: its process", replies=[call("thread_sum", numbers=[1, 2, 3]), call("bash", command="true"), *WELL], ends=True)
NOBODY = case("no program for processes", *TURN, "> /extensions list", "see it needs a process of its own", "see install one of them", replies=WELL, ends=True)
FIXTURES = {"node": ("threads", THREADS), "bun": ("threads", THREADS), "none": ("threads", NOBODY)}

PACKAGES = """@aliou/pi-processes @gotgenes/pi-permission-system @juicesharp/rpiv-advisor @juicesharp/rpiv-ask-user-question @juicesharp/rpiv-pi
@juicesharp/rpiv-todo @oh-my-pi/swarm-extension @ollama/pi-web-search @samfp/pi-memory @tintinweb/pi-subagents @tmustier/pi-ralph-wiggum
@walterra/pi-charts checkpoint-pi context-mode pi-anthropic-oauth pi-autoresearch pi-btw pi-claude-bridge pi-fff pi-lens pi-markdown-preview
pi-mcp-adapter pi-mermaid pi-prompt-template-model pi-sandbox pi-schedule-prompt pi-simplify pi-subagents pi-web-access""".split()
PACKAGE = case("loaded, one turn", *TURN, replies=WELL)
