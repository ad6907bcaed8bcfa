//! The tools of a session without a conversation, for callers that are not trusted: every call passes the gate that a model's
//! calls pass.

use std::sync::Arc;

use omp_agent::{Gate, Tool, ToolError, Updates, Validators, call_tool};
use omp_auth::client_options;
use omp_guard::secrets::Secrets;
use omp_llm::Client;
use omp_models::load_registry;
use omp_resources::SessionFolder;
use omp_session::SessionWriter;
use omp_shell::{Scope, SecretNames};
use omp_types::{ToolCall, ToolDefinition, ToolOutput, UserBlock};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::configure;
use crate::error::SessionError;
use crate::guard::{Guard, sandbox};
use crate::prompt::knowledge::{self, CurrentKnowledge, Knowledge};
use crate::secrets::masking;
use crate::session::builder::SessionBuilder;
use crate::session::options::SessionOptions;

/// Tools behind the gate of a session.
pub struct GatedTools {
    tools: Vec<Arc<dyn Tool>>,
    gate: Arc<dyn Gate>,
    validators: Validators,
    /// What callers do not get to see.
    secrets: Option<Arc<Secrets>>,
    context: Arc<omp_tools::Context>,
    scope: Arc<Scope>,
    warnings: Vec<String>,
}

impl GatedTools {
    /// Builds the tools as a session with these options would have them. Asks no model and saves nothing.
    pub fn open(options: SessionOptions) -> Result<Self, SessionError> {
        let mut builder = SessionBuilder::new(options)?;
        let client = Client::new(client_options(builder.options.environment.as_ref()))?;
        let registry = load_registry(&builder.options.directories, &builder.settings, &mut builder.warnings);
        let environment = Arc::clone(&builder.options.environment);
        builder.edit_mode =
            configure::edit_mode(&builder.settings, environment.as_ref(), "", &mut builder.warnings)?;
        let names = SecretNames::default().and(registry.key_variables());
        let discovery =
            knowledge::discovery(&builder.options.directories, &builder.options.cwd, &builder.settings);
        let known = Knowledge::load(&discovery, &builder.settings, &builder.options);
        let known = Arc::new(CurrentKnowledge::new(known));
        let scope = Arc::new(Scope::new());
        let writer = SessionWriter::in_memory(&builder.options.cwd);
        let folder = SessionFolder::of(&writer);
        let (tools, context) = builder.build_tools(&known, &scope, &names, &folder, &client, None);
        let hidden = builder.secrets(&writer.header().id, &registry);
        let secrets = hidden.outbound.as_ref().map(|outbound| Arc::clone(outbound.secrets()));
        let asker = builder.options.people.asker.take();
        let modes = Arc::clone(&context.modes);
        let guard = Guard::new(&builder.settings, asker, secrets.clone(), builder.trust(), modes);
        let guard = Arc::new(guard);
        sandbox::connect(&guard, &context);
        let gate = masking::gate(guard, hidden.masks.as_ref());
        let warnings = builder.warnings;
        let secrets = secrets.or(hidden.masks);
        Ok(Self { tools, gate, validators: Validators::default(), secrets, context, scope, warnings })
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The tools that there are.
    pub fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.iter().map(|tool| tool.definition())
    }

    /// Runs a call, if it is approved. Questions about it go to the asker with its `id`; secrets are masked.
    pub async fn call(
        &self,
        id: &str,
        tool: &str,
        arguments: Map<String, Value>,
        cancel: CancellationToken,
        progress: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<ToolOutput, ToolError> {
        let found = self.tools.iter().find(|known| known.definition().name == tool);
        let found = found.ok_or_else(|| ToolError::new(format!("the tool {tool} is disabled")))?;
        let call = ToolCall {
            id: id.to_owned(),
            name: tool.to_owned(),
            arguments,
            thought_signature: None,
            intent: None,
            invalid_arguments: None,
            custom: false,
        };
        let secrets = self.secrets.clone();
        let updates = Updates::new(move |partial| {
            let text = partial.content.iter().find_map(UserBlock::as_text).unwrap_or_default();
            let last = text.trim_end().lines().next_back().unwrap_or_default();
            match &secrets {
                Some(secrets) => progress(&secrets.masked(last)),
                None => progress(last),
            }
        });
        let result = call_tool(&*self.gate, &self.validators, found, &call, cancel, updates).await;
        match result {
            Ok(output) => Ok(self.masked(output)),
            Err(error) => Err(ToolError { message: self.mask(error.message), ..error }),
        }
    }

    fn mask(&self, text: String) -> String {
        match self.secrets.as_ref().and_then(|secrets| secrets.obfuscate(&text)) {
            Some(masked) => masked,
            None => text,
        }
    }

    fn masked(&self, output: ToolOutput) -> ToolOutput {
        let block = |block: UserBlock| match block {
            UserBlock::Text(mut text) => {
                text.text = self.mask(text.text);
                UserBlock::Text(text)
            }
            other => other,
        };
        ToolOutput { content: output.content.into_iter().map(block).collect(), ..output }
    }

    /// Ends every process that was started.
    pub async fn close(&self) {
        if let Some(lsp) = &self.context.lsp {
            lsp.servers.close().await;
        }
        self.scope.end().await;
    }
}
