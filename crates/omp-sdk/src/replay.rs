//! Recordings of a session, and their playback.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use omp_agent::{AgentError, Listener, Upkeep, definitions};
use omp_auth::{Environment, EnvironmentLookup};
use omp_config::Directories;
use omp_config::settings::{Layer, Secrecy, Setting, Settings, TABLE, keys};
use omp_guard::secrets::{Matcher, Mode, SecretEntry, Secrets, from_environment};
use omp_llm::registry::{Registry, SelectError, Selection, Wanted};
use omp_llm::{Api, Model, ModelSource, SocketMode, SocketOptions, Transport};
use omp_models::{Effort, ModelOptions};
use omp_replay::line::World;
use omp_replay::{Deck, Input, Player, Recorder, Report};
use omp_session::{Context, SharedWriter};
use omp_types::AgentEvent;
use omp_types::address::masked;
use omp_workspace::write::private_file;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::clock::SystemClock;
use crate::error::SessionError;
use crate::prompt::PromptReport;
use crate::secrets::known;
use crate::session::Session;
use crate::session::builder::{ChosenModel, SessionBuilder};
use crate::session::options::{Persistence, RuleChoice, SessionOptions, SkillChoice};
use crate::session::surroundings::Surroundings;

/// A longer session file is not part of a recording; a compaction in it is then not replayed exactly.
const LONGEST_FILE: u64 = 64 * 1024 * 1024;

/// The key of every provider in a playback: nobody is asked.
const KEY: &str = "recorded-key";

/// A recording that could not be played.
#[derive(Debug, thiserror::Error)]
pub enum PlaybackError {
    /// The file is no recording that this program understands.
    #[error(transparent)]
    Recording(#[from] omp_replay::ReplayError),
    /// The session could not be opened again.
    #[error("cannot open the recorded session: {0}")]
    Session(#[from] SessionError),
    /// The place for it could not be made.
    #[error("cannot create a directory for the replay: {0}")]
    Place(#[from] std::io::Error),
}

/// The recorded model. Nobody is asked about it.
pub(crate) fn selected(registry: &Registry, world: &World) -> Result<Selection, SelectError> {
    let demo = Registry::demo();
    if demo.model.selector() == world.selector {
        return Ok(demo);
    }
    let wanted = Wanted { pattern: Some(&world.selector), provider: None, api_key: None };
    registry.select(wanted, &EnvironmentLookup(&Nothing))
}

impl SessionBuilder {
    /// Puts the deck before the network and the clock.
    pub(crate) fn insert_deck(&mut self) {
        if let Some(deck) = &self.options.deck {
            let inner = self.options.clock.take().unwrap_or_else(|| Arc::new(SystemClock));
            self.options.clock = Some(deck.clock(inner));
        }
    }

    /// How requests travel: past a deck they go as plain requests.
    pub(crate) fn taped_sockets(&self, sockets: SocketOptions) -> SocketOptions {
        match self.options.deck {
            Some(_) => SocketOptions { mode: SocketMode::Off, ..sockets },
            None => sockets,
        }
    }

    /// Puts the deck before whoever listens. A recording begins here.
    pub(crate) fn start_deck(
        &self,
        chosen: &ChosenModel,
        surroundings: &Surroundings,
        effort: Effort,
        context: &Context,
        record: &SharedWriter,
        listener: Box<dyn Listener>,
    ) -> Box<dyn Listener> {
        let Some(deck) = &self.options.deck else { return listener };
        if let Deck::Record(recorder) = deck {
            let (session, file) = {
                let writer = record.lock();
                (writer.header().id.clone(), writer.path().filter(|_| writer.is_saved()).map(Path::to_owned))
            };
            let world = World {
                session: session.clone(),
                entries: file
                    .filter(|_| !context.messages.is_empty())
                    .map(|file| lines(&file))
                    .unwrap_or_default(),
                ..self.world(chosen, surroundings, effort, context)
            };
            recorder.begin(world, self.unspoken(chosen, &session));
        }
        deck.listener(listener)
    }

    fn world(
        &self,
        chosen: &ChosenModel,
        surroundings: &Surroundings,
        effort: Effort,
        context: &Context,
    ) -> World {
        let clock = self.options.clock.as_ref();
        World {
            at: clock.map_or(0, |clock| clock.now_ms()),
            cwd: self.options.cwd.to_string_lossy().into_owned(),
            home: self.options.directories.home.to_string_lossy().into_owned(),
            selector: chosen.model.selector(),
            models: described(&chosen.model),
            thinking: effort.word().to_owned(),
            system: surroundings.prompt.blocks().to_vec(),
            sticky: surroundings.knowledge.get().sticky.as_deref().map(str::to_owned),
            tools: definitions(&surroundings.tools, false),
            settings: changed(&self.settings),
            messages: context.messages.clone(),
            terminal: self.options.terminal.size,
            kept: self.options.persistence != Persistence::Off,
            ..World::default()
        }
    }

    /// Everything that must not be in a recording.
    fn unspoken(&self, chosen: &ChosenModel, session: &str) -> Secrets {
        let model = &chosen.model;
        // What is wrong with the files is said where they are used.
        let stored = known::stored(
            &chosen.registry,
            self.options.environment.as_ref(),
            self.options.model.api_key.as_deref(),
        );
        // Masks are the same in a playback, which knows no secret.
        let mut entries = known::mask_entries(&self.options, &self.settings, stored, &mut Vec::new());
        entries.extend(from_environment(self.options.environment.vars()));
        entries.extend(known::named(&self.options, &mut Vec::new()));
        let keys = model.key.iter().map(omp_llm::Secret::reveal).chain(self.options.model.api_key.as_deref());
        let headers = model.headers.values().map(String::as_str);
        let address = omp_types::address::secrets(&model.base_url);
        let long = |text: &&str| text.chars().count() >= 6;
        let plain =
            |text: &str| SecretEntry { matcher: Matcher::Plain(text.to_owned()), mode: Mode::Obfuscate };
        entries.extend(keys.chain(headers).chain(address.iter().map(String::as_str)).filter(long).map(plain));
        Secrets::new(entries, session)
    }
}

/// The lines of a session file, as far as they can be read.
fn lines(file: &Path) -> Vec<Value> {
    let short = file.metadata().is_ok_and(|facts| facts.len() <= LONGEST_FILE);
    let text = short.then(|| std::fs::read_to_string(file).ok()).flatten().unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Settings that are not as they come.
fn changed(settings: &Settings) -> Map<String, Value> {
    let told = |row: &&Setting| settings.origin(row.path) != Layer::Default && row.secrecy == Secrecy::Public;
    TABLE.iter().filter(told).map(|row| (row.path.to_owned(), settings.value(row))).collect()
}

/// What stands for the key of a model: of the form that its wire wants, and worth nothing.
fn stand_in(model: &Model) -> String {
    match model.api {
        // An account is known by its token: claims of no account in particular.
        Api::OpenAiCodexResponses => {
            let claims = json!({ "https://api.openai.com/auth": { "chatgpt_account_id": KEY } });
            format!("e30.{}.c2ln", BASE64_URL_SAFE_NO_PAD.encode(claims.to_string()))
        }
        // The project is part of every request.
        Api::GoogleGeminiCli => {
            let key = model.key.as_ref().map(omp_llm::Secret::reveal).unwrap_or_default();
            let mut key: Value = serde_json::from_str(key).unwrap_or_default();
            json!({ "token": KEY, "projectId": key["projectId"].take() }).to_string()
        }
        _ => KEY.to_owned(),
    }
}

/// A model as a models file describes it, with nothing that opens a door.
fn described(model: &Model) -> Value {
    let mut provider = json!({ "baseUrl": masked(&model.base_url), "apiKey": stand_in(model) });
    if model.facts.source != ModelSource::Builtin {
        provider["api"] = json!(model.api.name());
        if model.transport == Transport::PiNative {
            provider["transport"] = json!("pi-native");
        }
        provider["models"] = json!([{
            "id": model.id,
            "name": model.name,
            "reasoning": model.reasoning,
            "input": model.input,
            "cost": {
                "input": model.cost.input,
                "output": model.cost.output,
                "cacheRead": model.cost.cache_read,
                "cacheWrite": model.cost.cache_write,
            },
            "contextWindow": model.context_window,
            "maxTokens": model.max_tokens,
            "compat": model.facts.compat,
        }]);
    }
    json!({ "providers": { model.provider.as_str(): provider } })
}

/// What the model is told: in a playback what it was told then.
pub(crate) fn system(options: &SessionOptions, now: impl FnOnce() -> Arc<[String]>) -> Arc<[String]> {
    match &options.deck {
        Some(Deck::Play(player)) => player.world().system.as_slice().into(),
        _ => now(),
    }
}

/// What goes with every prompt, in the same way.
pub(crate) fn sticky(options: &SessionOptions, now: impl FnOnce() -> Option<Arc<str>>) -> Option<Arc<str>> {
    match &options.deck {
        Some(Deck::Play(player)) => player.world().sticky.as_deref().map(Arc::from),
        _ => now(),
    }
}

/// The account of what the model is told: in a playback of what it was told then.
pub(crate) fn report(options: &SessionOptions, mut report: PromptReport) -> PromptReport {
    if let Some(Deck::Play(player)) = &options.deck {
        let estimate = |block: &String| usize::try_from(omp_tokens::estimate(block)).unwrap_or(usize::MAX);
        let tokens = |blocks: &[String]| blocks.iter().map(estimate).sum::<usize>();
        let system = &player.world().system;
        report.tokens = report.tokens.saturating_sub(tokens(&report.blocks)) + tokens(system);
        report.blocks = system.clone();
    }
    report
}

/// Who looks after the conversation, in step with a screen that is played.
pub(crate) fn upkeep(options: &SessionOptions, inner: Arc<dyn Upkeep>) -> Arc<dyn Upkeep> {
    match &options.deck {
        Some(deck) => deck.upkeep(inner),
        None => inner,
    }
}

impl Session {
    /// What stops the run that begins now: in a playback what stopped it then.
    pub(crate) fn taped(&self, cancel: CancellationToken) -> CancellationToken {
        match &self.deck {
            Some(deck) => deck.run(&self.header().id, self.control(), cancel),
            None => cancel,
        }
    }

    /// Says again what was said before the run that begins now; `own` is what the session says by itself.
    pub(crate) async fn notices_again(&self, own: Option<&str>) -> Result<(), AgentError> {
        let player = self.deck.as_ref().and_then(Deck::player);
        for notice in player.map(|player| player.take_notices(own)).unwrap_or_default() {
            self.agent.notice(notice).await?;
        }
        Ok(())
    }

    /// The user changed something that requests depend on.
    pub(crate) fn turned(&self, what: &str) {
        if let Some(recorder) = self.recorder() {
            recorder.turned(what);
        }
    }

    /// What records the session, if anything does.
    pub fn recorder(&self) -> Option<Arc<Recorder>> {
        match &self.deck {
            Some(Deck::Record(recorder)) => Some(Arc::clone(recorder)),
            _ => None,
        }
    }

    /// Makes sure that a recording is on the disk; what went wrong with it, unless somebody was told.
    pub(crate) async fn end_recording(&self) -> Option<String> {
        let recorder = self.recorder()?;
        match tokio::task::spawn_blocking(move || recorder.finish()).await {
            Ok(trouble) => trouble.map(|why| incomplete(&why)),
            Err(_) => Some(incomplete("it was not finished in time")),
        }
    }
}

/// What the user is told of a recording that could not be written to its end.
pub fn incomplete(why: &str) -> String {
    format!("Recording stopped: {why}; the session continues without it")
}

/// Begins a recording in a new file, for [`SessionOptions::deck`].
pub fn record(path: &Path) -> std::io::Result<Deck> {
    Recorder::create(path).map(|recorder| Deck::Record(Arc::new(recorder)))
}

/// Nothing of this machine has a say in a playback.
struct Nothing;

impl Environment for Nothing {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Hears a playback and says nothing.
struct Silent;

impl Listener for Silent {
    fn event(&mut self, _event: AgentEvent) {}
}

/// A recording that is about to be played. Nothing of it touches the network, and no tool runs.
pub struct Playback {
    player: Arc<Player>,
    place: PathBuf,
}

/// Who answers what the session asks while it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// What was allowed then is allowed now; nobody is asked.
    AsRecorded,
    /// The screen that is played with it.
    Screen,
}

impl Playback {
    /// Reads a recording. `place` is an empty directory that belongs to the playback.
    pub async fn load(path: &Path, place: &Path) -> Result<Self, PlaybackError> {
        let path = path.to_owned();
        let loading = tokio::task::spawn_blocking(move || Player::load(&path));
        let player = loading.await.map_err(|_| SessionError::Interrupted)??;
        Ok(Self { player: Arc::new(player), place: place.to_owned() })
    }

    /// What plays it.
    pub fn player(&self) -> &Arc<Player> {
        &self.player
    }

    /// The recorded session, with everything that is not in the recording left out.
    pub fn options(&self, answers: Answers) -> Result<SessionOptions, PlaybackError> {
        let mut options = options(&self.player, &self.place)?;
        if let (Some(settings), Answers::AsRecorded) = (&mut options.settings, answers) {
            let path = keys::TOOLS_APPROVAL_MODE.path();
            settings.set_override(path, json!("yolo")).map_err(SessionError::from)?;
        }
        Ok(options)
    }

    /// Gives a session the conversation that it went on with.
    pub async fn begin(&self, session: &Session) -> Result<(), PlaybackError> {
        let messages = self.player.world().messages.clone();
        session.agent.load(messages).await.map_err(SessionError::from)?;
        Ok(())
    }

    /// Says what was not said yet, and tells how everything went. The session is closed.
    pub async fn finish(&self, session: &Session) -> Result<Report, PlaybackError> {
        while let Some(input) = self.player.next_input() {
            let cancel = CancellationToken::new();
            let ended = match input {
                Input::Prompt(prompt) => session.prompt(prompt, cancel).await.map(drop),
                Input::Retry => session.retry(cancel).await.map(drop),
                Input::Turned(what) => {
                    self.player.end_at(&what);
                    Ok(())
                }
                Input::Note(message, later) => {
                    self.player.take_note();
                    session.shell().add_note(message, later).await
                }
            };
            ended.map_err(SessionError::from)?;
        }
        session.close().await;
        Ok(self.player.report())
    }
}

/// Plays a recording without a screen. `place` is an empty directory that belongs to the playback.
pub async fn replay(path: &Path, place: &Path) -> Result<Report, PlaybackError> {
    let playback = Playback::load(path, place).await?;
    let session = Session::open(playback.options(Answers::AsRecorded)?, Box::new(Silent)).await?;
    playback.begin(&session).await?;
    playback.finish(&session).await
}

/// Where the replayed session is saved. A saved conversation can be looked into later, and the model is told so.
fn persistence(world: &World, place: &Path) -> std::io::Result<Persistence> {
    if !world.kept {
        return Ok(Persistence::Off);
    }
    if world.entries.is_empty() {
        return Ok(Persistence::New);
    }
    let file = place.join("continued.jsonl");
    let mut writer = private_file(&file)?;
    for entry in &world.entries {
        writeln!(writer, "{entry}")?;
    }
    Ok(Persistence::Resume(file.to_string_lossy().into_owned()))
}

/// The recorded session, with everything that is not in the recording left out.
fn options(player: &Arc<Player>, place: &Path) -> Result<SessionOptions, PlaybackError> {
    let world = player.world();
    let home = place.to_string_lossy().into_owned();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| home.clone()));
    let directories = directories.map_err(|error| std::io::Error::other(error.to_string()))?;
    let models_file = place.join("models.json");
    private_file(&models_file)?.write_all(world.models.to_string().as_bytes())?;
    let mut settings = Settings::defaults();
    for (path, value) in &world.settings {
        // A setting that is gone since then has no say.
        let _ = settings.set_override(path, value.clone());
    }
    Ok(SessionOptions {
        settings: Some(settings),
        model: ModelOptions {
            file: Some(models_file),
            thinking: Effort::from_word(&world.thinking),
            ..ModelOptions::named(world.selector.clone())
        },
        skills: SkillChoice::None,
        rules: RuleChoice::None,
        persistence: persistence(world, place)?,
        deck: Some(Deck::Play(Arc::clone(player))),
        ..SessionOptions::new(PathBuf::from(&world.cwd), directories, Arc::new(Nothing))
    })
}
