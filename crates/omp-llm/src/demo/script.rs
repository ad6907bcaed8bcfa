//! The rules of the tour.

use omp_types::{Message, ModelRequest, ToolResultMessage};
use serde_json::{Value, json};

/// What the demo says and does next.
pub(super) struct Step {
    /// Unique within the conversation; becomes the call id.
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) call: Option<(&'static str, Value)>,
}

/// Everything since the last thing the user said.
struct Scene<'a> {
    request: &'a ModelRequest,
    wish: String,
    results: Vec<&'a ToolResultMessage>,
}

pub(super) fn next_step(request: &ModelRequest) -> Step {
    let scene = Scene::of(request);
    let (text, call) = if scene.wants_file() { scene.create() } else { scene.tour() };
    Step { number: request.messages.len(), text, call }
}

const INTRO: &str = "This is omp's built-in demo: no model is connected, so these answers follow a fixed \
     script. The tools are real. Let me look around this directory.";

const CONNECT: &str = "To connect a real model, run `/login` here (in a shell: `omp login`), or do one of these \
     and restart omp:\n- set an API key, for example ANTHROPIC_API_KEY or OPENAI_API_KEY;\n- start a local \
     server (Ollama, LM Studio or llama.cpp), which omp detects automatically;\n- add any compatible \
     endpoint in ~/.omp/agent/models.yml.";

/// Files worth opening first, best first.
const LANDMARKS: [&str; 12] = [
    "README.md",
    "README",
    "readme.md",
    "README.rst",
    "README.txt",
    "AGENTS.md",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "Makefile",
    "CMakeLists.txt",
];

impl<'a> Scene<'a> {
    fn of(request: &'a ModelRequest) -> Self {
        let from = request.messages.iter().rposition(|message| matches!(**message, Message::User(_)));
        let wish = from.map_or_else(String::new, |at| match &*request.messages[at] {
            Message::User(user) => user.content.text(),
            _ => String::new(),
        });
        let results =
            request.messages[from.unwrap_or(0)..].iter().filter_map(|message| message.as_tool_result());
        Self { request, wish, results: results.collect() }
    }

    fn has_tool(&self, name: &str) -> bool {
        self.request.tools.iter().any(|tool| tool.name == name)
    }

    fn wants_file(&self) -> bool {
        let wish = self.wish.to_lowercase();
        let asks = ["create", "write", "make", "generate", "run"].iter().any(|verb| wish.contains(verb));
        asks && self.has_tool("write") && self.has_tool("bash")
    }

    /// Look, open a landmark, propose.
    fn tour(&self) -> (String, Option<(&'static str, Value)>) {
        match self.results.as_slice() {
            [] if self.has_tool("read") => (INTRO.to_owned(), Some(("read", json!({"path": "."})))),
            [] => (
                format!(
                    "This is omp's built-in demo and no tools are enabled, so there is little to \
                     show.\n\n{CONNECT}"
                ),
                None,
            ),
            [listing] => match landmark(&text_of(listing)) {
                Some(name) => (
                    format!("{name} looks like a good place to start."),
                    Some(("read", json!({"path": format!("{name}:raw")}))),
                ),
                None => (self.proposal(&text_of(listing), None), None),
            },
            [listing, opened, ..] => (self.proposal(&text_of(listing), Some(&text_of(opened))), None),
        }
    }

    fn proposal(&self, listing: &str, opened: Option<&str>) -> String {
        let entries = listing.lines().filter(|line| !line.trim().is_empty()).count();
        let mut text = format!("The directory listing has {entries} lines.");
        let heading = opened.and_then(|text| text.lines().map(str::trim).find(|line| !line.is_empty()));
        if let Some(heading) = heading {
            text.push_str(&format!(
                " The file starts with: {}",
                heading.chars().take(100).collect::<String>()
            ));
        }
        text.push_str("\n\nA real model would now answer your question, edit files and run commands here. ");
        text.push_str("As a demo I can do one more thing: ask me to \"create and run a small script\".\n\n");
        text.push_str(CONNECT);
        text
    }

    /// Look for a free name, write, run, report.
    fn create(&self) -> (String, Option<(&'static str, Value)>) {
        match self.results.as_slice() {
            [] => (INTRO.to_owned(), Some(("read", json!({"path": "."})))),
            [listing] => {
                let name = free_name(&text_of(listing));
                let script = format!(
                    "#!/bin/sh\n# Written by omp's demo; delete it whenever you like.\necho \"Hello from {name}\"\ndate\n"
                );
                let text = format!("I'll create {name} and run it.");
                (text, Some(("write", json!({"path": name, "content": script}))))
            }
            [listing, written] if !written.is_error => {
                let name = free_name(&text_of(listing));
                (
                    "Done. Now I'll run it.".to_owned(),
                    Some(("bash", json!({"command": format!("sh ./{name}")}))),
                )
            }
            [_, written] => (format!("The file could not be written:\n{}", text_of(written)), None),
            [_, _, ran, ..] => {
                let verdict = if ran.is_error { "The script failed" } else { "The script ran" };
                (
                    format!(
                        "{verdict}. It printed:\n\n{}\n\nThat was the demo doing real work.\n\n{CONNECT}",
                        text_of(ran).trim()
                    ),
                    None,
                )
            }
        }
    }
}

fn text_of(result: &ToolResultMessage) -> String {
    result.content.iter().filter_map(|block| block.as_text()).collect::<Vec<_>>().join("\n")
}

/// The listing's format is for people, so names are looked for as words.
fn landmark(listing: &str) -> Option<&'static str> {
    LANDMARKS.into_iter().find(|name| mentions(listing, name))
}

fn mentions(listing: &str, name: &str) -> bool {
    listing.split(|c: char| c.is_whitespace() || c == '/').any(|word| word == name)
}

fn free_name(listing: &str) -> String {
    let names = std::iter::once("omp-demo.sh".to_owned()).chain((2..).map(|n| format!("omp-demo-{n}.sh")));
    names.into_iter().find(|name| !mentions(listing, name)).unwrap_or_default()
}
