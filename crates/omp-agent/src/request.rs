//! What one model call sends: system prompt, tools, conversation, options.

use std::sync::Arc;

use omp_types::{LineTool, ModelRequest, RequestOptions, ToolChoice, ToolDefinition};

use crate::agent::Forced;
use crate::intent;
use crate::parts::Note;
use crate::run::Run;
use crate::tool::Tool;

/// Tools as last offered. The definitions are rebuilt only when the set of tools changed.
#[derive(Default)]
pub(crate) struct ToolCache {
    tools: Vec<Arc<dyn Tool>>,
    definitions: Arc<[ToolDefinition]>,
    line_tools: Vec<LineTool>,
}

impl ToolCache {
    fn refresh(&mut self, tools: Vec<Arc<dyn Tool>>, intent_tracing: bool) {
        let same =
            self.tools.len() == tools.len() && self.tools.iter().zip(&tools).all(|(a, b)| Arc::ptr_eq(a, b));
        if same {
            return;
        }
        self.definitions = definitions(&tools, intent_tracing).into();
        self.line_tools = tools.iter().filter_map(|tool| line_tool(tool.as_ref())).collect();
        self.tools = tools;
    }

    /// The first tool that must be called now, and what the model is told about it.
    pub(crate) fn demand(&self) -> Option<(String, Note)> {
        self.tools.iter().find_map(|tool| Some((tool.definition().name.clone(), tool.demand()?)))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.definition().name == name)
    }
}

fn line_tool(tool: &dyn Tool) -> Option<LineTool> {
    let input = tool.line_input()?;
    Some(LineTool {
        name: tool.definition().name.clone(),
        parameter: input.parameter.to_owned(),
        header: input.header.to_owned(),
    })
}

/// Tools as a model gets them described.
pub fn definitions(tools: &[Arc<dyn Tool>], intent_tracing: bool) -> Vec<ToolDefinition> {
    let define = |tool: &Arc<dyn Tool>| match intent_tracing {
        true => intent::with_intent(tool.definition()),
        false => tool.definition().clone(),
    };
    tools.iter().map(define).collect()
}

impl Run<'_> {
    /// The tool set and the system prompt are read again: a tool may have changed them.
    pub(crate) fn request(&mut self) -> ModelRequest {
        self.state.tools.refresh(self.fixed.setup.tools(), self.state.config.intent_tracing);
        ModelRequest {
            system: self.fixed.setup.system(),
            tools: Arc::clone(&self.state.tools.definitions),
            messages: self.state.wire.clone(),
            options: self.options(),
        }
    }

    fn options(&self) -> RequestOptions {
        let mut options = self.state.config.request.clone();
        options.thinking = self.thinking.unwrap_or(options.thinking);
        options.line_tools.clone_from(&self.state.tools.line_tools);
        match &self.state.forced {
            Forced::Nothing => {}
            Forced::NoTools => options.tool_choice = ToolChoice::None,
            // Since the demand was made the tool may have gone, or another model may have taken over.
            Forced::Call { tool, .. } => {
                if self.state.model.can_force_tools() && self.state.tools.find(tool).is_some() {
                    options.tool_choice = ToolChoice::Tool(tool.clone());
                }
            }
        }
        options
    }
}
