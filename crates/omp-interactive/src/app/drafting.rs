//! What was typed and not delivered: queued messages that come back, and drafts that outlive the program.

use omp_editor::{Content, ContentPart, Draft, ImageHandle};
use omp_sdk::Prompt;
use omp_types::ImageBlock;
use serde_json::{Value, json};

use super::{App, Task};

/// What waits in the queues, steering first; the queues are empty afterwards.
fn take_queued(app: &mut App) -> (Vec<Content>, Vec<Content>) {
    let queued = app.session().control().take_queued();
    let steering = queued.steering.iter().map(|said| app.composer.images.take_back(said)).collect();
    let later = queued.follow_ups.iter().map(|said| app.composer.images.take_back(said)).collect();
    (steering, later)
}

/// Puts messages that were queued back into the editor, before what is there.
pub(crate) fn give_back(app: &mut App) {
    let (steering, later) = take_queued(app);
    if steering.is_empty() && later.is_empty() {
        return;
    }
    let current = app.composer.editor.content();
    app.composer.editor.set_content(&Content::dequeued(steering, later, current));
    app.shown.channel.set_composing(true);
}

/// Puts words into the editor, behind what is there.
pub(crate) fn add_to_draft(app: &mut App, words: &str) {
    let mut content = app.composer.editor.content();
    let between = if content.is_empty() { "" } else { "\n\n" };
    content.push(ContentPart::Text(format!("{between}{words}")));
    app.composer.editor.set_content(&content);
    app.shown.channel.set_composing(true);
}

/// Interrupts the turn; what is queued is said at once.
pub(crate) fn deliver_queue(app: &mut App) {
    let (steering, later) = take_queued(app);
    let all = Content::dequeued(steering, later, Content::default());
    if !all.is_empty() {
        app.turn.waiting.push_front(Prompt::words(app.composer.images.content(&all)));
    }
    if let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
    app.surface.changed();
}

/// What was typed while the conversation was being shortened is said now: the first of it begins a turn, the others wait
/// in it as they would have waited before.
pub(crate) fn deliver_held(app: &mut App) {
    let control = app.session().control();
    let queued = control.take_queued();
    let (mut steering, mut later) = (queued.steering.into_iter(), queued.follow_ups.into_iter());
    let Some(first) = steering.next().or_else(|| later.next()) else { return };
    app.prompt(Prompt::words(first));
    steering.for_each(|words| _ = control.steer(words));
    later.for_each(|words| _ = control.follow_up(words));
}

/// What is in the editor, with its pictures; `None` if there is nothing to keep.
pub(crate) fn draft(app: &App) -> Option<Value> {
    let draft = app.composer.editor.draft();
    if draft.is_empty() {
        return None;
    }
    let pictures: Vec<Option<&ImageBlock>> =
        draft.content.images().iter().map(|handle| app.composer.images.get(handle)).collect();
    Some(json!({ "draft": draft, "images": pictures }))
}

/// Brings back what was typed when the session was left.
pub(crate) fn restore_draft(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let kept = session.input().take_draft().await;
        Box::new(move |app: &mut App| {
            if kept.is_some() {
                app.recording.leave_tape("a restored draft");
            }
            // Who has typed something meanwhile goes first.
            if let Some(kept) = kept.filter(|_| app.composer.editor.is_empty())
                && let Some(draft) = unpacked(app, &kept)
            {
                app.composer.editor.restore(&draft);
                app.shown.channel.set_composing(true);
                app.surface.changed();
            }
        }) as Task
    });
}

/// A kept draft as the editor has it; a picture that cannot be read is left out.
fn unpacked(app: &mut App, kept: &Value) -> Option<Draft> {
    let draft: Draft = serde_json::from_value(kept.get("draft")?.clone()).ok()?;
    let pictures: Vec<Option<ImageBlock>> =
        serde_json::from_value(kept.get("images")?.clone()).unwrap_or_default();
    let mut pictures = pictures.into_iter();
    let mut content = Content::default();
    for part in draft.content.parts() {
        match part {
            ContentPart::Image(ImageHandle(_)) => {
                if let Some(picture) = pictures.next().flatten() {
                    content.push(ContentPart::Image(app.composer.images.add(picture)));
                }
            }
            other => content.push(other.clone()),
        }
    }
    Some(Draft { content, cursor: draft.cursor })
}
