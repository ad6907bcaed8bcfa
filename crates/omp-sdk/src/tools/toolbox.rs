//! Which tools a model is offered from the start, and which it has to search for.
//!
//! Every definition costs tokens in every request, and a model with a hundred tools chooses badly among them. Tools that
//! are found are added behind the others and never taken away or moved: providers keep the part of the prompt before
//! them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use omp_agent::Tool;
use omp_config::settings::{Settings, keys, strings};
use omp_session::SharedWriter;
use omp_session::{EntryKind, McpToolSelection};
use omp_tools::{DiscoverableTool, Shelf, ToolIndex, is_searchable, search_tool};
use omp_types::{BUILTIN_TOOLS, TOOL_NAMES, ToolTrait};

use crate::session::options::ToolFilter;

/// More tools than this are too many, unless the user says otherwise.
const MANY: usize = 40;

/// The tools of a session.
pub(crate) struct Toolbox {
    /// Offered from the start.
    pub(crate) offered: Vec<Arc<dyn Tool>>,
    /// The others, if there is a way to find them.
    pub(crate) searchable: Option<Arc<SearchableTools>>,
}

/// `tools.discoveryMode`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Auto,
    Off,
    McpOnly,
    All,
}

impl Mode {
    fn of(settings: &Settings) -> Self {
        match settings.get(keys::TOOLS_DISCOVERY_MODE) {
            "off" => Self::Off,
            "mcp-only" => Self::McpOnly,
            "all" => Self::All,
            _ => Self::Auto,
        }
    }
}

impl Toolbox {
    /// Decides about `tools`, in their order. Tools that the user named are not hidden.
    pub(crate) fn arrange(settings: &Settings, filter: &ToolFilter, tools: Vec<Arc<dyn Tool>>) -> Self {
        let mode = match Mode::of(settings) {
            Mode::Auto if tools.len() > MANY => Mode::McpOnly,
            Mode::Auto => Mode::Off,
            mode => mode,
        };
        let asked_for = Mode::of(settings) != Mode::Auto && *filter == ToolFilter::All;
        let named = matches!(filter, ToolFilter::Only(_));
        let essential = essential(settings);
        let hides = |tool: &Arc<dyn Tool>| match mode {
            Mode::Auto | Mode::Off => false,
            Mode::McpOnly => is_mcp(tool),
            Mode::All => is_mcp(tool) || (!named && is_builtin(tool) && !essential.contains(&name(tool))),
        };
        let (hidden, mut offered): (Vec<_>, Vec<_>) =
            tools.into_iter().partition(|tool| hides(tool) && is_searchable(name(tool)));
        if mode == Mode::Off || (hidden.is_empty() && !asked_for) {
            return Self { offered, searchable: None };
        }
        let searchable =
            Arc::new(SearchableTools { hidden, state: Mutex::default(), record: OnceLock::new() });
        offered.push(search_tool(Some(Arc::clone(&searchable) as Arc<dyn Shelf>)));
        Self { offered, searchable: Some(searchable) }
    }
}

/// Adds the tools of the embedding program. A name that is taken stays with the tool that has it.
pub(crate) fn add(tools: &mut Vec<Arc<dyn Tool>>, own: Vec<Arc<dyn Tool>>, warnings: &mut Vec<String>) {
    for tool in own {
        if tools.iter().any(|other| name(other) == name(&tool)) {
            warnings.push(format!("two tools are named {}; the second is ignored", name(&tool)));
        } else {
            tools.push(tool);
        }
    }
}

/// The tools that are not offered from the start.
pub(crate) struct SearchableTools {
    hidden: Vec<Arc<dyn Tool>>,
    state: Mutex<SearchState>,
    record: OnceLock<SharedWriter>,
}

#[derive(Default)]
struct SearchState {
    /// What was found, in that order.
    selected: Vec<String>,
    /// What is left, ready to be searched.
    index: Option<Arc<ToolIndex>>,
}

impl SearchableTools {
    /// Takes up what an earlier part of the conversation had found; what is found from now on is kept in `record`.
    pub(crate) fn begin(&self, record: SharedWriter, found: Option<&[String]>) {
        let known = |name: &&String| self.find(name).is_some();
        self.lock().selected = found.unwrap_or_default().iter().filter(known).cloned().collect();
        // A shelf belongs to one session, so there is nothing to replace.
        let _ = self.record.set(record);
    }

    /// What was found so far, in that order.
    pub(crate) fn found(&self) -> Vec<Arc<dyn Tool>> {
        self.lock().selected.iter().filter_map(|name| self.find(name).cloned()).collect()
    }

    fn find(&self, wanted: &str) -> Option<&Arc<dyn Tool>> {
        self.hidden.iter().find(|tool| name(tool) == wanted)
    }

    fn left(&self, selected: &[String]) -> Vec<DiscoverableTool> {
        let left = self.hidden.iter().filter(|tool| !selected.iter().any(|selected| selected == name(tool)));
        left.map(|tool| DiscoverableTool::of(tool.as_ref())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, SearchState> {
        // Valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf for SearchableTools {
    /// There is no shelf where searching is off.
    fn is_enabled(&self) -> bool {
        true
    }

    fn tools(&self) -> Result<Vec<DiscoverableTool>, String> {
        Ok(self.left(&self.lock().selected))
    }

    fn index(&self) -> Result<Option<Arc<ToolIndex>>, String> {
        let mut state = self.lock();
        if state.index.is_none() {
            state.index = Some(Arc::new(ToolIndex::new(self.left(&state.selected))));
        }
        Ok(state.index.clone())
    }

    fn selected(&self) -> Vec<String> {
        self.lock().selected.clone()
    }

    fn activate(&self, names: &[String]) -> Vec<String> {
        let mut state = self.lock();
        let mut new = Vec::new();
        for name in names {
            if !state.selected.contains(name) && self.find(name).is_some() {
                state.selected.push(name.clone());
                new.push(name.clone());
            }
        }
        if !new.is_empty() {
            state.index = None;
            if let Some(record) = self.record.get() {
                let selected_tool_names = state.selected.clone();
                record.lock().append(EntryKind::McpToolSelection(McpToolSelection { selected_tool_names }));
            }
        }
        new
    }
}

/// The tools that are never hidden.
fn essential(settings: &Settings) -> Vec<&str> {
    let chosen: Vec<&str> = strings(settings.get(keys::TOOLS_ESSENTIAL_OVERRIDE)).collect();
    match chosen.is_empty() {
        true => {
            let essential = BUILTIN_TOOLS.iter().filter(|tool| tool.has(ToolTrait::Essential));
            essential.map(|tool| tool.name).collect()
        }
        false => chosen,
    }
}

fn name(tool: &Arc<dyn Tool>) -> &str {
    &tool.definition().name
}

fn is_mcp(tool: &Arc<dyn Tool>) -> bool {
    tool.origin().is_some_and(|origin| origin.mcp.is_some())
}

/// A tool of the program that users may choose; the others belong to something that is running.
fn is_builtin(tool: &Arc<dyn Tool>) -> bool {
    tool.origin().is_none() && TOOL_NAMES.contains(&name(tool))
}
