//! The conversation as a text, a page or a link, and what is asked of its next turn.

use std::sync::Arc;

use omp_sdk::{DumpForm, Session};

use super::first_word;
use crate::answer::Answer;
use crate::handler::CommandContext;

/// Words for a clipboard, which `/export` does not write to.
const CLIPBOARD: [&str; 3] = ["copy", "--copy", "clipboard"];
const NOTHING_YET: &str = "Nothing to export yet";

/// `/dump [raw]`
pub(crate) async fn dump(session: &Session, arguments: &str) -> Answer {
    let form = match arguments {
        "" => DumpForm::Compact,
        "raw" => DumpForm::Raw,
        _ => return Answer::refused("Usage: /dump [raw]"),
    };
    match session.transcript().dump(form).await {
        Ok(Some(text)) => Answer::Copy(text),
        Ok(None) => Answer::refused("No messages to dump yet"),
        Err(error) => Answer::refused(error),
    }
}

/// `/export [path]`
pub(crate) async fn export(context: &CommandContext, path: &str) -> Answer {
    if CLIPBOARD.contains(&path) {
        return Answer::refused("/export writes a file; use /dump to copy to the clipboard");
    }
    match context.session().transcript().export(path, context.theme).await {
        Ok(Some(path)) => Answer::Page(path),
        Ok(None) => Answer::refused(NOTHING_YET),
        Err(error) => Answer::refused(error),
    }
}

/// `/share`
pub(crate) async fn share(session: &Session) -> Answer {
    match session.transcript().share().await {
        Ok(Some(shared)) => {
            let left_out = shared.trim.to_string();
            let gist =
                shared.gist.map(|gist| format!("\nStored in the secret gist {gist}")).unwrap_or_default();
            let left_out = if left_out.is_empty() { left_out } else { format!("\n{left_out}") };
            let message = shared.message.map(|message| format!("\n{message}")).unwrap_or_default();
            Answer::Text(format!("Share link: {}{gist}{left_out}{message}", shared.url))
        }
        Ok(None) => Answer::refused("Nothing to share yet"),
        Err(error) => Answer::refused(error),
    }
}

/// `/rename <title>`
pub(crate) async fn rename(session: &Arc<Session>, title: &str) -> Answer {
    if title.is_empty() {
        return Answer::refused("Usage: /rename <title>");
    }
    let (named, name) = (Arc::clone(session), title.to_owned());
    // A name is written with the whole file.
    let done = tokio::task::spawn_blocking(move || named.rename(&name)).await;
    match done {
        Ok(Ok(())) => Answer::Changed(format!("Session renamed to {title}")),
        Ok(Err(error)) => Answer::refused(error),
        Err(_) => Answer::refused("renaming was interrupted: try again"),
    }
}

/// `/force <tool> [prompt]`
pub(crate) async fn force(session: &Session, arguments: &str) -> Answer {
    let (tool, prompt) = first_word(arguments);
    if tool.is_empty() {
        return Answer::refused("Usage: /force <tool> [prompt]");
    }
    match session.force_tool(tool).await {
        Ok(()) if prompt.is_empty() => Answer::Text(format!("The next turn will call {tool}")),
        Ok(()) => Answer::Prompt(prompt.to_owned()),
        Err(error) => Answer::refused(error),
    }
}
