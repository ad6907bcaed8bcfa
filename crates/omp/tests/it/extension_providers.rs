//! Providers that extensions register: models of servers, models that a script answers for, and what is refused.

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::json;

use crate::extensions::{done, extension, factory, log, scripted};
use crate::support::{last_user, omp_run};

/// A provider of an extension at the scripted server.
fn registers(server: &Server, id: &str, models: &str) -> String {
    let base = server.base_url_for(Wire::OpenAiCompletions);
    factory(&format!(
        r#"pi.registerProvider("{id}", {{ baseUrl: "{base}", apiKey: "key-of-{id}", api: "openai-completions", models: {models} }});"#
    ))
}

const MODELS: &str = r#"[{ id: "scripted", name: "Mine", reasoning: false, input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 64000, maxTokens: 4000, surprise: 1 }]"#;

// proves: MOD-102, EXT-045
#[test]
fn models_of_an_extension_are_used_like_any_other() {
    let server = Server::start([done()]);
    let home = Home::new();
    extension(&home, "mine", &registers(&server, "mine", MODELS));
    let source = r#"pi.on("session_start", (_event, ctx) => log(ctx.model.provider, ctx.model.name, ctx.model.contextWindow, ctx.models.list().some((model) => model.provider === "mine")));"#;
    extension(&home, "reads", &factory(source));
    let output = omp_run(&home, &["-p", "go", "--model", "mine/scripted"]);
    assert_eq!((output.code, output.stdout.trim()), (Some(0), "done"), "{output:?}");
    assert_eq!(log(&home), ["mine Mine 64000 true"]);
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer key-of-mine"));
    server.finish();
}

/// Models take the place of those that a provider had; an address alone only moves it.
// proves: MOD-102
#[test]
fn a_known_provider_is_changed() {
    let server = Server::start([done()]);
    let home = Home::new();
    extension(&home, "mine", &registers(&server, "groq", MODELS));
    let source = r#"pi.on("session_start", (_event, ctx) => log(ctx.modelRegistry.getAll().filter((model) => model.provider === "groq").map((model) => model.id)));
    pi.registerProvider("openai", { baseUrl: "http://127.0.0.1:9/moved" });
    pi.on("session_start", (_event, ctx) => { const all = ctx.modelRegistry.getAll().filter((model) => model.provider === "openai"); log(all.length > 1, all[0].baseUrl); });"#;
    extension(&home, "reads", &factory(source));
    let output = omp_run(&home, &["-p", "go", "--model", "groq/scripted"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(log(&home), ["scripted", "true http://127.0.0.1:9/moved"]);
    server.finish();
}

/// A provider that the user switched off stays away, whoever registers it.
#[test]
fn a_disabled_provider_stays_away() {
    let (home, server) = scripted([done()]);
    home.write("home/.omp/agent/config.yml", "disabledProviders: [mine]\n");
    extension(&home, "mine", &registers(&server, "mine", MODELS));
    let source = r#"pi.on("session_start", (_event, ctx) => log(ctx.modelRegistry.getAll().some((model) => model.provider === "mine")));"#;
    extension(&home, "reads", &factory(source));
    let output = omp_run(&home, &["-p", "go"]);
    assert_eq!(log(&home), ["false"], "{output:?}");
    server.finish();
}

// proves: MOD-105
#[test]
fn models_need_an_address_and_a_key() {
    let (home, server) = scripted([done()]);
    let source = factory(
        r#"const models = [{ id: "m", api: "openai-completions" }];
    for (const config of [{ apiKey: "k", models }, { baseUrl: "http://127.0.0.1:9", models }]) {
        try { pi.registerProvider("mine", config); log("registered"); } catch (error) { log((error as Error).message); }
    }
    pi.registerProvider("third", { baseUrl: "http://127.0.0.1:9", apiKey: "k", models: [{ id: "m" }] });"#,
    );
    extension(&home, "mine", &source);
    let output = omp_run(&home, &["-p", "go"]);
    assert_eq!(output.stdout.trim(), "done", "{output:?}");
    let told = log(&home);
    assert_eq!(told[0], "provider mine: \"baseUrl\" is required with models");
    assert_eq!(told[1], "provider mine: \"apiKey\" or \"oauth\" is required with models");
    assert!(
        output.stderr.contains("\"third\" was not registered") && output.stderr.contains("no \"api\" is set")
    );
    server.finish();
}

/// A script that answers itself: text, thinking, calls, and the end.
const STREAMS: &str = r#"
import { createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import { appendFileSync } from "node:fs";
export default function (pi) {
    pi.registerProvider("mine", {
        baseUrl: "http://127.0.0.1:9", apiKey: "key-of-mine", api: "my-api",
        models: [{ id: "m", name: "M", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 64000, maxTokens: 4000 }],
        streamSimple: (model, context, options) => {
            const stream = createAssistantMessageEventStream();
            const last = context.messages.at(-1);
            appendFileSync("log.txt", [model.api, options.apiKey, last.role, context.tools.length > 0].join(" ") + "\n");
            const message = { role: "assistant", api: model.api, provider: model.provider, model: model.id, timestamp: 0, stopReason: "stop",
                usage: { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 10, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, content: [] };
            (async () => {
                stream.push({ type: "start", partial: message });
                if (last.role === "user") {
                    const toolCall = { type: "toolCall", id: "call-1", name: "bash", arguments: { _i: "x", command: "echo from-the-shell" } };
                    stream.push({ type: "toolcall_end", contentIndex: 0, toolCall, partial: message });
                    stream.push({ type: "done", reason: "toolUse", message: { ...message, stopReason: "toolUse", content: [toolCall] } });
                } else {
                    for (const delta of ["It said ", last.content[0].text.split("\n")[0], "."]) stream.push({ type: "text_delta", contentIndex: 0, delta, partial: message });
                    stream.push({ type: "done", reason: "stop", message: { ...message, content: [{ type: "text", text: "whole" }] } });
                }
                stream.end();
            })();
            return stream;
        },
    });
}
"#;

// proves: MOD-103
#[test]
fn a_script_answers_for_an_api_of_its_own() {
    let home = Home::new();
    extension(&home, "mine", STREAMS);
    let output = omp_run(&home, &["-p", "go", "--yolo", "--model", "mine/m"]);
    assert_eq!((output.code, output.stdout.trim()), (Some(0), "It said from-the-shell."), "{output:?}");
    assert_eq!(log(&home), ["my-api key-of-mine user true", "my-api key-of-mine toolResult true"]);
    let file = crate::sessions::session_files(&home).pop().unwrap();
    let last = crate::sessions::lines(&file).into_iter().rfind(|line| line["message"]["role"] == "assistant");
    let last = last.unwrap();
    assert_eq!(last["message"]["api"], "my-api");
    assert_eq!(last["message"]["usage"]["input"], 7);
}

/// A stream that breaks off or throws is a failed answer, not the end of the program.
#[test]
fn a_script_that_fails_is_a_failed_answer() {
    for (stream, said) in [
        ("throw new Error('the service is closed')", "the service is closed"),
        ("return (async function* () {})()", "ended before it was complete"),
        (
            "return (async function* () { yield { type: 'error', error: { stopReason: 'error', errorMessage: 'no quota left' } }; })()",
            "no quota left",
        ),
    ] {
        let home = Home::new();
        let models = "[{ id: 'm', contextWindow: 64000, maxTokens: 4000 }]";
        let source = factory(&format!(
            "pi.registerProvider('mine', {{ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', api: 'my-api', models: {models}, streamSimple: () => {{ {stream}; }} }});"
        ));
        extension(&home, "mine", &source);
        home.write("home/.omp/agent/config.yml", "retry:\n  enabled: false\n");
        let output = omp_run(&home, &["-p", "go", "--model", "mine/m"]);
        assert!(output.code != Some(0) && output.stderr.contains(said), "{said}: {output:?}");
    }
}

/// Two extensions with one command: the one that was loaded last has it. Of two renderers of a message the first counts.
// proves: HOK-019
#[test]
fn of_two_commands_the_last_counts() {
    let (home, server) = scripted(Vec::<Reply>::new());
    for name in ["a", "b"] {
        extension(
            &home,
            name,
            &factory(&format!("pi.registerCommand('who', {{ handler: async () => log('{name}') }});")),
        );
    }
    assert_eq!(omp_run(&home, &["-p", "/who"]).code, Some(0));
    assert_eq!(log(&home), ["b"]);
    server.finish();
}

/// A hook module is no place for providers.
// proves: EXT-045
#[test]
fn a_hook_registers_no_provider() {
    let (home, server) = scripted([done()]);
    let source = "export default (pi) => { pi.registerProvider('mine', { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', api: 'openai-completions', models: [{ id: 'm' }] }); };";
    home.write("home/.omp/agent/hooks/pre/bash.ts", source);
    let output = omp_run(&home, &["-p", "go"]);
    assert_eq!(last_user(&server.requests()[0].body), &json!("go"));
    assert!(output.stderr.contains("a hook cannot register the provider \"mine\""), "{}", output.stderr);
    server.finish();
}
