//! `@path` in the words of the user: the files it names go to the model with them.
//!
//! A token names a file if one is there: `@scope/package`, `@decorator` and mail addresses stay words. Code in backticks is
//! left alone, and so is a token in quotes.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use omp_agent::Clock;
use omp_config::discovery::path_tokens;
use omp_config::settings::keys;
use omp_replay::Deck;
use omp_types::{CustomMessage, UserBlock, UserContent};
use omp_workspace::image::Fit;
use serde_json::json;

use crate::clock::SystemClock;
use crate::guard::file_borders::reading_borders;
use crate::prompt::attach::{Attached, resolve};
use crate::prompt::input::PromptInput;
use crate::session::tell_model;

/// The kind of the message that holds the files.
const FILE_MENTION: &str = "file-mention";
/// Files of one prompt.
const MOST_FILES: usize = 20;
/// Text of one file: more is read in parts, when it is needed.
const MAX_TEXT: u64 = 256 * 1024;

impl<'s> PromptInput<'s> {
    /// Lets the files that were mentioned go with the next prompt, or with the words that a run is about to read.
    pub(crate) fn send_mentioned(self, typed: &str) {
        let message = match &self.session.deck {
            Some(Deck::Play(player)) => player.take_note_of(FILE_MENTION),
            Some(deck) => self.mentioned(typed).map(|message| deck.note(message, true).0),
            None => self.mentioned(typed),
        };
        let Some(message) = message else { return };
        tell_model::send(&self.session.control(), message);
    }

    /// The files of a text as a message that only the model sees.
    fn mentioned(self, typed: &str) -> Option<CustomMessage> {
        // Commands have arguments of their own kind.
        if typed.starts_with(['!', '/', '$']) {
            return None;
        }
        let paths = mentions(typed, &self.session.places.cwd, &self.session.places.directories.home);
        if paths.is_empty() {
            return None;
        }
        let resize = self.session.settings().get(keys::IMAGES_AUTO_RESIZE);
        let fit = if resize { Fit::Shrink } else { Fit::Keep };
        let mut attached = Attached::new(reading_borders(&self.session.places.directories), fit, MAX_TEXT);
        for path in &paths {
            if let Err(problem) = attached.add(path) {
                attached.warnings.push(problem);
            }
        }
        self.mention_remarks().append(&mut attached.warnings);
        if attached.text.is_empty() {
            return None;
        }
        let mut blocks = vec![UserBlock::text(attached.text)];
        blocks.append(&mut attached.images);
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Some(CustomMessage {
            custom_type: FILE_MENTION.to_owned(),
            content: UserContent::Blocks(blocks),
            display: false,
            details: Some(json!({ "files": files })),
            timestamp: SystemClock.now_ms(),
        })
    }

    /// What is to be said about files that were left out.
    pub(crate) fn mention_remarks(self) -> std::sync::MutexGuard<'s, Vec<String>> {
        self.session.mention_remarks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files that a text names, each once.
fn mentions(text: &str, cwd: &Path, home: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for token in path_tokens(text) {
        let name = &text[token.start + 1..token.end];
        let candidates = [Some(name), without_lines(name)];
        let file = candidates.into_iter().flatten().map(|name| resolve(Path::new(name), cwd, home));
        let Some(path) = file.into_iter().find(|path| path.is_file()) else { continue };
        if !found.contains(&path) && found.len() < MOST_FILES {
            found.push(path);
        }
    }
    found
}

/// The path of `path:12` and `path:12-40`.
fn without_lines(name: &str) -> Option<&str> {
    let (path, lines) = name.rsplit_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    lines.split('-').all(is_number).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.ts", "b c.txt", "src/d.rs", "Makefile", "größe.txt"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let relative = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
        mentions(text, folder.path(), folder.path()).into_iter().map(relative).collect()
    }

    #[test]
    fn files_are_told_from_other_words() {
        for (text, files) in [
            ("look at @a.ts", vec!["a.ts"]),
            ("@src/d.rs", vec!["src/d.rs"]),
            ("compare @a.ts, @src/d.rs and @Makefile.", vec!["a.ts", "src/d.rs", "Makefile"]),
            ("what is in @a.ts?\n@größe.txt", vec!["a.ts", "größe.txt"]),
            ("twice @a.ts @./a.ts", vec!["a.ts"]),
            ("lines @a.ts:3-9 and @src/d.rs:7", vec!["a.ts", "src/d.rs"]),
            ("@missing.ts and @src", vec![]),
            ("mail me@a.ts", vec![]),
            ("npm i @scope/package @types/node", vec![]),
            ("@app.route('/') and @Component({})", vec![]),
            ("`@a.ts` and\n```\n@a.ts\n```", vec![]),
            ("\"@a.ts\" and '@a.ts'", vec![]),
            ("an escaped \\@a.ts", vec![]),
            ("@", vec![]),
        ] {
            assert_eq!(named(text), files, "{text}");
        }
    }
}
