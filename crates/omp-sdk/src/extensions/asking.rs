//! What extensions say to a prompt, to a run that begins, to a switch.

use omp_agent::{AgentError, Prompt, PromptForm};
use omp_extension_host::{EventName, Injected, InputAnswer, SuppliedResult};
use omp_tools::UserCommand;
use omp_types::{CustomMessage, UserBlock, UserContent};
use serde_json::{Value, json};

use crate::extensions::port::custom_message;
use crate::extensions::{lock, models, tools};
use crate::session::Session;

/// What becomes of a prompt.
pub(crate) enum Asked {
    Send(Prompt),
    /// An extension has dealt with it.
    Handled,
}

impl Session {
    /// What extensions make of something that was typed, before anything else does.
    pub async fn extension_input(&self, content: UserContent, source: &str) -> Option<UserContent> {
        self.extensions.started().await;
        let Some(set) = self.extensions.set.as_ref().filter(|set| set.listens(EventName::Input)) else {
            return Some(content);
        };
        let images = images(&content);
        let said = match set.input(&content.text(), images, source).await {
            InputAnswer::Unchanged => Some(content),
            InputAnswer::Handled => None,
            InputAnswer::Changed { text, images } => Some(with(text, images)),
        };
        // Nothing is asked twice on its way to the model.
        lock(&self.extensions.heard).clone_from(&said);
        said
    }

    /// What extensions make of a prompt: another one, or nothing is left to do. Their commands run here.
    pub(crate) async fn extensions_hear(&self, prompt: Prompt) -> Result<Asked, AgentError> {
        if self.extensions.set.is_none() || !matches!(prompt.form, PromptForm::Words) {
            return Ok(Asked::Send(prompt));
        }
        let heard = lock(&self.extensions.heard).take();
        let content = match heard.is_some_and(|heard| heard == prompt.content) {
            true => prompt.content,
            false => {
                let said = self.extension_input(prompt.content, "interactive").await;
                lock(&self.extensions.heard).take();
                let Some(content) = said else { return Ok(Asked::Handled) };
                content
            }
        };
        match self.extensions().run_command(content.text().trim()).await {
            None => Ok(Asked::Send(Prompt { content, form: prompt.form })),
            Some(Ok(())) => Ok(Asked::Handled),
            Some(Err(reason)) => {
                self.agent.notice(reason).await?;
                Ok(Asked::Handled)
            }
        }
    }

    /// What extensions add to a run that begins.
    pub(crate) async fn extensions_before_run(&self, prompt: &Prompt) -> Result<(), AgentError> {
        self.extensions.started().await;
        self.extensions.noted().await;
        tools::refresh(self);
        self.setup.set_run_system(None);
        let Some(set) = self.extensions.set.as_ref().filter(|set| set.listens(EventName::BeforeAgentStart))
        else {
            return Ok(());
        };
        if !matches!(prompt.form, PromptForm::Words) {
            return Ok(());
        }
        let system = omp_agent::Setup::system(&*self.setup);
        let images = images(&prompt.content).unwrap_or_default();
        let started = set.before_agent_start(&prompt.content.text(), images, &system).await;
        for message in started.messages.iter().filter_map(message) {
            self.control().next_prompt(message);
        }
        self.setup.set_run_system(started.system.map(Into::into));
        Ok(())
    }

    /// What an extension says came of a command of the user, instead of running it.
    pub(crate) async fn extensions_run(&self, command: &str, private: bool) -> Option<UserCommand> {
        let given = self.extensions.set.as_ref()?.user_bash(command, private, &self.places.cwd).await?;
        let SuppliedResult { output, exit_code, cancelled, truncated } = given;
        Some(UserCommand::supplied(&output, exit_code, cancelled, truncated))
    }

    /// Another model answers from now on.
    pub(crate) async fn extensions_hear_of_model(&self, model: &omp_llm::Model, previous: &omp_llm::Model) {
        let event = EventName::ModelSelect;
        if let Some(set) = self.extensions.set.as_ref().filter(|set| set.listens(event)) {
            let (model, previous) = (models::value(model), models::value(previous));
            let payload =
                json!({"type": event.name(), "model": model, "previousModel": previous, "source": "set"});
            set.tell(event, &payload).await;
        }
    }

    /// Does an extension want to hear how hard the model thinks?
    pub(crate) fn extensions_want_thinking(&self) -> bool {
        self.extensions.set.as_ref().is_some_and(|set| set.listens(EventName::ThinkingLevelSelect))
    }

    /// How hard the model thinks has changed.
    pub(crate) async fn extensions_hear_of_thinking(&self, level: &str, previous: &str) {
        let event = EventName::ThinkingLevelSelect;
        if let Some(set) = self.extensions.set.as_ref().filter(|set| set.listens(event)) {
            set.tell(event, &json!({"type": event.name(), "level": level, "previousLevel": previous})).await;
        }
    }

    /// May the program do this? `false` when an extension cancels it.
    pub(crate) async fn extensions_allow(&self, event: EventName, payload: Value) -> bool {
        match self.extensions.set.as_ref().filter(|set| set.listens(event)) {
            Some(set) => !set.before(event, payload).await.is_some_and(|answer| answer["cancel"] == true),
            None => true,
        }
    }
}

fn message(injected: &Injected) -> Option<CustomMessage> {
    custom_message(&json!({
        "customType": injected.custom_type, "content": injected.content, "display": injected.display,
        "details": injected.details,
    }))
}

fn images(content: &UserContent) -> Option<Value> {
    let UserContent::Blocks(blocks) = content else { return None };
    let images: Vec<&UserBlock> =
        blocks.iter().filter(|block| matches!(block, UserBlock::Image(_))).collect();
    (!images.is_empty()).then(|| json!(images))
}

fn with(text: String, images: Option<Value>) -> UserContent {
    let images: Vec<UserBlock> =
        images.and_then(|images| serde_json::from_value(images).ok()).unwrap_or_default();
    match images.is_empty() {
        true => UserContent::Text(text),
        false => UserContent::Blocks(std::iter::once(UserBlock::text(text)).chain(images).collect()),
    }
}
