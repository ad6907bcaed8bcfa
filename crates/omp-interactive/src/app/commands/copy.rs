//! `/copy`: a message, a piece of code or a command of the conversation for the clipboard.

use std::sync::Arc;

use omp_theme::Token;
use omp_types::{AssistantBlock, Message};
use omp_view::select::{Choice, Selector};

use crate::app::attaching;
use crate::app::{App, Task};

/// Letters of a piece that are shown; typing finds it by all of its words.
const LABEL: usize = 60;

/// Something that can be copied.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    kind: &'static str,
    text: String,
}

/// Offers what was said, the newest first.
pub(crate) fn pick_copy(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let pieces = pieces(&session.transcript().recorded().await);
        Box::new(move |app: &mut App| {
            if pieces.is_empty() {
                app.hint(Token::Warning, "Nothing to copy yet");
                return;
            }
            let choice = |piece: &Piece| {
                let line = piece.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                let line: String = line.trim().chars().take(LABEL).collect();
                let more = piece.text.lines().count().saturating_sub(1);
                let more = if more > 0 { format!("+{more} lines") } else { String::new() };
                Choice::new(format!("{:<8} {line}", piece.kind)).detail(more).keywords(&piece.text)
            };
            let list = Selector::new("Choose what to copy", pieces.iter().map(choice).collect());
            app.pick(list, move |app, chosen| {
                if let Some(piece) = chosen.and_then(|place| pieces.get(place)) {
                    attaching::copy(app, &piece.text);
                }
            });
        }) as Task
    });
}

/// Everything that can be copied, the newest first; the parts of an answer follow it.
fn pieces(messages: &[Arc<Message>]) -> Vec<Piece> {
    let mut all = Vec::new();
    for message in messages.iter().rev() {
        match &**message {
            Message::User(user) => add(&mut all, "prompt", user.content.text()),
            Message::Assistant(answer) => {
                let text = |block: &AssistantBlock| match block {
                    AssistantBlock::Text(block) => Some(block.text.clone()),
                    _ => None,
                };
                let whole: Vec<String> = answer.content.iter().filter_map(text).collect();
                let whole = whole.join("\n\n");
                let code = code_blocks(&whole);
                add(&mut all, "answer", whole);
                code.into_iter().for_each(|code| add(&mut all, "code", code));
                for call in answer.tool_calls() {
                    let command = call.arguments.get("command").and_then(serde_json::Value::as_str);
                    add(&mut all, "command", command.unwrap_or_default().to_owned());
                }
            }
            _ => {}
        }
    }
    all
}

fn add(all: &mut Vec<Piece>, kind: &'static str, text: String) {
    if !text.trim().is_empty() {
        all.push(Piece { kind, text });
    }
}

/// What stands between fences.
fn code_blocks(markdown: &str) -> Vec<String> {
    let (mut blocks, mut open): (Vec<String>, Option<(String, String)>) = (Vec::new(), None);
    for line in markdown.lines() {
        let trimmed = line.trim_start();
        let ticks: String = trimmed.chars().take_while(|letter| *letter == '`' || *letter == '~').collect();
        match open.take() {
            Some((fence, block)) if trimmed.trim_end() == fence => blocks.push(block),
            Some((fence, block)) => open = Some((fence, format!("{block}{line}\n"))),
            None if ticks.len() >= 3 => open = Some((ticks, String::new())),
            None => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_stands_between_fences() {
        let text = "Look:\n\n```rust\nfn main() {}\n```\n\nand\n\n~~~\na ``` b\n~~~\n\n```\nnever closed\n";
        assert_eq!(code_blocks(text), ["fn main() {}\n", "a ``` b\n"]);
    }
}
