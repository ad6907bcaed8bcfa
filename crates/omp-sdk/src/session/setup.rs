//! What the loop reads before every model call, and what goes with the user's words.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_agent::{Beside, Note, Setup, Tool};
use omp_extend::{KeywordSwitches, SubAgents, keywords};
use omp_models::Effort;
use omp_modes::SessionModes;
use omp_types::{CustomMessage, Message, ThinkingLevel};
use serde_json::Value;

use crate::tools::toolbox::SearchableTools;

/// The kind of the message that a skill command leaves in the session.
pub(crate) const SKILL_PROMPT: &str = "skill-prompt";
/// The tool that starts sub-agents.
const TASK: &str = "task";

/// Prompt, tools and standing rules of a session.
pub(crate) struct SessionSetup {
    pub(crate) modes: Arc<SessionModes>,
    pub(crate) system: Arc<[String]>,
    /// The only tools that an extension wants the model to have.
    pub(crate) chosen: Mutex<Option<Vec<String>>>,
    /// The prompt of this run, where an extension wants another one.
    pub(crate) run_system: Mutex<Option<Arc<[String]>>>,
    pub(crate) tools: Mutex<Vec<Arc<dyn Tool>>>,
    /// Tools that the model has to search for.
    pub(crate) searchable: Arc<SearchableTools>,
    pub(crate) sticky: Option<Arc<str>>,
    pub(crate) keywords: KeywordSwitches,
    pub(crate) effort: Effort,
    /// The most the model can do.
    pub(crate) highest: ThinkingLevel,
}

impl SessionSetup {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<dyn Tool>>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tools that the model has at the moment.
    pub(crate) fn offered(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = self.lock().clone();
        if let Some(chosen) = self.chosen.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            tools.retain(|tool| chosen.contains(&tool.definition().name));
        }
        self.modes.tools(&[tools.as_slice(), &self.searchable.found()].concat())
    }

    /// All tools that there are, also those that the model does not have at the moment.
    pub(crate) fn all(&self) -> Vec<Arc<dyn Tool>> {
        self.lock().clone()
    }

    /// Gives the model these tools and no others.
    pub(crate) fn choose(&self, names: &[String]) {
        *self.chosen.lock().unwrap_or_else(PoisonError::into_inner) = Some(names.to_vec());
    }

    /// The prompt of the run that begins; `None` is the usual one.
    pub(crate) fn set_run_system(&self, system: Option<Arc<[String]>>) {
        *self.run_system.lock().unwrap_or_else(PoisonError::into_inner) = system;
    }

    /// Puts a tool in the place of the one with that name, behind all others if there was none, or takes it away.
    pub(crate) fn exchange(&self, name: &str, tool: Option<Arc<dyn Tool>>) {
        let mut tools = self.lock();
        let at = tools.iter().position(|other| other.definition().name == name);
        match (at, tool) {
            (Some(at), Some(tool)) => tools[at] = tool,
            (Some(at), None) => drop(tools.remove(at)),
            (None, Some(tool)) => tools.push(tool),
            (None, None) => {}
        }
    }
}

impl SessionSetup {
    /// Tools of servers that have arrived, or have changed.
    pub(crate) fn admit(&self, tools: Vec<Arc<dyn Tool>>) {
        self.searchable.admit(&mut self.lock(), tools);
    }

    /// Tools that are gone.
    pub(crate) fn withdraw(&self, names: &[String]) {
        self.lock().retain(|tool| !names.contains(&tool.definition().name));
        self.searchable.withdraw(names);
    }
}

impl Setup for SessionSetup {
    fn system(&self) -> Arc<[String]> {
        let of_run = self.run_system.lock().unwrap_or_else(PoisonError::into_inner).clone();
        of_run.unwrap_or_else(|| Arc::clone(&self.system))
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.offered()
    }

    fn sticky(&self) -> Option<Arc<str>> {
        self.sticky.clone()
    }

    fn beside(&self, message: &Message) -> Option<Beside> {
        let magic = keywords::find(&words(message)?, &self.keywords);
        let agents = match self.lock().iter().any(|tool| tool.definition().name == TASK) {
            true => SubAgents::Available,
            false => SubAgents::Absent,
        };
        let notes = keywords::instructions(&magic, agents).into_iter();
        let notes = notes.map(|(_, text)| Note { custom_type: "magic-keyword", text: text.into() }).collect();
        let raised = magic.ultrathink && self.effort == Effort::Auto;
        Some(Beside { notes, thinking: raised.then_some(self.highest) })
    }
}

/// What the user said: the words of a prompt, or what was written after a skill command. The skill's own text
/// means nothing here, and neither do messages of the program.
fn words(message: &Message) -> Option<String> {
    match message {
        Message::User(user) => Some(user.content.text()),
        Message::Custom(CustomMessage { custom_type, details, .. }) if custom_type == SKILL_PROMPT => {
            let given = details.as_ref().and_then(|details| details.get("args")).and_then(Value::as_str);
            Some(given.unwrap_or_default().to_owned())
        }
        _ => None,
    }
}
