//! Extensions in print mode: what they register, what they hear, what they may, and what happens when they fail.

use omp_testkit::{Home, ModelOptions, Output, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use crate::support::{last_user, omp_run};

const USER: &str = "home/.omp/agent/extensions";

/// A home with a model that gives these answers.
pub(crate) fn scripted(replies: impl Into<Scenario>) -> (Home, Server) {
    let home = Home::new();
    let server = Server::start(replies);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    (home, server)
}

pub(crate) fn done() -> Reply {
    Reply::new().text("done")
}

pub(crate) fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

/// An extension of the user.
pub(crate) fn extension(home: &Home, name: &str, source: &str) {
    home.write(format!("{USER}/{name}.ts"), source);
}

/// A factory around some lines, which log to a file.
pub(crate) fn factory(lines: &str) -> String {
    format!(
        r#"
import type {{ ExtensionAPI }} from "@oh-my-pi/pi-coding-agent";
import {{ appendFileSync }} from "node:fs";
const log = (...words: unknown[]) => appendFileSync("log.txt", words.map(String).join(" ") + "\n");
export default function (pi: ExtensionAPI) {{
    {lines}
}}
"#
    )
}

pub(crate) fn go(home: &Home) -> Output {
    omp_run(home, &["-p", "go", "--yolo"])
}

pub(crate) fn log(home: &Home) -> Vec<String> {
    match home.exists("work/log.txt") {
        true => home.read("work/log.txt").lines().map(str::to_owned).collect(),
        false => Vec::new(),
    }
}

/// What the model reads about its calls.
pub(crate) fn results(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let messages = requests.last().expect("a request").body["messages"].as_array().cloned().unwrap();
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    messages.iter().filter(|message| message["role"] == "tool").map(text).collect()
}

/// The entries of the one session file.
pub(crate) fn entries(home: &Home) -> Vec<Value> {
    let files = crate::sessions::session_files(home);
    let text = std::fs::read_to_string(files.first().expect("a session file")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// proves: EXT-024, EXT-033
#[test]
fn modules_of_the_user_are_loaded_and_begin_with_the_session() {
    let (home, server) = scripted([done()]);
    extension(
        &home,
        "hello",
        &factory(
            r#"pi.on("session_start", (_event, ctx) => log("started in", ctx.cwd, ctx.mode, ctx.hasUI));"#,
        ),
    );
    home.write(format!("{USER}/folder/index.ts"), factory(r#"pi.on("session_start", () => log("folder"));"#));
    let output = go(&home);
    assert_eq!(output.code, Some(0), "{output:?}");
    let started = format!("started in {} print false", home.work_dir().display());
    let mut lines = log(&home);
    lines.sort();
    assert_eq!(lines, ["folder".to_owned(), started], "{output:?}");
    server.finish();
}

// proves: EXT-037, EXT-066, EXT-067
#[test]
fn a_tool_of_an_extension_is_called_with_checked_arguments() {
    let call = |arguments: Value| Reply::new().tool_call("word_count", arguments);
    let replies = [
        call(json!({"_i": "x", "text": "a b c"})),
        call(json!({"_i": "x", "text": 7})),
        call(json!({"_i": "x", "text": "boom"})),
        done(),
    ];
    let (home, server) = scripted(replies);
    let source = factory(
        r#"pi.registerTool({
        name: "word_count", label: "Words", description: "Counts words",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        async execute(id: string, params: { text: string }, signal: AbortSignal, _onUpdate: unknown, ctx: any) {
            if (params.text === "boom") throw new Error("it went wrong");
            log(typeof id, signal.aborted, ctx.cwd.length > 0);
            return { content: [{ type: "text", text: `${params.text.split(" ").length} words` }], details: { n: 3 } };
        },
    });"#,
    );
    extension(&home, "words", &source);
    assert_eq!(go(&home).code, Some(0));
    assert_eq!(log(&home), ["string false true"], "wrong arguments never reach the tool");
    let results = results(&server);
    assert_eq!(results[0], "3 words");
    assert!(results[1].contains("text"), "{results:?}");
    assert_eq!(results[2], "Error: it went wrong");
    let offered = &server.requests()[0].body["tools"];
    let offered = offered.as_array().unwrap().iter().find(|tool| tool["function"]["name"] == "word_count");
    assert_eq!(offered.expect("the tool is offered")["function"]["description"], "Counts words");
    server.finish();
}

/// Schemas may be written with zod or TypeBox; both come with omp, under the three names of the API.
// proves: IOP-020
#[test]
fn one_api_under_three_names() {
    for scope in ["@oh-my-pi", "@mariozechner", "@earendil-works"] {
        let call = Reply::new().tool_call("pick", json!({"_i": "x", "color": "red"}));
        let (home, server) = scripted([call, done()]);
        let source = format!(
            r#"
import type {{ ExtensionAPI }} from "{scope}/pi-coding-agent";
import {{ StringEnum }} from "{scope}/pi-ai";
import {{ visibleWidth }} from "{scope}/pi-tui";
import {{ Type }} from "typebox";
import {{ z }} from "zod";
export default function (pi: ExtensionAPI) {{
    const zod = z.object({{ color: z.string() }}).safeParse({{ color: "red" }}).success;
    pi.registerTool({{
        name: "pick", label: "Pick", description: "Picks",
        parameters: Type.Object({{ color: StringEnum(["red", "green"] as const) }}),
        async execute(_id, params) {{
            return {{ content: [{{ type: "text", text: `${{params.color}} ${{visibleWidth("日本")}} ${{zod}}` }}] }};
        }},
    }});
}}
"#
        );
        extension(&home, "pick", &source);
        let output = go(&home);
        assert_eq!(results(&server), ["red 4 true"], "{scope}: {output:?}");
        server.finish();
    }
}

// proves: EXT-047, EXT-048, EXT-058, HOK-001, HOK-002
#[test]
fn a_handler_blocks_a_call_and_the_others_are_not_asked() {
    let (home, server) = scripted([bash("touch ran.txt"), done()]);
    let source = factory(
        r#"
    pi.on("tool_call", (event) => { log("first", event.toolName, event.input.command, event.toolCallId.length > 0); event.input.command = "touch other.txt"; });
    pi.on("tool_call", (event) => { log("second", event.input.command); return { block: true, reason: "not on a Friday" }; });
    pi.on("tool_call", () => { log("third"); });"#,
    );
    extension(&home, "guard", &source);
    go(&home);
    assert!(!home.exists("work/ran.txt") && !home.exists("work/other.txt"));
    assert_eq!(log(&home), ["first bash touch ran.txt true", "second touch ran.txt"]);
    assert_eq!(results(&server), ["Error: not on a Friday"]);
    server.finish();
}

// proves: EXT-049
#[test]
fn a_guard_that_fails_blocks() {
    for failing in [
        "throw new Error('cannot decide');",
        "for (;;) {}",
        "return new Promise((_, no) => no(new Error('late')));",
    ] {
        let (home, server) = scripted([bash("touch ran.txt"), done()]);
        extension(&home, "guard", &factory(&format!("pi.on('tool_call', () => {{ {failing} }});")));
        let output = go(&home);
        assert!(!home.exists("work/ran.txt"), "{failing}: {output:?}");
        assert!(results(&server)[0].starts_with("Error: "), "{:?}", results(&server));
        server.finish();
    }
}

// proves: EXT-050, EXT-051, HOK-003
#[test]
fn results_are_a_chain_that_handlers_change() {
    let (home, server) = scripted([bash("echo secret; exit 3"), bash("echo fine"), done()]);
    let source = factory(
        r#"
    pi.on("tool_result", (event) => { log("one", event.isError); return { content: [{ type: "text", text: "redacted" }], isError: false }; });
    pi.on("tool_result", (event) => { log("two", event.isError, event.content[0].text); return { content: event.content[0].text + "!" }; });"#,
    );
    extension(&home, "redact", &source);
    go(&home);
    assert_eq!(log(&home), ["one true", "two false redacted", "one false", "two false redacted"]);
    assert_eq!(results(&server), ["redacted!", "redacted!"]);
    server.finish();
}

// proves: EXT-053, HOK-006
#[test]
fn context_changes_the_request_and_not_the_session() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"pi.on("context", (event) => ({
        messages: event.messages.map((message) => message.role === "user" ? { ...message, content: "something else" } : message),
    }));"#,
    );
    extension(&home, "context", &source);
    go(&home);
    assert_eq!(last_user(&server.requests()[0].body), "something else");
    let said = entries(&home)
        .iter()
        .any(|entry| entry["message"]["role"] == "user" && entry.to_string().contains("\"go\""));
    assert!(said, "the session has what was typed");
    server.finish();
}

// proves: EXT-054, HOK-004
#[test]
fn a_run_begins_with_messages_and_a_system_prompt_of_extensions() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"
    pi.on("before_agent_start", (event) => ({
        message: { customType: "one", content: "first note", display: true },
        systemPrompt: [...event.systemPrompt, "Speak like a pirate."],
    }));
    pi.on("before_agent_start", (event) => {
        log(event.prompt, event.systemPrompt.at(-1));
        return { message: { customType: "two", content: "second note", display: false } };
    });"#,
    );
    extension(&home, "pirate", &source);
    go(&home);
    assert_eq!(log(&home), ["go Speak like a pirate."]);
    let body = server.requests()[0].body.to_string();
    for part in ["first note", "second note", "Speak like a pirate."] {
        assert!(body.contains(part), "{part}: {body}");
    }
    let kinds: Vec<Value> = entries(&home).iter().map(|entry| entry["customType"].clone()).collect();
    assert!(kinds.contains(&json!("one")) && kinds.contains(&json!("two")), "{kinds:?}");
    server.finish();
}

// proves: EXT-034, CLI-157
#[test]
fn commands_are_handled_without_the_model() {
    let (home, server) = scripted(Scenario::default());
    let source = factory(
        r#"
    pi.registerCommand("greet", { description: "Greets", handler: async (args, ctx) => { log("hello", args, ctx.isIdle()); } });
    pi.registerCommand("fail", { handler: async () => { throw new Error("no luck"); } });"#,
    );
    extension(&home, "greet", &source);
    assert_eq!(omp_run(&home, &["-p", "/greet  Bob and Ann "]).code, Some(0));
    assert_eq!(log(&home), ["hello Bob and Ann true"]);
    let failed = omp_run(&home, &["-p", "/fail"]);
    assert!(failed.stderr.contains("/fail failed: ") && failed.stderr.contains("no luck"), "{failed:?}");
    server.finish();
}

// proves: HOK-012, HOK-013
#[test]
fn extensions_keep_state_and_say_things() {
    let (home, server) = scripted([done(), Reply::new().text("second")]);
    let source = factory(
        r#"
    let told = false;
    pi.on("session_start", (_event, ctx) => log("entries", ctx.sessionManager.getBranch().filter((entry) => entry.type === "custom").length));
    pi.on("agent_end", () => {
        if (told) return;
        told = true;
        pi.appendEntry("counter", { value: 1 });
        pi.sendUserMessage("and now this");
    });"#,
    );
    extension(&home, "state", &source);
    let output = go(&home);
    assert_eq!(output.stdout.trim(), "second", "{output:?}");
    assert_eq!(last_user(&server.requests()[1].body), "and now this");
    let kept = entries(&home).into_iter().find(|entry| entry["type"] == "custom").expect("the entry");
    assert_eq!((&kept["customType"], &kept["data"]), (&json!("counter"), &json!({"value": 1})));
    server.finish();
    let next = Server::start([done(), done()]);
    home.models_yml(&next, Wire::OpenAiCompletions, ModelOptions::new());
    omp_run(&home, &["-c", "-p", "again", "--yolo"]);
    assert_eq!(
        log(&home).last().map(String::as_str),
        Some("entries 1"),
        "state is found again after a restart"
    );
    next.finish();
}

// proves: EXT-056, EXT-057, HOK-008
#[test]
fn events_of_a_run_are_heard_in_order() {
    let (home, server) = scripted([bash("echo hi"), done()]);
    let names = [
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "tool_execution_start",
        "tool_execution_end",
        "turn_end",
        "agent_end",
        "agent_settled",
        "session_shutdown",
    ];
    let lines: String = names.iter().map(|name| format!("pi.on('{name}', (event) => log('{name}', event.toolName ?? event.turnIndex ?? event.message?.role ?? ''));\n")).collect();
    extension(&home, "logger", &factory(&lines));
    go(&home);
    let expected = [
        "agent_start ",
        "turn_start 0",
        "message_start user",
        "message_end user",
        "message_start assistant",
        "message_end assistant",
        "tool_execution_start bash",
        "tool_execution_end bash",
        "message_start toolResult",
        "message_end toolResult",
        "turn_end 0",
        "turn_start 1",
        "message_start assistant",
        "message_end assistant",
        "turn_end 1",
        "agent_end ",
        "agent_settled ",
        "session_shutdown ",
    ];
    assert_eq!(log(&home), expected);
    server.finish();
}

// proves: EXT-031, EXT-061, HOK-026, HOK-033
#[test]
fn what_fails_harms_nothing_else() {
    let (home, server) = scripted([done()]);
    extension(&home, "a-syntax", "export default function (pi) {\n  const x = ;\n}\n");
    extension(&home, "b-throws", "export default function () { throw new Error('at load'); }\n");
    extension(&home, "c-none", "export default 7;\n");
    extension(&home, "d-early", "export default function (pi) { pi.sendUserMessage('too early'); }\n");
    extension(&home, "e-handler", &factory("pi.on('turn_end', () => { throw new Error('in a handler'); });"));
    extension(&home, "f-good", &factory("pi.on('session_start', () => log('good'));"));
    let output = go(&home);
    assert_eq!((output.code, output.stdout.trim()), (Some(0), "done"), "{output:?}");
    assert_eq!(log(&home), ["good"]);
    for part in
        ["a-syntax.ts:2:", "at load", "the default export is not a function", "runtime not initialized"]
    {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    server.finish();
}

// proves: EXT-040
#[test]
fn actions_need_a_session() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"
    for (const early of [() => pi.sendMessage({ customType: "x", content: "y", display: true }), () => pi.getActiveTools(), () => pi.appendEntry("x")]) {
        try { early(); log("it worked"); } catch (error) { log((error as Error).message.split(":")[0]); }
    }"#,
    );
    extension(&home, "early", &source);
    go(&home);
    assert_eq!(log(&home), vec!["runtime not initialized"; 3]);
    server.finish();
}

// proves: IOP-021
#[test]
fn a_name_that_is_not_offered_complains_when_it_is_used() {
    let (home, server) = scripted([done()]);
    let source = r#"
import { appendFileSync } from "node:fs";
import { noSuchThing, VERSION } from "@oh-my-pi/pi-coding-agent";
import { createSocket } from "node:dgram";
export default function (pi) {
    pi.on("session_start", () => {
        for (const use of [() => noSuchThing(), () => createSocket("udp4")]) {
            try { use(); } catch (error) { appendFileSync("log.txt", error.message + "\n"); }
        }
        appendFileSync("log.txt", (VERSION.length > 0) + "\n");
    });
}
"#;
    extension(&home, "stub", source);
    let output = go(&home);
    let lines = log(&home);
    assert_eq!(lines.len(), 3, "{output:?}");
    assert!(lines[0].contains("noSuchThing is not offered by omp"), "{lines:?}");
    assert!(lines[1].contains("node:dgram") && lines[1].contains("not offered by omp"), "{lines:?}");
    assert_eq!(lines[2], "true");
    server.finish();
}

// proves: EXT-025, EXT-028, CLI-026, HOK-030
#[test]
fn extensions_are_named_on_the_command_line() {
    let source = factory("pi.on('session_start', () => log('loaded'));");
    for (args, loaded) in [
        (vec!["-e", "~/mine.ts"], 2),
        (vec!["--extension", "../home/mine.ts", "--hook", "~/mine.ts"], 2),
        (vec!["--no-extensions", "-e", "~/mine.ts"], 1),
        (vec!["--no-extensions"], 0),
    ] {
        let (home, server) = scripted([done()]);
        extension(&home, "found", &source);
        home.write("home/mine.ts", &source);
        let output = omp_run(&home, &[&["-p", "go"], args.as_slice()].concat());
        assert_eq!(log(&home).len(), loaded, "{args:?}: {output:?}");
        server.finish();
    }
}

/// A loop, a flood of memory and an exit end the extension and nothing else.
#[test]
fn a_hostile_extension_ends_alone() {
    for (what, line) in [
        ("loop", "for (;;) {}"),
        ("memory", "const all: number[][] = []; for (;;) all.push(new Array(1_000_000).fill(1));"),
        ("exit", "process.exit(7);"),
    ] {
        let (home, server) = scripted([done()]);
        extension(&home, "a-hostile", &factory(&format!("pi.on('turn_start', () => {{ {line} }});")));
        extension(&home, "b-good", &factory("pi.on('agent_end', () => log('good'));"));
        let output = go(&home);
        assert_eq!((output.code, output.stdout.trim()), (Some(0), "done"), "{what}: {output:?}");
        assert_eq!(log(&home), ["good"], "{what}");
        // A handler that gets no more memory fails a moment before the extension ends.
        let failed = what == "memory" && output.stderr.contains("a-hostile: turn_start: out of memory");
        let ended = output.stderr.matches("the extension a-hostile has ended").count();
        assert!(ended == 1 || (failed && ended == 0), "{what}: {}", output.stderr);
        server.finish();
    }
}

/// One extension cannot change what another one sees of the language.
#[test]
fn globals_are_not_shared() {
    let (home, server) = scripted([done()]);
    extension(
        &home,
        "a-evil",
        &factory("(Array.prototype as any).join = () => 'owned'; (globalThis as any).evil = true;"),
    );
    extension(
        &home,
        "b-good",
        &factory("pi.on('session_start', () => log([1, 2].join('-'), (globalThis as any).evil));"),
    );
    go(&home);
    assert_eq!(log(&home), ["1-2 undefined"]);
    server.finish();
}

// proves: HOK-014, HOK-017
#[test]
fn extensions_read_what_the_session_is() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"
    pi.on("session_start", (_event, ctx) => {
        log(pi.getActiveTools().includes("bash"), pi.getAllTools().some((tool) => tool.name === "read"));
        log(ctx.model.provider, ctx.models.current().id === ctx.model.id, ctx.models.list().length > 0);
        log(ctx.models.resolve(`${ctx.model.provider}/${ctx.model.id}`).id === ctx.model.id, ctx.models.resolve("no/such") === undefined);
        log(ctx.models.family({ id: "claude-opus-4" }) === ctx.models.family({ id: "claude-3" }), typeof pi.getThinkingLevel());
        log(ctx.getSystemPrompt().length > 0, ctx.getContextUsage().contextWindow > 0, pi.getFlag("nothing"));
    });"#,
    );
    extension(&home, "reader", &source);
    let output = go(&home);
    let lines = log(&home);
    assert_eq!(lines.len(), 5, "{output:?}");
    assert_eq!(lines[0], "true true");
    assert!(lines[1].ends_with(" true true"), "{lines:?}");
    assert_eq!(
        lines[2..],
        ["true true".to_owned(), "true string".to_owned(), "true true undefined".to_owned()]
    );
    server.finish();
}

// proves: HOK-015
#[test]
fn extensions_change_what_the_session_is() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"
    pi.on("session_start", async () => {
        await pi.setActiveTools(["read"]);
        await pi.setSessionName("a name");
        log(pi.getActiveTools().join(","), pi.getSessionName());
    });"#,
    );
    extension(&home, "writer", &source);
    go(&home);
    assert_eq!(log(&home), ["read a name"]);
    let tools = server.requests()[0].body["tools"].as_array().cloned().unwrap();
    let names: Vec<Value> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(names, [json!("read")]);
    server.finish();
}

// proves: HOK-010
#[test]
fn input_is_rewritten_or_handled() {
    let source = factory(
        r#"pi.on("input", (event) => {
        if (event.text === "stop") return { handled: true };
        return { text: event.text + ", please" };
    });
    pi.on("input", (event) => { log(event.text, event.source); });"#,
    );
    let (home, server) = scripted([done()]);
    extension(&home, "input", &source);
    go(&home);
    assert_eq!(last_user(&server.requests()[0].body), "go, please");
    assert_eq!(omp_run(&home, &["-p", "stop"]).code, Some(0));
    assert_eq!(log(&home), ["go, please interactive"]);
    server.finish();
}

// proves: EXT-062, EXT-063, EXT-064, EXT-065, EXT-069, EXT-073
#[test]
fn custom_tools_are_found_and_called() {
    let call = |name: &str| Reply::new().tool_call(name, json!({"_i": "x"}));
    let (home, server) = scripted([call("one"), call("two"), call("three"), done()]);
    let tool = |name: &str| {
        format!(
            "{{ name: '{name}', label: '{name}', description: 'Says its name', parameters: pi.zod.object({{}}), \
             async execute(id, params, onUpdate, ctx, signal) {{ return {{ content: [{{ type: 'text', text: '{name} ' + pi.cwd.length }}] }}; }} }}"
        )
    };
    home.write("home/.omp/agent/tools/one.ts", format!("export default (pi) => ({});", tool("one")));
    home.write(
        "home/.claude/tools/two.ts",
        format!("export default (pi) => [{}, {}];", tool("two"), tool("read")),
    );
    home.write(
        "home/.codex/tools/three/index.ts",
        format!("export default async (pi) => ({});", tool("three")),
    );
    home.write("home/.omp/agent/tools/four.md", "not code");
    let output = omp_run(&home, &["-p", "go", "--yolo", "--tools", "read"]);
    let length = home.work_dir().display().to_string().len();
    let expected: Vec<String> =
        ["one", "two", "three"].iter().map(|name| format!("{name} {length}")).collect();
    assert_eq!(results(&server), expected, "{output:?}");
    assert!(output.stderr.contains("a tool with this name exists already"), "{}", output.stderr);
    server.finish();
}

/// A hook that is a module sees calls of the tool that its file is named after.
// proves: EXT-052, EXT-060
#[test]
fn hook_modules_are_about_one_tool() {
    let write = Reply::new().tool_call("write", json!({"_i": "x", "path": "a.txt", "content": "x"}));
    let (home, server) = scripted([write, bash("echo one"), done()]);
    let source = |mark: &str| {
        format!(
            "import {{ appendFileSync }} from 'node:fs';\nexport default (pi) => {{\n\
             pi.on('tool_call', (event) => {{ appendFileSync('log.txt', '{mark} ' + event.toolName + '\\n'); }});\n\
             pi.on('tool_result', (event) => ({{ content: [{{ type: 'text', text: event.content[0].text.trim() + ' {mark}' }}], isError: true }}));\n}};\n"
        )
    };
    home.write("home/.omp/agent/hooks/pre/bash.ts", source("pre"));
    home.write("home/.omp/agent/hooks/post/bash.ts", source("post"));
    let output = go(&home);
    assert_eq!(log(&home), ["pre bash", "post bash"], "{output:?}");
    let results = results(&server);
    // Each sees the result as it was; the last override counts; a success stays one.
    assert!(results[1].ends_with(" pre") ^ results[1].ends_with(" post"), "{results:?}");
    assert!(!results[1].contains("pre post") && !results[1].contains("post pre"), "{results:?}");
    assert!(!results[1].starts_with("Error"), "{results:?}");
    server.finish();
}

// proves: EXT-068
#[test]
fn programs_are_run_with_their_output() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"pi.on("session_start", async () => {
        const run = await pi.exec("sh", ["-c", "echo out; echo err >&2; exit 3"]);
        log(run.stdout.trim(), run.stderr.trim(), run.code, run.killed);
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 50);
        const stopped = await pi.exec("sleep", ["60"], { signal: controller.signal });
        log(stopped.killed);
    });"#,
    );
    extension(&home, "programs", &source);
    let output = go(&home);
    assert_eq!(log(&home), ["out err 3 false", "true"], "{output:?}");
    server.finish();
}

/// Without anybody to ask, dialogs answer with nothing and the rest does nothing.
// proves: EXT-059, HOK-021, TUI-110
#[test]
fn without_an_interface_nobody_is_asked() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"pi.on("session_start", async (_event, ctx) => {
        ctx.ui.notify("hello"); ctx.ui.setStatus("a", "b"); ctx.ui.setWidget("w", ["x"]); ctx.ui.setTitle("t"); ctx.ui.setEditorText("e");
        log(ctx.hasUI, await ctx.ui.select("s", ["a"]), await ctx.ui.input("i"), await ctx.ui.editor("e"), await ctx.ui.confirm("c", "m"), JSON.stringify(ctx.ui.getEditorText()), await ctx.ui.custom(() => { throw new Error("never"); }));
    });"#,
    );
    extension(&home, "ui", &source);
    let output = go(&home);
    assert_eq!(log(&home), ["false undefined undefined undefined false \"\" undefined"], "{output:?}");
    server.finish();
}

/// Extensions hear of another model. What omp does not send yet is said where it is asked for.
#[test]
fn another_model_is_heard_of_and_missing_events_are_named() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"
    pi.on("model_select", (event) => log("now", event.model.id, event.previousModel.id, event.source));
    pi.on("session_start", async (_event, ctx) => log(await pi.setModel(ctx.model), await pi.setModel({ provider: "no", id: "such" })));
    pi.on("user_python", () => log("never"));
    pi.on("no_such_event", () => log("never"));"#,
    );
    extension(&home, "models", &source);
    let output = go(&home);
    let lines = log(&home);
    assert_eq!(lines.len(), 2, "{output:?}");
    assert!(lines[0].starts_with("now ") && lines[0].ends_with(" set"), "{lines:?}");
    assert_eq!(lines[1], "true false");
    assert!(output.stderr.contains("\"user_python\" is not available yet"), "{}", output.stderr);
    assert!(output.stderr.contains("no event \"no_such_event\""), "{}", output.stderr);
    server.finish();
}

/// One module can be switched off by its name.
// proves: EXT-030
#[test]
fn one_module_is_switched_off() {
    let (home, server) = scripted([done()]);
    for name in ["one", "two"] {
        extension(&home, name, &factory(&format!("pi.on('session_start', () => log('{name}'));")));
    }
    home.write("home/.omp/agent/config.yml", "disabledExtensions: [\"extension-module:one\"]\n");
    let output = go(&home);
    assert_eq!(log(&home), ["two"], "{output:?}");
    server.finish();
}
