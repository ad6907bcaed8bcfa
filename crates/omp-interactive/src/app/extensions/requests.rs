//! What extensions ask of the app.

use omp_editor::decide::SendKey;
use omp_editor::{Command, Content, ContentPart};
use omp_tui::text::Line;
use omp_view::message::Level;
use serde_json::Value;

use super::custom::Custom;
use super::surfaces::{styled, unstyled};
use super::{commands, custom, dialogs, switching};
use crate::app::commands::theme;
use crate::app::{App, Task, attaching};
use crate::extensions::{ExtensionRequest, SurfaceId};

/// Requests that wait for their session.
const HELD: usize = 1_000;
/// Rows of a header.
const HEADER_ROWS: usize = 50;

impl App {
    /// Takes what an extension asks for. A session that is about to come to the screen has to be there first: what is shown before
    /// would go with the one that leaves.
    pub(crate) fn extension_request(&mut self, request: ExtensionRequest) {
        let is_early = request.extension != 0
            && (!self.extensions.known.contains(&request.extension)
                || request.arguments["session"]
                    .as_u64()
                    .is_some_and(|number| number > self.extensions.arrived));
        match is_early {
            true if self.extensions.held.len() < HELD => self.extensions.held.push_back(request),
            true => {}
            false => self.extension_asks(request),
        }
    }

    /// The session on the screen is another one than before: its extensions are known, and those that are over leave.
    pub(in crate::app) fn extensions_arrived(&mut self) {
        let set = self.shown.on_screen.extensions().set().cloned();
        if let Some(set) = &set {
            self.extensions.known.extend(set.list().iter().map(|extension| extension.id));
            self.extensions.arrived = set.facts().map_or(0, |facts| facts.number);
        }
        self.drop_ended_extensions();
        for request in std::mem::take(&mut self.extensions.held) {
            // What is still unknown belongs to an extension that is over.
            if self.extensions.known.contains(&request.extension) {
                self.extension_request(request);
            }
        }
    }

    /// Does what an extension asks for.
    fn extension_asks(&mut self, request: ExtensionRequest) {
        self.recording.leave_tape("an extension");
        let text = |name: &str| request.arguments[name].as_str().unwrap_or_default().to_owned();
        match request.operation.as_str() {
            "ui.placed" => self.look_at_placed(),
            "ui.notify" => {
                let level = match text("type").as_str() {
                    "error" => Level::Error,
                    "warning" => Level::Warning,
                    _ => Level::Info,
                };
                self.say(level, &unstyled(&text("message")));
            }
            "ui.select" | "ui.confirm" | "ui.input" | "ui.editor" => return dialogs::ask(self, request),
            "ui.custom" => return custom::show(self, request),
            "ui.closeDialog" => dialogs::close(self, &(request.extension, text("id")), false),
            "ui.setHidden" => self.hide_component(request.extension, &text("id"), &request.arguments),
            // What is in front has the keys.
            "ui.focus" => {}
            "ui.setEditorText" => self.replace_text(&text("text")),
            "ui.editorChanged" => {
                self.extensions.told_text = Some(text("text"));
                self.replace_text(&text("text"));
            }
            "ui.pasteToEditor" => {
                let outcome = self.composer.editor.apply(Command::Paste(text("text")));
                self.after(outcome);
            }
            "ui.submit" => {
                self.extensions.told_text = Some(text("text"));
                self.replace_text(&text("text"));
                self.send(SendKey::Enter);
            }
            "ui.copy" => attaching::copy(self, &text("text")),
            "ui.setTheme" => theme::try_theme(self, &text("name")),
            "ui.setToolsExpanded" => {
                if self.surface.stage.expanded() != (request.arguments["expanded"] == true) {
                    self.toggle_expanded();
                }
            }
            operation if operation.starts_with("session.") => return switching::go(self, request),
            operation => {
                let reason = format!("{operation} is not offered by omp");
                if let Some(answer) = request.answer {
                    let _ = answer.send(Err(reason));
                }
                return;
            }
        }
        if let Some(answer) = request.answer {
            let _ = answer.send(Ok(Value::Null));
        }
        self.surface.changed();
    }

    /// What extensions have placed is another thing than before.
    fn look_at_placed(&mut self) {
        let Some(screen) = self.extensions.screen() else { return };
        screen.looked();
        let (dirty, failed, changed) = {
            let mut placed = screen.placed();
            let failed = std::mem::take(&mut placed.failed);
            failed.iter().for_each(|(surface, _)| placed.drop_surface(surface));
            (std::mem::take(&mut placed.dirty), failed, std::mem::take(&mut placed.changed))
        };
        let label =
            screen.placed().thinking_label.as_ref().map(|(_, label)| unstyled(label).replace('\n', " "));
        if self.surface.stage.set_thinking_label(label) {
            self.surface.draw_everything();
        }
        self.surfaces_changed(dirty);
        let (header, entries) = {
            let mut placed = screen.placed();
            (placed.header.take(), std::mem::take(&mut placed.entries))
        };
        header.into_iter().chain(entries).for_each(|rows| self.show_once(rows));
        for (surface, reason) in failed {
            let extension = self.extension_set().and_then(|set| set.by_id(surface.0));
            let name = extension.as_ref().map_or_else(String::new, |extension| extension.spec.name.clone());
            if let Some(extension) = extension {
                extension.note_failure("drawing a component", &reason);
            }
            dialogs::close(self, &surface, false);
            self.say(Level::Error, &format!("a component of the extension {name} failed: {reason}"));
        }
        if changed {
            commands::offers_changed(self);
        }
        self.set_title();
    }

    /// The first rows of the conversation are in the terminal's history, so a header is shown once, as a part of it, like an entry.
    fn show_once(&mut self, header: SurfaceId) {
        let (width, set) = (self.surface.width, self.extension_set());
        let Some(set) = set else { return };
        self.spawn(async move {
            let drawing = set.draw_surface(header.0, &header.1, width).await;
            Box::new(move |app: &mut Self| {
                let Ok(drawing) = drawing else { return };
                let rows: Vec<Line> =
                    drawing.rows.iter().take(HEADER_ROWS).flat_map(|row| styled(row)).collect();
                app.show_rows(move |look| rows.iter().map(|row| look.shortened(row, look.width)).collect());
            }) as Task
        });
    }

    /// Puts text into the editor, in place of what is there.
    pub(super) fn replace_text(&mut self, text: &str) {
        let mut content = Content::default();
        content.push(ContentPart::Text(text.to_owned()));
        self.composer.editor.set_content(&content);
        self.shown.channel.set_composing(!self.composer.editor.is_empty());
        self.surface.changed();
    }

    fn hide_component(&mut self, extension: u64, id: &str, arguments: &Value) {
        if let Some(custom) = self.panels.panel::<Custom>()
            && custom.surface == (extension, id.to_owned())
        {
            custom.is_hidden = arguments["hidden"] == true;
        }
    }

    /// Extensions that are over take everything with them that they placed.
    pub(super) fn drop_ended_extensions(&mut self) {
        let Some(screen) = self.extensions.screen() else { return };
        let alive: Vec<u64> = match self.extension_set() {
            Some(set) => set.list().iter().filter(|one| one.ended().is_none()).map(|one| one.id).collect(),
            None => Vec::new(),
        };
        let known = &self.extensions.known;
        let is_over = |owner: &u64| known.contains(owner) && !alive.contains(owner);
        screen.placed().keep(|owner| !is_over(&owner));
        self.extensions.surfaces.retain(|(owner, _), _| !is_over(owner));
        self.panels.open.retain_mut(|opened| {
            let panel: &mut dyn std::any::Any = opened.panel.as_mut();
            panel.downcast_mut::<Custom>().is_none_or(|custom| !is_over(&custom.surface.0))
        });
        self.surface.changed();
    }
}
