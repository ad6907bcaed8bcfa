//! Commands of extensions and in code, what their tools may say of themselves, and how messages of theirs arrive.

use omp_testkit::{Home, Reply, Scenario};
use serde_json::{Value, json};

use crate::extensions::{bash, done, entries, extension, factory, go, log, results, scripted};
use crate::support::{json_lines, last_user, omp_run, omp_run_refusing};

const COMMAND: &str = "home/.omp/agent/commands";

/// A command in code that logs its arguments and returns this.
fn code_command(home: &Home, path: &str, returned: &str) {
    let source = format!(
        "import {{ appendFileSync }} from 'node:fs';\n\
         export default (api) => ({{ name: 'deploy', description: 'Deploys', async execute(args, ctx) {{\n\
         appendFileSync('log.txt', JSON.stringify(args) + ' ' + (ctx.cwd === api.cwd) + '\\n');\n\
         return {returned};\n}} }});\n"
    );
    home.write(path, source);
}

/// What a command in code returns is the prompt; nothing means that it has dealt with it.
// proves: CLI-169
#[test]
fn commands_are_written_in_code() {
    let (home, server) = scripted([done()]);
    code_command(
        &home,
        &format!("{COMMAND}/deploy/index.ts"),
        "args.length > 0 ? `deploy to ${args.join(' and ')}` : ''",
    );
    let output = omp_run(&home, &["-p", r#"/deploy "the moon" mars"#]);
    assert_eq!(output.stdout.trim(), "done", "{output:?}");
    assert_eq!(last_user(&server.requests()[0].body), "deploy to the moon and mars");
    let output = omp_run(&home, &["-p", "/deploy"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(log(&home), [r#"["the moon","mars"] true"#, "[] true"]);
    server.finish();
}

/// Commands in code of a project run only as the user has agreed to them.
// proves: CLI-169
#[test]
fn commands_of_a_project_need_consent() {
    let (home, server) = scripted([done()]);
    code_command(&home, "work/.omp/commands/deploy/index.ts", "'deploy it'");
    let output = omp_run(&home, &["-p", "/deploy"]);
    assert!(log(&home).is_empty() && output.stderr.contains("not trusted"), "{output:?}");
    server.finish();
}

/// One name at every level: what is nearer counts, and without it the next.
// proves: CLI-149
#[test]
fn names_are_looked_for_in_order() {
    let (home, server) = scripted(Scenario::dynamic(|_| done()));
    extension(
        &home,
        "ext",
        &factory(
            "for (const name of ['deploy', 'skill:deploy', 'model']) pi.registerCommand(name, { handler: async () => log('extension', name) });",
        ),
    );
    code_command(&home, &format!("{COMMAND}/deploy/index.ts"), "'from code'");
    home.write(format!("{COMMAND}/deploy.md"), "from markdown\n");
    home.write("home/.omp/agent/prompts/deploy.md", "from a template\n");
    home.write(
        "home/.omp/agent/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Deploys\n---\nfrom the skill\n",
    );
    let ask = |line: &str| omp_run(&home, &["-p", line]);
    let last =
        || server.requests().last().map(|request| last_user(&request.body).to_string()).unwrap_or_default();
    ask("/skill:deploy");
    assert!(last().contains("from the skill"), "{}", last());
    ask("/deploy");
    assert_eq!(log(&home), ["extension deploy"]);
    std::fs::remove_file(home.path("home/.omp/agent/extensions/ext.ts")).unwrap();
    for (file, said) in [
        (format!("{COMMAND}/deploy/index.ts"), "from code"),
        (format!("{COMMAND}/deploy.md"), "from markdown"),
        ("home/.omp/agent/prompts/deploy.md".to_owned(), "from a template"),
    ] {
        ask("/deploy");
        assert!(last().contains(said), "{said}: {}", last());
        std::fs::remove_file(home.path(file)).unwrap();
    }
    ask("/deploy");
    assert!(last().contains("/deploy"), "the words themselves: {}", last());
    server.finish();
}

/// Messages of extensions: beside the conversation, and such that begin a turn.
// proves: EXT-039
#[test]
fn messages_are_part_of_the_session() {
    let (home, server) = scripted([done()]);
    let lines = r#"pi.on("session_start", () => pi.sendMessage({ customType: "greeting", content: "Hello, world!", display: true, details: { n: 1 } }, { triggerTurn: false }));
    pi.registerCommand("greet", { handler: async () => { pi.sendMessage({ customType: "quiet", content: "not now", display: false }, { triggerTurn: false }); } });"#;
    extension(&home, "greet", &factory(lines));
    assert_eq!(omp_run(&home, &["-p", "/greet"]).code, Some(0));
    assert_eq!(server.requests().len(), 0, "no turn");
    go(&home);
    let found =
        entries(&home).into_iter().find(|entry| entry["customType"] == "greeting").expect("the entry");
    assert_eq!(
        (&found["type"], &found["content"], &found["display"]),
        (&json!("custom_message"), &json!("Hello, world!"), &json!(true))
    );
    assert_eq!(found["details"], json!({"n": 1}));
    assert!(server.requests()[0].body.to_string().contains("Hello, world!"));
    server.finish();
}

/// While the model works: now, after the run, with the next prompt. While it does not: a turn, or with the next prompt.
// proves: HOK-011
#[test]
fn messages_arrive_when_they_should() {
    let (home, server) = scripted([bash("echo hi"), done(), Reply::new().text("followed")]);
    let lines = r#"
    const send = (content: string, deliverAs?: string) => pi.sendMessage({ customType: "note", content, display: false }, { deliverAs, triggerTurn: deliverAs === "followUp" });
    let told = false;
    pi.on("tool_call", () => { if (told) return; told = true; send("followed words", "followUp"); send("next words", "nextTurn"); send("steering words"); });"#;
    extension(&home, "send", &factory(lines));
    let output = go(&home);
    assert_eq!(output.stdout.trim(), "followed", "{output:?}");
    let has = |request: usize, words: &str| server.requests()[request].body.to_string().contains(words);
    assert!(!has(0, "steering words") && has(1, "steering words"), "it steers the run");
    assert!(!has(1, "followed words") && has(2, "followed words"), "it begins another turn");
    assert!(!has(1, "next words"), "it waits for a prompt");
    server.finish();
}

/// An idle session: a message begins a turn where that is wanted, `nextTurn` or not.
// proves: HOK-011
#[test]
fn messages_wake_an_idle_session() {
    for options in ["{ triggerTurn: true }", "{ triggerTurn: true, deliverAs: 'nextTurn' }"] {
        let (home, server) = scripted([done()]);
        let lines = format!(
            "pi.registerCommand('wake', {{ handler: async () => pi.sendMessage({{ customType: 'note', content: 'wake up', display: true }}, {options}) }});"
        );
        extension(&home, "wake", &factory(&lines));
        let output = omp_run(&home, &["-p", "/wake"]);
        assert_eq!(output.stdout.trim(), "done", "{options}: {output:?}");
        assert!(server.requests()[0].body.to_string().contains("wake up"));
        server.finish();
    }
}

/// What a tool of an extension says while it runs, and what its context knows.
// proves: EXT-038, EXT-043, EXT-070
#[test]
fn tools_report_and_look_around() {
    let (home, server) = scripted([Reply::new().tool_call("look", json!({"_i": "x"})), done()]);
    let lines = r#"pi.registerTool({ name: "look", label: "Look", description: "Looks", parameters: { type: "object", properties: {} },
        async execute(_id, _params, _signal, onUpdate, ctx) {
            onUpdate({ content: [{ type: "text", text: "half way" }] });
            log(ctx.sessionManager.getSessionId().length > 0, ctx.modelRegistry.find(ctx.model.provider, ctx.model.id).id === ctx.model.id, ctx.isIdle(), ctx.hasQueuedMessages(), typeof ctx.abort);
            const { tokens, contextWindow, percent } = ctx.getContextUsage();
            log(tokens > 0, contextWindow > tokens, Math.abs(percent - (tokens * 100) / contextWindow) < 0.001);
            return { content: [{ type: "text", text: "looked" }] };
        } });"#;
    extension(&home, "look", &factory(lines));
    let output = omp_run(&home, &["--mode", "json", "-p", "go", "--yolo"]);
    assert_eq!(log(&home), ["true true false false function", "true true true"], "{output:?}");
    let events = json_lines(&output);
    let update = events.iter().find(|event| event["type"] == "tool_execution_update").expect("an update");
    assert!(update.to_string().contains("half way"), "{update}");
    server.finish();
}

/// Tools that are there and not told to the model, until somebody wants them.
// proves: EXT-071, HOK-025
#[test]
fn tools_are_hidden_or_asleep() {
    let (home, server) = scripted([bash("true"), done()]);
    let lines = r#"
    const tool = (name, more) => pi.registerTool({ name, label: name, description: `The tool ${name}`, parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }), ...more });
    tool("plain", {}); tool("secret", { hidden: true }); tool("asleep", { defaultInactive: true }); tool("later", { deferrable: true }); tool("exact", { strict: true });
    pi.on("tool_call", async () => { log(pi.getActiveTools().includes("asleep")); await pi.setActiveTools([...pi.getActiveTools(), "asleep"]); });"#;
    extension(&home, "tools", &factory(lines));
    go(&home);
    let offered = |request: usize| -> Vec<String> {
        let tools = server.requests()[request].body["tools"].as_array().cloned().unwrap();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let has = |request: usize, name: &str| offered(request).iter().any(|tool| tool == name);
    assert!(has(0, "plain") && has(0, "later") && has(0, "exact"), "{:?}", offered(0));
    assert!(!has(0, "secret") && !has(0, "asleep"), "{:?}", offered(0));
    assert!(has(1, "asleep") && !has(1, "secret"), "{:?}", offered(1));
    assert_eq!(log(&home), ["false"]);
    server.finish();
}

/// Modes, tiers and policies hold for tools of extensions as for any other.
// proves: SEC-053, TSN-068
#[test]
fn calls_of_extensions_are_approved_like_others() {
    let names = ["reads", "runs", "destroys", "judged", "custom"];
    let replies = |_: &str| {
        let calls = names
            .iter()
            .fold(Reply::new(), |reply, name| reply.tool_call(name, json!({"_i": "x", "what": "it"})));
        [calls, done()]
    };
    let ran = |mode: &str, policy: &str| -> Vec<String> {
        let (home, server) = scripted(replies(mode));
        let lines = r#"
        const tool = (name, more) => pi.registerTool({ name, label: name, description: name, parameters: { type: "object", properties: { what: { type: "string" } } },
            execute: async () => { log(name); return { content: [{ type: "text", text: "ran" }] }; }, ...more });
        tool("reads", { approval: "read" }); tool("runs", {}); tool("destroys", { annotations: { destructiveHint: true } });
        tool("judged", { approval: (params) => (params.what === "it" ? "read" : "exec") });"#;
        extension(&home, "tools", &factory(lines));
        home.write("home/.omp/agent/tools/custom.ts", "import { appendFileSync } from 'node:fs';\nexport default (pi) => ({ name: 'custom', label: 'C', description: 'C', approval: 'write', parameters: pi.zod.object({ what: pi.zod.string() }), async execute() { appendFileSync('log.txt', 'custom\\n'); return { content: [] }; } });");
        home.write("home/.omp/agent/config.yml", format!("tools:\n  approvalMode: {mode}\n{policy}"));
        omp_run_refusing(&home, &["-p", "go"]);
        server.finish();
        let mut ran = log(&home);
        ran.sort();
        ran
    };
    assert_eq!(ran("auto", ""), ["custom", "judged", "reads", "runs"], "what destroys is asked about");
    assert_eq!(ran("always-ask", ""), ["judged", "reads"]);
    assert_eq!(ran("write", ""), ["custom", "judged", "reads"]);
    assert_eq!(
        ran("auto", "  approval:\n    runs: deny\n    reads: prompt\n    destroys: allow\n"),
        ["custom", "destroys", "judged"]
    );
}

/// A change that a custom tool has shown happens when the model decides so.
// proves: TSN-049
#[test]
fn pending_actions_are_resolved() {
    let resolve = |action: &str| {
        Reply::new().tool_call("resolve", json!({"_i": "x", "action": action, "reason": "looks right"}))
    };
    let preview = || Reply::new().tool_call("preview", json!({"_i": "x"}));
    let (home, server) = scripted([preview(), resolve("apply"), preview(), resolve("discard"), done()]);
    let source = "import { appendFileSync } from 'node:fs';\nexport default (pi) => ({ name: 'preview', label: 'P', description: 'P', parameters: pi.zod.object({}),\n\
        async execute() { pi.pushPendingAction({ label: 'rename 3 files', details: { secret: 1 },\n\
        apply: async (reason) => { appendFileSync('log.txt', 'applied ' + reason + '\\n'); return { content: [{ type: 'text', text: 'renamed' }] }; } });\n\
        return { content: [{ type: 'text', text: 'previewed' }] }; } });";
    home.write("home/.omp/agent/tools/preview.ts", source);
    let output = go(&home);
    assert_eq!(log(&home), ["applied looks right"], "{output:?}");
    let said = results(&server);
    assert_eq!(said[1], "renamed", "{said:?}");
    assert!(said[3].contains("Discarded: rename 3 files. Reason: looks right"), "{said:?}");
    let details: Vec<Value> =
        entries(&home).into_iter().map(|entry| entry["message"]["details"].clone()).collect();
    let of = details.iter().find(|details| details["action"] == "apply").expect("details");
    assert_eq!((&of["sourceToolName"], &of["label"]), (&json!("custom_tool"), &json!("rename 3 files")));
    assert!(!of.to_string().contains("secret"), "{of}");
    server.finish();
}

/// Without anything to decide with, the push fails.
// proves: TSN-050
#[test]
fn without_a_queue_nothing_is_pending() {
    let (home, server) = scripted([done()]);
    let source = "import { appendFileSync } from 'node:fs';\nexport default (pi) => { try { pi.pushPendingAction({ label: 'x', apply: async () => ({ content: [] }) }); } catch (error) { appendFileSync('log.txt', error.message + '\\n'); }\n\
        return { name: 'none', label: 'N', description: 'N', parameters: pi.zod.object({}), async execute() { return { content: [] }; } }; };";
    home.write("home/.omp/agent/tools/none.ts", source);
    go(&home);
    assert_eq!(log(&home), ["Pending action store unavailable for custom tools in this runtime."]);
    server.finish();
}

/// Custom tools hear of the session; what fails in that is logged.
// proves: EXT-072
#[test]
fn custom_tools_hear_of_the_session() {
    let (home, server) = scripted([Reply::status(503), done()]);
    home.write("home/.omp/agent/config.yml", "retry:\n  baseDelayMs: 1\n");
    let source = "import { appendFileSync } from 'node:fs';\nexport default (pi) => ({ name: 'hears', label: 'H', description: 'H', parameters: pi.zod.object({}), async execute() { return { content: [] }; },\n\
        onSession(event, ctx) { appendFileSync('log.txt', event.reason + ' ' + (ctx.cwd === pi.cwd) + '\\n'); if (event.reason === 'start') throw new Error('no matter'); } });";
    home.write("home/.omp/agent/tools/hears.ts", source);
    let output = go(&home);
    assert_eq!(output.stdout.trim(), "done", "{output:?}");
    assert_eq!(log(&home), ["start true", "auto_retry_start true", "auto_retry_end true", "shutdown true"]);
    assert!(!output.stderr.contains("no matter"), "{}", output.stderr);
    server.finish();
}

/// Where extensions are found, and where not.
// proves: CFG-089, CFG-090, CFG-091
#[test]
fn only_our_directories_are_searched() {
    let (home, server) = scripted([done()]);
    let loaded = |name: &str| factory(&format!("log('{name}');"));
    home.write("home/mine.ts", loaded("listed"));
    home.write("home/.omp/agent/settings.json", r#"{"extensions": ["~/mine.ts"]}"#);
    extension(&home, "own", &loaded("own"));
    home.write("home/.claude/extensions/foreign.ts", loaded("foreign"));
    home.write("work/.claude/extensions/foreign.ts", loaded("foreign"));
    for (file, text) in [
        ("described.json", r#"{"name": "described", "execute": "touch ran.txt"}"#),
        ("words.md", "# words\n\n```sh\ntouch ran.txt\n```\n"),
    ] {
        home.write(format!("home/.omp/agent/tools/{file}"), text);
    }
    let output = go(&home);
    let mut names = log(&home);
    names.sort();
    assert_eq!(names, ["listed", "own"], "{output:?}");
    let tools = server.requests()[0].body["tools"].to_string();
    assert!(!tools.contains("described") && !home.exists("work/ran.txt"), "{tools}");
    server.finish();
}

/// All extensions of a program share one bus, and nothing else.
// proves: HOK-027
#[test]
fn extensions_speak_over_one_bus() {
    let (home, server) = scripted([done()]);
    extension(
        &home,
        "a-hears",
        &factory("pi.events.on('news', (data) => log(data.text, typeof (globalThis as any).shared));"),
    );
    extension(
        &home,
        "b-tells",
        &factory(
            "(globalThis as any).shared = 1; pi.on('session_start', () => pi.events.emit('news', { text: 'hello', skip: () => 1 }));",
        ),
    );
    let output = go(&home);
    assert_eq!(log(&home), ["hello undefined"], "{output:?}");
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/extensions.md")).unwrap();
    assert!(docs.contains("one event bus") && docs.contains("no sandbox"));
    server.finish();
}

/// Events that other agents have: another model, the end of all work.
// proves: IOP-023
#[test]
fn events_of_other_agents_are_sent() {
    let (home, server) = scripted([done()]);
    let lines = r#"pi.on("session_start", async (_event, ctx) => { await pi.setModel(ctx.model); });
    pi.on("model_select", ({ model, previousModel }) => log("model", model.id === previousModel.id));
    pi.on("agent_settled", ({ aborted }) => log("settled", aborted));"#;
    extension(&home, "events", &factory(lines));
    go(&home);
    assert_eq!(log(&home), ["model true", "settled false"]);
    server.finish();
}
