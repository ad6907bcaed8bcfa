//! Extensions against a session that is only a table.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_shell::{Environment, Scope};
use serde_json::{Map, Value, json};

use super::*;

/// Answers with what a table says, and keeps what was asked.
#[derive(Default)]
struct Table {
    asked: Mutex<Vec<(String, Value)>>,
}

impl Port for Table {
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String> {
        let answer = match operation {
            "session.cwd" => json!("/work"),
            "session.model" => json!({"provider": "p", "id": "m"}),
            _ => Value::Null,
        };
        self.asked.lock().unwrap().push((operation.to_owned(), arguments));
        Ok(answer)
    }

    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>> {
        let answer = self.call_now(operation, arguments);
        std::future::ready(answer).boxed()
    }
}

impl Table {
    fn asked(&self, operation: &str) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(name, _)| name == operation).map(|(_, value)| value.clone()).collect()
    }
}

fn options(cwd: &Path) -> ExtensionsOptions {
    ExtensionsOptions {
        cwd: cwd.to_owned(),
        scope: Arc::new(Scope::new()),
        environment: Environment::inherited(),
        cache: None,
        flags: Map::new(),
        reserved_commands: vec!["help".to_owned()],
        seals: HashMap::new(),
        limits: Limits::default(),
        connector: None,
        program: ProgramFacts {
            version: "1.2.3".to_owned(),
            agent_directory: PathBuf::from("/home/u/.omp/agent"),
            parse_yaml: |_| None,
        },
    }
}

struct World {
    extensions: Arc<Extensions>,
    session: Arc<Table>,
    _folder: tempfile::TempDir,
}

async fn world(sources: &[(&str, &str)]) -> World {
    let folder = tempfile::tempdir().unwrap();
    let spec = |(name, source): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, source).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        ExtensionSpec { name, path, form: ExtensionForm::Extension, source: ExtensionSource::User }
    };
    let specs = sources.iter().map(spec).collect();
    let extensions = Extensions::load(options(folder.path()), specs).await;
    let session = Arc::new(Table::default());
    extensions.attach(Arc::clone(&session) as Arc<dyn Port>, "print", false, folder.path().to_owned());
    extensions.activate().await;
    World { extensions, session, _folder: folder }
}

const GREETER: &str = r#"
import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";
export default function (pi: ExtensionAPI) {
    pi.on("session_start", async (_event, ctx) => {
        pi.appendEntry("greeted", { cwd: ctx.cwd, model: ctx.model?.id });
    });
    pi.registerCommand("greet", { description: "Greets", handler: async (args) => { pi.appendEntry("said", args); } });
    pi.registerTool({
        name: "word_count", label: "Words", description: "Counts words",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        async execute(_id: string, params: { text: string }) {
            return { content: [{ type: "text", text: String(params.text.split(" ").length) }] };
        },
    });
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_extension_registers_and_hears() {
    let world = world(&[("greeter.ts", GREETER)]).await;
    assert_eq!(world.extensions.failures(), []);
    let extension = &world.extensions.list()[0];
    let registered = extension.registered();
    assert_eq!(registered.commands[0].name, "greet");
    assert_eq!(registered.tools[0].name, "word_count");
    world.extensions.tell(EventName::SessionStart, &json!({"type": "session_start"})).await;
    let entries = world.session.asked("session.appendEntry");
    assert_eq!(entries[0]["customType"], "greeted", "{:?}", extension.problems());
    assert_eq!(entries[0]["data"]["model"], "m");
}

const DRAWER: &str = r#"
export default function (pi) {
    const rows = (...rows) => ({ render: (width) => rows.map((row) => `${row} ${width}`), invalidate() {} });
    pi.on("session_start", (event, ctx) => {
        let typed = "";
        ctx.ui.setWidget("w", (tui) => ({
            render: (width) => [`typed ${typed} in ${width}`],
            handleInput: (data) => { typed += data; tui.requestRender(); },
            invalidate() {},
        }));
        ctx.ui.onTerminalInput((data) => (data === "x" ? { consume: true } : data === "y" ? { data: "z" } : undefined));
    });
    pi.registerCommand("help", { handler: async () => {} });
    pi.registerCommand("count", { handler: async () => {}, getArgumentCompletions: (prefix) => [prefix + "1", { value: "2", label: "two" }] });
    pi.registerTool({
        name: "drawn", description: "", parameters: { type: "object" }, execute: async () => "x",
        renderCall: (args, options, theme) => rows(`call of ${args.name} ${options.expanded}`),
        renderResult: () => { throw new Error("cannot draw"); },
    });
    pi.registerShortcut("ctrl+x", { handler: async () => pi.appendEntry("pressed", true) });
}
"#;

/// Components are drawn and typed into, keys are seen first, arguments and texts completed, parts of the conversation drawn.
#[tokio::test(flavor = "multi_thread")]
async fn an_interface_asks_extensions() {
    let world = world(&[("drawer.ts", DRAWER)]).await;
    let (extensions, program) = (&world.extensions, Arc::new(Table::default()));
    extensions.set_program(Arc::clone(&program) as Arc<dyn Port>);
    let port = Arc::clone(&world.session) as Arc<dyn Port>;
    extensions.attach(port, "tui", true, PathBuf::from("/work"));
    extensions.tell(EventName::SessionStart, &json!({"type": "session_start"})).await;
    let id = extensions.list()[0].id;
    let mounted = program.asked("ui.mount");
    assert_eq!(mounted[0]["extension"], id, "{mounted:?}");
    let surface = mounted[0]["surface"].as_str().unwrap();
    extensions.type_into(id, surface, "abc").await.unwrap();
    let drawing = extensions.draw_surface(id, surface, 40).await.unwrap();
    assert_eq!(drawing.rows, ["typed abc in 40"]);
    assert_eq!(extensions.see_input(id, "x").await, None);
    assert_eq!(extensions.see_input(id, "y").await.as_deref(), Some("z"));
    assert_eq!(extensions.see_input(id, "q").await.as_deref(), Some("q"));
    let values: Vec<String> =
        extensions.complete_argument("count", "1").await.into_iter().map(|item| item.label).collect();
    assert_eq!(values, ["11", "two"]);
    extensions.run_shortcut(id, "ctrl+x").await.unwrap();
    assert_eq!(world.session.asked("session.appendEntry")[0]["customType"], "pressed");
    let part = |part| PartRequest {
        part,
        name: "drawn".to_owned(),
        values: json!({"id": "1", "args": {"name": "n"}, "result": {}, "options": {"expanded": true}}),
        width: 9,
    };
    assert_eq!(extensions.draw_part(id, part("call")).await.unwrap(), ["call of n true 9"]);
    assert_eq!(extensions.draw_part(id, part("result")).await, None);
    let problems = extensions.list()[0].problems();
    assert!(problems.iter().any(|problem| problem.message.contains("cannot draw")), "{problems:?}");
}

/// A name that is reserved is nobody's, and that is said.
#[tokio::test(flavor = "multi_thread")]
async fn reserved_commands_are_skipped() {
    let world = world(&[("drawer.ts", DRAWER)]).await;
    let names: Vec<String> =
        world.extensions.commands().into_iter().map(|(_, command)| command.name).collect();
    assert_eq!(names, ["count"]);
    let problems = world.extensions.list()[0].problems();
    assert!(problems[0].message.contains("/help is built in"), "{problems:?}");
}
