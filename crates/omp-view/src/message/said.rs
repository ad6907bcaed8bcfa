//! Who said what: the user, the program in the user's name, and how the model's answer ended.

use std::ops::Range;

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, Style};
use omp_types::{
    AssistantMessage, CustomMessage, ImageBlock, StopReason, UserBlock, UserContent, UserMessage,
};

use super::notice::{Level, notice};
use crate::Look;
use crate::look::behind;
use crate::markdown;

/// What the user wrote, as it was written, on a ground of its own.
pub fn user(look: &Look, message: &UserMessage) -> Vec<Line> {
    user_with(look, message, &[])
}

/// The same, with words of a meaning in another colour: where they stand in the text, in bytes, in order.
pub fn user_with(look: &Look, message: &UserMessage, words: &[Range<usize>]) -> Vec<Line> {
    let style = look.theme.on(Token::UserMessageText, Token::UserMessageBg);
    let ground = look.theme.bg(Token::UserMessageBg);
    let mark = look.theme.on(Token::Accent, Token::UserMessageBg);
    let first = Line::styled(mark, &format!("{} ", look.symbol(Symbol::IconUser)));
    let other = Line::styled(ground, &" ".repeat(first.width()));
    let room = look.width.saturating_sub(first.width()).max(1);
    let keyword = mark.with(Attributes::BOLD);
    let mut rows: Vec<Line> = Vec::new();
    let text = message.content.text();
    let mut begins = 0;
    for whole in text.trim_end().split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        rows.extend(marked(line, begins, words, [style, keyword]).wrap(room, 0));
        begins += whole.len();
    }
    rows.extend(images(&message.content).iter().map(|image| on(&self::image(look, image), ground)));
    let with = |(index, row): (usize, &Line)| {
        behind(if index == 0 { &first } else { &other }, row).fit(look.width, ground)
    };
    rows.iter().enumerate().map(with).collect()
}

/// A line that begins so many bytes into the text, with the given words in the second style.
fn marked(text: &str, begins: usize, words: &[Range<usize>], [plain, keyword]: [Style; 2]) -> Line {
    let mut line = Line::new();
    let mut at = 0;
    for word in words {
        let (Some(start), Some(end)) = (word.start.checked_sub(begins), word.end.checked_sub(begins)) else {
            continue;
        };
        let (Some(before), Some(inside)) = (text.get(at..start), text.get(start..end)) else { continue };
        line.push(plain, before);
        line.push(keyword, inside);
        at = end;
    }
    line.push(plain, text.get(at..).unwrap_or_default());
    line
}

/// A row on another ground.
fn on(row: &Line, ground: Style) -> Line {
    let mut line = Line::new();
    for span in row.spans() {
        line.push_linked(span.style().background(ground.background), span.text(), span.link().cloned());
    }
    line
}

fn images(content: &UserContent) -> Vec<&ImageBlock> {
    let UserContent::Blocks(blocks) = content else { return Vec::new() };
    let pictures = blocks.iter().filter_map(|block| match block {
        UserBlock::Image(image) => Some(image),
        UserBlock::Text(_) => None,
    });
    pictures.collect()
}

/// A picture where pictures cannot be shown: its kind and size.
pub fn image(look: &Look, image: &ImageBlock) -> Line {
    let bytes = image.data.len() / 4 * 3;
    let size = match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KB", bytes / 1_024),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    };
    let mut line = image_row(look, &image.mime_type);
    line.push(look.fg(Token::Dim), &format!("{}{size}", look.dot()));
    look.shortened(&line, look.width)
}

/// A picture of which only the kind is known.
pub fn image_row(look: &Look, kind: &str) -> Line {
    look.row(Token::Muted, &format!("{} {kind}", look.symbol(Symbol::IconImage)))
}

/// A row with other words instead of thoughts that are not shown.
pub fn thinking_labelled(look: &Look, label: &str) -> Line {
    look.shortened(&thinking_row(look, label), look.width)
}

/// A row instead of thoughts that are not shown, while they continue.
pub fn thinking_hidden(look: &Look) -> Line {
    thinking_row(look, &format!("Thinking{}", look.symbol(Symbol::FormatEllipsis)))
}

/// A row instead of thoughts that are not shown, when they are over.
pub fn thought_hidden(look: &Look) -> Line {
    thinking_row(look, "Thought (Ctrl+T to show)")
}

fn thinking_row(look: &Look, words: &str) -> Line {
    look.row(Token::ThinkingText, &format!("{} {words}", look.symbol(Symbol::IconThinking)))
}

/// What is to be said about the end of an answer; nothing about a normal one.
pub fn annotation(look: &Look, message: &AssistantMessage) -> Vec<Line> {
    let reason = message.error_message.as_deref().unwrap_or_default();
    match message.stop_reason {
        StopReason::Aborted => notice(look, Level::Aborted, "Aborted"),
        StopReason::Error if reason.is_empty() => notice(look, Level::Error, "The response failed"),
        StopReason::Error => notice(look, Level::Error, &format!("Error: {reason}")),
        StopReason::Length => notice(look, Level::Warning, "The response was cut off at the output limit"),
        StopReason::Stop | StopReason::ToolUse | StopReason::Pause => Vec::new(),
    }
}

/// A message that the program wrote, if people are to see it.
pub fn custom(look: &Look, message: &CustomMessage) -> Vec<Line> {
    if !message.display {
        return Vec::new();
    }
    let ground = look.theme.bg(Token::CustomMessageBg);
    let label = look.theme.on(Token::CustomMessageLabel, Token::CustomMessageBg);
    let text = look.theme.on(Token::CustomMessageText, Token::CustomMessageBg);
    let inner = look.narrower(1);
    let mut rows = vec![Line::styled(label, &format!("[{}]", message.custom_type))];
    let body = markdown::render_in(&inner, message.content.text().trim(), text);
    rows.extend(body.iter().map(|row| on(row, ground)));
    rows.extend(images(&message.content).iter().map(|image| on(&self::image(&inner, image), ground)));
    let blank = Line::styled(ground, " ");
    rows.iter().map(|row| behind(&blank, row).fit(look.width, ground)).collect()
}
