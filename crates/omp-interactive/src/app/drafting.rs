//! What was typed and not delivered: queued messages that come back, and drafts that outlive the program.

use omp_editor::{Content, Draft, ImageHandle, Part};
use omp_sdk::Prompt;
use omp_types::ImageBlock;
use serde_json::{Value, json};

use super::{App, Task};

impl App {
    /// What waits in the queues, steering first; the queues are empty afterwards.
    fn take_queued(&mut self) -> (Vec<Content>, Vec<Content>) {
        let queued = self.session().control().take_queued();
        let steering = queued.steering.iter().map(|said| self.composer.images.take_back(said)).collect();
        let later = queued.follow_ups.iter().map(|said| self.composer.images.take_back(said)).collect();
        (steering, later)
    }

    /// Puts messages that were queued back into the editor, before what is there.
    pub(super) fn give_back(&mut self) {
        let (steering, later) = self.take_queued();
        if steering.is_empty() && later.is_empty() {
            return;
        }
        let current = self.composer.editor.content();
        self.composer.editor.set_content(&Content::dequeued(steering, later, current));
        self.shown.link.set_composing(true);
    }

    /// Puts words into the editor, behind what is there.
    pub(crate) fn add_to_draft(&mut self, words: &str) {
        let mut content = self.composer.editor.content();
        let between = if content.is_empty() { "" } else { "\n\n" };
        content.push(Part::Text(format!("{between}{words}")));
        self.composer.editor.set_content(&content);
        self.shown.link.set_composing(true);
    }

    /// Interrupts the turn; what is queued is said at once.
    pub(super) fn deliver_queue(&mut self) {
        let (steering, later) = self.take_queued();
        let all = Content::dequeued(steering, later, Content::default());
        if !all.is_empty() {
            self.turn.waiting.push_front(Prompt::words(self.composer.images.content(&all)));
        }
        if let Some(run) = &self.turn.run {
            run.cancel.cancel();
        }
        self.changed();
    }

    /// What was typed while the conversation was being shortened is said now: the first of it begins a turn, the others wait
    /// in it as they would have waited before.
    pub(super) fn deliver_held(&mut self) {
        let control = self.session().control();
        let queued = control.take_queued();
        let (mut steering, mut later) = (queued.steering.into_iter(), queued.follow_ups.into_iter());
        let Some(first) = steering.next().or_else(|| later.next()) else { return };
        self.prompt(Prompt::words(first));
        steering.for_each(|words| _ = control.steer(words));
        later.for_each(|words| _ = control.follow_up(words));
    }

    /// What is in the editor, with its pictures; `None` if there is nothing to keep.
    pub(crate) fn draft(&self) -> Option<Value> {
        let draft = self.composer.editor.draft();
        if draft.is_empty() {
            return None;
        }
        let pictures: Vec<Option<&ImageBlock>> =
            draft.content.images().iter().map(|handle| self.composer.images.get(handle)).collect();
        Some(json!({ "draft": draft, "images": pictures }))
    }

    /// Brings back what was typed when the session was left.
    pub(super) fn restore_draft(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let kept = session.take_draft().await;
            Box::new(move |app: &mut Self| {
                if kept.is_some() {
                    app.leave_tape("a restored draft");
                }
                // Who has typed something meanwhile goes first.
                if let Some(kept) = kept.filter(|_| app.composer.editor.is_empty())
                    && let Some(draft) = app.unpacked(&kept)
                {
                    app.composer.editor.restore(&draft);
                    app.shown.link.set_composing(true);
                    app.changed();
                }
            }) as Task
        });
    }

    /// A kept draft as the editor has it; a picture that cannot be read is left out.
    fn unpacked(&mut self, kept: &Value) -> Option<Draft> {
        let draft: Draft = serde_json::from_value(kept.get("draft")?.clone()).ok()?;
        let pictures: Vec<Option<ImageBlock>> =
            serde_json::from_value(kept.get("images")?.clone()).unwrap_or_default();
        let mut pictures = pictures.into_iter();
        let mut content = Content::default();
        for part in draft.content.parts() {
            match part {
                Part::Image(ImageHandle(_)) => {
                    if let Some(picture) = pictures.next().flatten() {
                        content.push(Part::Image(self.composer.images.add(picture)));
                    }
                }
                other => content.push(other.clone()),
            }
        }
        Some(Draft { content, cursor: draft.cursor })
    }
}
