//! The texts of an entry, to read and to change.

use std::sync::Arc;

use omp_session::EntryKind;
use omp_types::{AssistantBlock, AssistantMessage, Message, UserBlock, UserContent};

/// The tool and the call that an entry is the result of.
pub(super) fn result_of(kind: &EntryKind) -> Option<(&str, &str)> {
    let EntryKind::Message(entry) = kind else { return None };
    let result = entry.message.as_tool_result()?;
    Some((&result.tool_name, &result.tool_call_id))
}

/// The texts of an entry that can be shaken, in the order of its blocks; other blocks count as empty.
pub(super) fn texts(kind: &EntryKind) -> Vec<&str> {
    match kind {
        EntryKind::CustomMessage(entry) => of_content(&entry.content),
        EntryKind::Message(entry) => match &*entry.message {
            Message::User(user) => of_content(&user.content),
            Message::Custom(custom) => of_content(&custom.content),
            Message::ToolResult(result) => of_blocks(&result.content),
            Message::Assistant(answer) => of_answer(answer),
        },
        _ => Vec::new(),
    }
}

fn of_blocks(blocks: &[UserBlock]) -> Vec<&str> {
    blocks.iter().map(|block| block.as_text().unwrap_or_default()).collect()
}

fn of_content(content: &UserContent) -> Vec<&str> {
    match content {
        UserContent::Text(text) => vec![text],
        UserContent::Blocks(blocks) => of_blocks(blocks),
    }
}

fn of_answer(answer: &AssistantMessage) -> Vec<&str> {
    let mut texts = Vec::new();
    for block in &answer.content {
        texts.push(match block {
            AssistantBlock::Text(text) => text.text.as_str(),
            _ => "",
        });
    }
    texts
}

/// Changes one text of an entry, counted as in [`texts`].
pub(super) fn edit(kind: &mut EntryKind, block: usize, change: impl FnOnce(&mut String)) {
    if let EntryKind::Message(entry) = &mut *kind
        && matches!(&*entry.message, Message::Assistant(_))
        && let Message::Assistant(answer) = Arc::make_mut(&mut entry.message)
    {
        if let Some(AssistantBlock::Text(text)) = answer.content.get_mut(block) {
            change(&mut text.text);
            // The provider's name of the text is for the text as it was.
            text.text_signature = None;
        }
        return;
    }
    if let Some(text) = plain(kind) {
        change(text);
    } else if let Some(UserBlock::Text(text)) = user_blocks(kind).and_then(|blocks| blocks.get_mut(block)) {
        change(&mut text.text);
    }
}

/// The text of a message that is not made of blocks.
fn plain(kind: &mut EntryKind) -> Option<&mut String> {
    let content = match kind {
        EntryKind::CustomMessage(entry) => &mut entry.content,
        EntryKind::Message(entry) => match Arc::make_mut(&mut entry.message) {
            Message::User(user) => &mut user.content,
            Message::Custom(custom) => &mut custom.content,
            _ => return None,
        },
        _ => return None,
    };
    match content {
        UserContent::Text(text) => Some(text),
        UserContent::Blocks(_) => None,
    }
}

pub(super) fn user_blocks(kind: &mut EntryKind) -> Option<&mut Vec<UserBlock>> {
    let content = match kind {
        EntryKind::CustomMessage(entry) => &mut entry.content,
        EntryKind::Message(entry) => match Arc::make_mut(&mut entry.message) {
            Message::User(user) => &mut user.content,
            Message::Custom(custom) => &mut custom.content,
            Message::ToolResult(result) => return Some(&mut result.content),
            Message::Assistant(_) => return None,
        },
        _ => return None,
    };
    match content {
        UserContent::Blocks(blocks) => Some(blocks),
        UserContent::Text(_) => None,
    }
}
