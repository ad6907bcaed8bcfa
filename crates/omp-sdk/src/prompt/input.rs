//! What helps somebody who types: words with a meaning, URLs that could be meant, pastes that become files, and drafts.

use std::fs::DirBuilder;
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use omp_agent::Prompt;
use omp_config::discovery::Skill;
use omp_config::settings::Settings;
use omp_config::settings::keys;
use omp_extend::Commands;
use omp_extend::keywords;
use omp_session::artifacts_directory;
use omp_tools::{Completion, InternalUrl, Resources};
use omp_types::UserContent;
use omp_workspace::write::{Mode, write};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::configure;
use crate::hooks::HookEvent;
use crate::prompt::bundled_commands;
use crate::prompt::expand::expand;
use crate::prompt::knowledge;
use crate::session::Session;

/// Pastes that one session can keep as files.
const MOST_PASTES: usize = 10_000;

/// Drafts that are larger are not read: no editor wrote them.
const LARGEST_DRAFT: u64 = 256 * 1024 * 1024;

/// Where words stand in a text that change the turn, as far as the settings let them.
pub fn keyword_spans(settings: &Settings, text: &str) -> Vec<Range<usize>> {
    let switches = configure::keywords(settings);
    let spans = keywords::spans(text).into_iter();
    spans.filter(|(_, keyword)| switches.admit(*keyword)).map(|(span, _)| span).collect()
}

/// What an editor for prompts needs: commands, completion of URLs, expansion, pastes, drafts, and mentioned files.
#[derive(Clone, Copy)]
pub struct PromptInput<'s> {
    pub(crate) session: &'s Session,
}

impl<'s> PromptInput<'s> {
    fn resources(self) -> &'s Resources {
        &self.session.modes.context.resources
    }

    /// The schemes whose URLs this session can read, in small letters.
    pub fn url_schemes(self) -> Vec<String> {
        self.resources().schemes().map(str::to_owned).collect()
    }

    /// At most 25 URLs that could be meant by what was typed, best first, with a few words about each. May wait for the
    /// disk.
    pub fn complete_url(self, typed: &str) -> Vec<(String, String)> {
        let pair = |found: Completion| (found.url, found.description);
        self.resources().complete(typed).into_iter().map(pair).collect()
    }

    /// What was typed as the model gets it: skills, commands and templates are put in the place of their names. For words
    /// that are queued; [`Session::prompt`] does it by itself. With things the user should know.
    pub async fn expand(self, content: UserContent) -> (UserContent, Vec<String>) {
        if let UserContent::Text(typed) = &content
            && let Some(text) =
                bundled_commands::green(typed, &self.session.cwd(), &CancellationToken::new()).await
        {
            return (UserContent::Text(text), Vec::new());
        }
        let settings = self.session.settings();
        let words = Prompt::words(content);
        let expansion =
            expand(words, &self.session.sources.knowledge.get().skills, &settings, || self.commands());
        (expansion.prompt.content, expansion.warnings)
    }

    /// Do hooks want to see what is typed?
    pub fn has_prompt_hooks(self) -> bool {
        self.session.hooks.hooks.has(HookEvent::UserPromptSubmit)
    }

    /// Asks hooks about words that are queued; [`Session::prompt`] does it by itself. The error says why they are not
    /// to be queued.
    pub async fn ask_hooks(self, content: &UserContent) -> Result<(), String> {
        self.session.hooks.typed(content).await
    }

    /// Keeps a text as a new `local://` file; its URL.
    pub async fn save_paste(self, text: &str) -> Result<String, String> {
        let resources = self.resources().clone();
        let free = tokio::task::spawn_blocking(move || free_name(&resources));
        let url = free.await.map_err(|error| format!("could not save the paste: {error}"))??;
        self.resources().write(&url, text, &CancellationToken::new()).await?;
        Ok(url.to_string())
    }

    /// Keeps what was typed and not sent for the time when the session is resumed. A session that was never saved cannot
    /// be resumed, so nothing is kept of it.
    pub async fn save_draft(self, draft: Value) -> Result<(), String> {
        let Some(path) = self.draft_file() else { return Ok(()) };
        let write_now = move || {
            let folder = path.parent().unwrap_or(Path::new("."));
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            let made = made.map_err(|error| error.to_string());
            let text = draft.to_string();
            made.and_then(|()| {
                write(&path, text.as_bytes(), Mode::Private).map_err(|error| error.to_string())
            })
            .map(drop)
            .map_err(|error| format!("could not save the draft to {}: {error}", path.display()))
        };
        tokio::task::spawn_blocking(write_now).await.unwrap_or(Ok(()))
    }

    /// What was kept by [`PromptInput::save_draft`]; it is given only once.
    pub async fn take_draft(self) -> Option<Value> {
        let path = self.draft_file()?;
        let take = move || {
            let small = std::fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST_DRAFT);
            let text = std::fs::read_to_string(&path).ok().filter(|_| small)?;
            // A draft that stays behind would come back when it was sent long ago.
            std::fs::remove_file(&path).ok()?;
            serde_json::from_str(&text).ok()
        };
        tokio::task::spawn_blocking(take).await.ok().flatten()
    }

    fn draft_file(self) -> Option<PathBuf> {
        let file = self.session.file().filter(|file| file.is_file())?;
        Some(artifacts_directory(&file).join("draft.json"))
    }

    /// Commands of the user and the project, behind `/<name>`.
    pub fn commands(self) -> Commands {
        knowledge::commands(&self.session.discovery(), &self.session.settings())
    }

    /// Hears what the user typed, without what was attached to it, before it is said: files it mentions go with it, and
    /// it is kept in the history of prompts. A session that is not saved keeps nothing.
    pub fn note_typed(self, text: &str) {
        self.send_mentioned(text);
        self.session.tools.modes.named.hear(text);
        if let Some(notes) = &self.session.notes {
            notes.add(text);
        }
    }

    /// The skills that can be called as `/skill:<name>`, with what they are for.
    pub fn skill_commands(self) -> Vec<(String, String)> {
        if !self.session.settings().get(keys::SKILLS_ENABLE_SKILL_COMMANDS) {
            return Vec::new();
        }
        let knowledge = self.session.sources.knowledge.get();
        let row = |skill: &Skill| (skill.name.clone(), skill.description.clone().unwrap_or_default());
        knowledge.skills.all().map(row).collect()
    }
}

/// The first of the names for pastes behind which there is no file.
fn free_name(resources: &Resources) -> Result<InternalUrl, String> {
    for number in 1..=MOST_PASTES {
        let Some(url) = InternalUrl::parse(&format!("local://paste-{number}.txt")) else { break };
        if !resources.locate(&url)?.exists() {
            return Ok(url);
        }
    }
    Err(format!(
        "this session already has {MOST_PASTES} saved pastes: save the text to a file and mention it with @"
    ))
}
