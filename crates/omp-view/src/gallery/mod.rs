//! Every view in every state, to look at and to compare with how it looked before.

mod samples;

use std::time::Duration;

use omp_tui::text::Line;
use omp_types::{
    AssistantMessage, CustomMessage, ImageBlock, StopReason, TextBlock, ThinkingLevel, ToolOutput, Usage,
    UserBlock, UserContent, UserMessage,
};

use crate::bang::{BangState, BangView};
use crate::message::{self, Level, TextKind, TextView};
use crate::status::{self, Facts, Git};
use crate::tool::{Block, Blocks, Call, Expansion, Phase, ToolView};
use crate::{Look, approval, markdown, todo, working};
use samples::Sample;

/// What makes the rows of a specimen.
type Draw = Box<dyn Fn(&Look, Expansion) -> Vec<Line>>;

/// One view in one state.
pub struct Specimen {
    /// What it is, such as `bash/failed`.
    pub name: String,
    draw: Draw,
}

impl Specimen {
    /// Its rows.
    pub fn rows(&self, look: &Look) -> Vec<Line> {
        (self.draw)(look, Expansion::Collapsed)
    }

    /// Its rows with everything shown; the same as [`Specimen::rows`] where there is nothing to expand.
    pub fn expanded_rows(&self, look: &Look) -> Vec<Line> {
        (self.draw)(look, Expansion::Expanded)
    }

    /// What is shown: a tool, or a part of the screen.
    pub fn subject(&self) -> &str {
        self.name.split_once('/').map_or(&self.name, |(subject, _)| subject)
    }

    /// The state it is in.
    pub fn state(&self) -> &str {
        self.name.split_once('/').map_or("", |(_, state)| state)
    }

    fn new(name: impl Into<String>, draw: impl Fn(&Look) -> Vec<Line> + 'static) -> Self {
        Self { name: name.into(), draw: Box::new(move |look, _| draw(look)) }
    }

    fn expandable(name: impl Into<String>, draw: impl Fn(&Look, Expansion) -> Vec<Line> + 'static) -> Self {
        Self { name: name.into(), draw: Box::new(draw) }
    }
}

/// All specimens: tools first, then everything else.
pub fn gallery() -> Vec<Specimen> {
    let mut all: Vec<Specimen> = samples::samples().iter().flat_map(states).collect();
    all.push(Specimen::expandable("bash/intent", |look, expansion| {
        intended().rows(look, expansion, Duration::ZERO)
    }));
    all.push(Specimen::expandable("read/group", |look, expansion| {
        reads().rows(look, expansion, Duration::ZERO)
    }));
    all.extend(messages());
    all.extend(lanes());
    all
}

/// A tool in all states.
fn states(sample: &Sample) -> Vec<Specimen> {
    let name = sample.name;
    let specimen = |state: &str, view: ToolView| {
        let now = Duration::from_secs(7);
        let draw = move |look: &Look, expansion: Expansion| view.clone().rows(look, expansion, now);
        Specimen::expandable(format!("{name}/{state}"), draw)
    };
    let expanded = |view: ToolView| {
        let draw = move |look: &Look| view.clone().rows(look, Expansion::Expanded, Duration::from_secs(7));
        Specimen::new(format!("{name}/done-expanded"), draw)
    };
    let ready = || ToolView::new(Call::new(name).with_arguments(sample.arguments.clone()));
    let mut pending = ToolView::new(Call::new(name));
    pending.arguments_so_far(sample.partial.clone());
    let mut running = ready();
    running.start(Duration::from_secs(2));
    running.update(sample.update.clone());
    let ended = |output: &ToolOutput, phase: Phase| {
        let mut view = ready();
        view.start(Duration::ZERO);
        view.finish(output.clone(), phase, Duration::from_millis(3_400));
        view
    };
    let denied = format!(
        "Tool \"{name}\" was not approved by the user, so the call did not run. Ask what to do instead."
    );
    vec![
        specimen("pending", pending),
        specimen("ready", ready()),
        specimen("running", running),
        specimen("done", ended(&sample.done, Phase::Done)),
        expanded(ended(&sample.done, Phase::Done)),
        specimen("failed", ended(&sample.failed, Phase::Failed)),
        specimen("aborted", ended(&ToolOutput::text("Tool execution was aborted."), Phase::Aborted)),
        specimen("denied", ended(&ToolOutput::text(denied), Phase::Denied)),
    ]
}

/// A call that says why it is made.
fn intended() -> ToolView {
    let arguments = serde_json::json!({ "command": "cargo test" });
    let mut view = ToolView::new(Call::new("bash"));
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    view.arguments_complete(arguments, Some("Running the tests".to_owned()));
    view
}

/// Three reads in a row, one of them failed.
fn reads() -> Block {
    let mut blocks = Blocks::default();
    let read = |path: &str, result: Result<&str, &str>| {
        let arguments = serde_json::json!({ "path": path });
        let call = Call::new("read").with_arguments(arguments.as_object().cloned().unwrap_or_default());
        let mut view = ToolView::new(call);
        let (text, phase) = match result {
            Ok(text) => (text, Phase::Done),
            Err(text) => (text, Phase::Failed),
        };
        view.finish(ToolOutput::text(text), phase, Duration::ZERO);
        view
    };
    blocks.add(read("src/main.rs", Ok("fn main() {}\n")));
    blocks.add(read("src/lib.rs:10-40", Ok("a\nb\nc\n")));
    blocks.add(read("src/gone.rs", Err("src/gone.rs: no such file")));
    blocks.blocks().first().cloned().unwrap_or_else(|| Block::Reads(Vec::new()))
}

fn messages() -> Vec<Specimen> {
    let text =
        |kind: TextKind, source: &'static str| move |look: &Look| TextView::complete(kind, source).rows(look);
    vec![
        Specimen::new("message/user", |look| message::user(look, &prompt())),
        Specimen::new("message/answer", text(TextKind::Answer, samples::ANSWER)),
        Specimen::new("message/thinking", text(TextKind::Thinking, samples::THOUGHT)),
        Specimen::new("message/thinking-hidden", |look| {
            vec![message::thinking_hidden(look), message::thought_hidden(look)]
        }),
        Specimen::new("message/aborted", |look| message::annotation(look, &ended(StopReason::Aborted))),
        Specimen::new("message/error", |look| message::annotation(look, &ended(StopReason::Error))),
        Specimen::new("message/length", |look| message::annotation(look, &ended(StopReason::Length))),
        Specimen::new("message/custom", |look| message::custom(look, &custom())),
        Specimen::new("message/compaction", |look| {
            message::compaction(look, "We fixed the parser.\n\n- tests pass", 84_213, Expansion::Collapsed)
        }),
        Specimen::new("message/compaction-expanded", |look| {
            message::compaction(look, "We fixed the parser.\n\n- tests pass", 84_213, Expansion::Expanded)
        }),
        Specimen::new("message/branch", |look| {
            message::branch(look, "Tried another way; it was slower.", Expansion::Expanded)
        }),
        Specimen::new("message/notices", |look| {
            let levels =
                [(Level::Info, "Switched to another model"), (Level::Warning, "The theme was not found")];
            levels.iter().flat_map(|(level, text)| message::notice(look, *level, text)).collect()
        }),
        Specimen::new("message/facts", |look| {
            let facts = [("Model", "sonnet-5".to_owned()), ("Messages", "42".to_owned())];
            message::facts(look, "Session", &facts)
        }),
        Specimen::new("message/queued", |look| {
            message::queued(
                look,
                &["also fix\nthe docs".to_owned()],
                &["then commit".to_owned()],
                "2 messages queued",
            )
        }),
        Specimen::new("message/rule", |look| message::rule(look, "no-unwrap", "Use `?` instead of unwrap.")),
        Specimen::new("message/table", |look| markdown::render(look, samples::TABLE)),
    ]
}

fn lanes() -> Vec<Specimen> {
    let bang = |state: BangState| {
        let mut view = BangView::new("seq 30");
        (1..=30).for_each(|number| view.push(&format!("{number}\n")));
        view.finish(state, None);
        move |look: &Look, expansion: Expansion| view.clone().rows(look, expansion)
    };
    vec![
        Specimen::expandable("bang/done", bang(BangState::Exited(0))),
        Specimen::expandable("bang/exit", bang(BangState::Exited(3))),
        Specimen::expandable("bang/cancelled", bang(BangState::Cancelled)),
        Specimen::expandable("bang/error", bang(BangState::Failed("the shell is gone".to_owned()))),
        Specimen::new("approval/bash", |look| {
            approval::rows(look, "Allow tool: bash", samples::QUESTION, 12).rows
        }),
        Specimen::new("approval/edit", |look| {
            approval::rows(look, "Allow tool: edit", samples::CHANGE, 8).rows
        }),
        Specimen::new("todo/panel", |look| todo::panel(look, &samples::todos())),
        Specimen::new("working/turn", |look| {
            let activity = working::Activity::Working("Working".to_owned());
            vec![working::row(look, &activity, Duration::from_secs(12), "Esc")]
        }),
        Specimen::new("working/retry", |look| {
            let activity = working::Activity::Retrying {
                attempt: 2,
                attempts: 10,
                wait: Duration::from_secs(8),
                error: "529: overloaded".to_owned(),
            };
            vec![working::row(look, &activity, Duration::from_secs(3), "Esc")]
        }),
        Specimen::new("status/default", |look| {
            status::rows(look, &status_facts(), &status::Settings::usual())
        }),
        Specimen::new("status/full", |look| {
            let settings = status::Settings { preset: "full".to_owned(), ..status::Settings::usual() };
            status::rows(look, &status_facts(), &settings)
        }),
    ]
}

/// Facts of a session in the middle of its work.
pub fn status_facts() -> Facts {
    Facts {
        model: "sonnet-5".to_owned(),
        thinking: Some(ThinkingLevel::High),
        mode: Some("plan".to_owned()),
        approval: Some(crate::status::Approval { text: "auto (sandbox)".to_owned(), confined: true }),
        path: "~/work/omp".to_owned(),
        git: Some(Git { branch: "main".to_owned(), staged: 1, dirty: 2, untracked: 3 }),
        context: Some((84_000, 200_000)),
        tokens: (12_000, 3_400),
        cached: 220_000,
        missed: 0,
        cost: 1.234,
        subagents: 2,
        jobs: 0,
        session: Some("Fix the parser".to_owned()),
        host: Some("workshop".to_owned()),
        running_ms: 754_000,
        hooks: vec![("lint".to_owned(), "lint: ok".to_owned())],
    }
}

fn prompt() -> UserMessage {
    let text = TextBlock { text: "Why is this slow?\nSee the picture.".to_owned(), text_signature: None };
    let image = ImageBlock { data: "A".repeat(40_000), mime_type: "image/png".to_owned(), detail: None };
    let content = UserContent::Blocks(vec![UserBlock::Text(text), UserBlock::Image(image)]);
    UserMessage { content, steering: false, sealed: None, timestamp: 0 }
}

fn custom() -> CustomMessage {
    CustomMessage {
        custom_type: "async-result".to_owned(),
        content: UserContent::Text("Job `build` ended with **0 errors**.".to_owned()),
        display: true,
        details: None,
        timestamp: 0,
    }
}

fn ended(stop_reason: StopReason) -> AssistantMessage {
    AssistantMessage {
        content: Vec::new(),
        api: String::new(),
        provider: String::new(),
        model: String::new(),
        response_id: None,
        usage: Usage::default(),
        stop_reason,
        error_message: (stop_reason == StopReason::Error)
            .then(|| "529 Overloaded: try again later".to_owned()),
        timestamp: 0,
    }
}
