//! Commands and keys of extensions, and what they make of what is typed.

use std::collections::VecDeque;

use omp_editor::decide::SendKey;
use omp_editor::{Arguments, CommandInfo, Content, ContentPart, Offer};
use omp_keys::{Added, Chord};
use omp_sdk::Session;
use omp_sdk::extensions::EventName;
use omp_types::UserContent;
use omp_view::message::Level;

use crate::app::{App, Task};

/// What was typed and is looked at by extensions: one after the other, in the order in which it was sent.
#[derive(Default)]
pub(crate) struct Hearing {
    waiting: VecDeque<(SendKey, Content)>,
    is_going: bool,
    /// What is sent now was looked at.
    is_heard: bool,
}

impl App {
    /// Lets extensions look at what is sent before anything else does; `false` if none wants to. What they leave of it is
    /// sent afterwards.
    pub(in crate::app) fn hear_first(&mut self, key: SendKey) -> bool {
        let session = self.session();
        let listens = session.extensions().set().is_some_and(|set| set.listens(EventName::Input));
        if !listens || self.extensions.hearing.is_heard || self.composer.editor.is_empty() {
            return false;
        }
        let content = self.composer.editor.content();
        self.composer.editor.take();
        self.shown.channel.set_composing(false);
        self.extensions.hearing.waiting.push_back((key, content));
        self.hear_next();
        true
    }

    fn hear_next(&mut self) {
        if self.extensions.hearing.is_going {
            return;
        }
        let Some((key, content)) = self.extensions.hearing.waiting.pop_front() else { return };
        self.extensions.hearing.is_going = true;
        let (session, said) = (self.session(), self.composer.said(&content));
        self.spawn(async move {
            let left = session.extension_input(said.clone(), "interactive").await;
            Box::new(move |app: &mut Self| {
                app.extensions.hearing.is_going = false;
                match left {
                    Some(left) => {
                        let content = if left == said { content } else { changed(&content, &left) };
                        app.send_heard(key, &content);
                    }
                    None => app.note(&content.text()),
                }
                app.hear_next();
            }) as Task
        });
    }

    /// Sends what extensions have seen. What is being typed meanwhile stays in the editor.
    fn send_heard(&mut self, key: SendKey, content: &Content) {
        let draft = self.composer.editor.draft();
        self.composer.editor.set_content(content);
        self.extensions.hearing.is_heard = true;
        self.send(key);
        self.extensions.hearing.is_heard = false;
        if !draft.is_empty() {
            self.composer.editor.restore(&draft);
        }
        self.shown.channel.set_composing(!self.composer.editor.is_empty());
        self.surface.changed();
    }

    /// Runs a command of an extension; `false` if none has one of that name.
    pub(in crate::app) fn run_extension_command(&mut self, line: &str) -> bool {
        let session = self.session();
        if !is_command(&session, line) {
            return false;
        }
        self.recording.leave_tape("a command of an extension");
        let line = line.to_owned();
        self.extensions.running += 1;
        self.spawn(async move {
            let done = session.extensions().run_command(&line).await;
            Box::new(move |app: &mut Self| {
                app.extensions.running -= 1;
                if let Some(Err(reason)) = done {
                    app.say(Level::Error, &reason);
                }
                app.drop_ended_extensions();
            }) as Task
        });
        true
    }

    /// Runs what an extension bound to a key; `false` if none did.
    pub(in crate::app) fn extension_key(&mut self, chord: Chord) -> bool {
        let Some(owner) = self.composer.keys.added(chord).map(|added| added.owner.clone()) else {
            return false;
        };
        let Some(set) = self.extension_set() else { return false };
        let bound = set.list().into_iter().find_map(|extension| {
            let shortcuts = extension.registered().shortcuts;
            let own = |key: &str| key.parse::<Chord>().is_ok_and(|own| own == chord);
            let shortcut = shortcuts.into_iter().find(|shortcut| own(&shortcut.key))?;
            (extension.spec.name == owner).then_some((extension.id, shortcut.key))
        });
        let Some((id, key)) = bound else { return false };
        self.recording.leave_tape("a key of an extension");
        self.extensions.running += 1;
        self.spawn(async move {
            let done = set.run_shortcut(id, &key).await;
            Box::new(move |app: &mut Self| {
                app.extensions.running -= 1;
                if let Err(reason) = done {
                    app.complain(&format!("{chord} failed: {reason}"));
                }
                app.drop_ended_extensions();
            }) as Task
        });
        true
    }

    /// Binds the keys of extensions. One that is reserved or taken is told of.
    pub(in crate::app) fn bind_extension_keys(&mut self) {
        let Some(set) = self.extension_set() else { return };
        for extension in set.list() {
            for shortcut in extension.registered().shortcuts {
                let owner = extension.spec.name.clone();
                let refused = match shortcut.key.parse::<Chord>() {
                    Ok(chord)
                        if self.composer.keys.added(chord).is_some_and(|added| added.owner == owner) =>
                    {
                        continue;
                    }
                    Ok(chord) => {
                        let description = shortcut.description.clone();
                        let added = Added { chord, owner: owner.clone(), description };
                        self.composer.keys.add(added).err().map(|refused| refused.to_string())
                    }
                    Err(_) => Some(format!("{:?} is not a key", shortcut.key)),
                };
                let Some(refused) = refused else { continue };
                let remark = format!("extension {owner}: {refused}");
                if self.extensions.refused_keys.insert(remark.clone()) {
                    extension.note_failure("shortcut", &refused);
                    self.remark(&remark);
                }
            }
        }
    }
}

/// Is this line a command of an extension?
fn is_command(session: &Session, line: &str) -> bool {
    let Some(called) = line.strip_prefix('/') else { return false };
    let name = called.split_whitespace().next().filter(|name| called.starts_with(name));
    name.is_some_and(|name| session.extensions().commands().iter().any(|command| command.name == name))
}

/// Commands, keys or tools of extensions are others than before.
pub(super) fn offers_changed(app: &mut App) {
    app.know_drawers();
    app.look_around();
}

/// The commands of extensions, for completion. A name that another extension has as well is there once.
pub(in crate::app) fn infos(session: &Session) -> Vec<CommandInfo> {
    let info = |command: omp_sdk::extensions::CommandSpec| CommandInfo {
        name: command.name,
        description: super::surfaces::unstyled(&command.description).replace('\n', " "),
        arguments: Arguments::Optional,
        ..CommandInfo::default()
    };
    session.extensions().commands().into_iter().map(info).collect()
}

/// What can follow a command of an extension. May wait for its script.
pub(in crate::app) fn argument_offers(session: &Session, command: &str, text: &str) -> Vec<Offer> {
    let Some(set) = session.extensions().set() else { return Vec::new() };
    if !session.extensions().commands().iter().any(|known| known.name == command && known.completes) {
        return Vec::new();
    }
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return Vec::new() };
    let found = runtime.block_on(set.complete_argument(command, text));
    let offer = |item: omp_sdk::extensions::Completion| {
        let detail = item
            .description
            .unwrap_or_else(|| if item.label == item.value { String::new() } else { item.label });
        Offer::new(item.value).with_detail(super::surfaces::unstyled(&detail).replace('\n', " "))
    };
    found.into_iter().map(offer).collect()
}

/// What an extension made of a prompt, with the pictures that were in it.
fn changed(content: &Content, left: &UserContent) -> Content {
    let mut changed = Content::default();
    changed.push(ContentPart::Text(left.text()));
    for handle in content.images() {
        changed.push(ContentPart::Image(handle));
    }
    changed
}
