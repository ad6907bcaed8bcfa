//! Which tools a model is offered from the start, and which it has to search for.
//!
//! Every definition costs tokens in every request, and a model with a hundred tools chooses badly among them. Tools that
//! are found are added behind the others and never taken away or moved: providers keep the part of the prompt before
//! them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use omp_agent::Tool;
use omp_config::settings::{Settings, keys, strings};
use omp_session::SharedWriter;
use omp_session::{EntryKind, McpToolSelection};
use omp_tools::{DiscoverableTool, SEARCH_TOOL, Shelf, ToolIndex, is_searchable, search_tool};
use omp_types::{BUILTIN_TOOLS, TOOL_NAMES, ToolTrait};

use crate::session::options::ToolFilter;

/// More tools than this are too many, unless the user says otherwise.
const MANY: usize = 40;

/// The tools of a session.
pub(crate) struct Toolbox {
    /// Offered from the start.
    pub(crate) offered: Vec<Arc<dyn Tool>>,
    /// The others.
    pub(crate) searchable: Arc<SearchableTools>,
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
        let setting = Mode::of(settings);
        let mode = match setting {
            Mode::Auto if tools.len() > MANY => Mode::McpOnly,
            Mode::Auto => Mode::Off,
            mode => mode,
        };
        let asked_for = setting != Mode::Auto && *filter == ToolFilter::All;
        let named = matches!(filter, ToolFilter::Only(_));
        let essential = essential(settings);
        let hides = |tool: &Arc<dyn Tool>| match mode {
            Mode::Auto | Mode::Off => false,
            Mode::McpOnly => is_mcp(tool),
            Mode::All => is_mcp(tool) || (!named && is_builtin(tool) && !essential.contains(&name(tool))),
        };
        let (hidden, offered): (Vec<_>, Vec<_>) =
            tools.into_iter().partition(|tool| hides(tool) && is_searchable(name(tool)));
        let searches = mode != Mode::Off && (!hidden.is_empty() || asked_for);
        let searchable = Arc::new(SearchableTools {
            setting,
            hidden: RwLock::new(hidden),
            state: Mutex::default(),
            record: OnceLock::new(),
        });
        let mut toolbox = Self { offered, searchable };
        if searches {
            toolbox.searchable.offer_search(&mut toolbox.offered);
        }
        toolbox
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
    /// What the user wants; `auto` depends on how many tools there are.
    setting: Mode,
    hidden: RwLock<Vec<Arc<dyn Tool>>>,
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
    /// Takes up what an earlier part of the conversation had found, also what arrives later; what is found from now on is
    /// kept in `record`.
    pub(crate) fn begin(&self, record: SharedWriter, found: Option<&[String]>) {
        self.lock().selected = found.unwrap_or_default().to_vec();
        // A shelf belongs to one session, so there is nothing to replace.
        let _ = self.record.set(record);
    }

    /// What was found so far, in that order.
    pub(crate) fn found(&self) -> Vec<Arc<dyn Tool>> {
        let selected = self.lock().selected.clone();
        selected.iter().filter_map(|name| self.find(name)).collect()
    }

    /// Tools that arrive while the session runs: those behind the ones in `offered`, or hidden if that would be too many. What
    /// has the name of a known one takes its place.
    pub(crate) fn admit(self: &Arc<Self>, offered: &mut Vec<Arc<dyn Tool>>, new: Vec<Arc<dyn Tool>>) {
        let at = |tools: &[Arc<dyn Tool>], new: &Arc<dyn Tool>| {
            tools.iter().position(|known| name(known) == name(new))
        };
        let mut hidden = self.hidden.write().unwrap_or_else(PoisonError::into_inner);
        let mut fresh = Vec::new();
        for tool in new {
            if let Some(at) = at(offered, &tool) {
                offered[at] = tool;
            } else if let Some(at) = at(&hidden, &tool) {
                hidden[at] = tool;
            } else {
                fresh.push(tool);
            }
        }
        let hides = match self.setting {
            Mode::Off => false,
            Mode::McpOnly | Mode::All => true,
            Mode::Auto => !hidden.is_empty() || offered.len() + fresh.len() > MANY,
        };
        if hides && !fresh.is_empty() {
            hidden.extend(fresh);
            drop(hidden);
            if !offered.iter().any(|tool| name(tool) == SEARCH_TOOL) {
                self.offer_search(offered);
            }
        } else {
            offered.extend(fresh);
        }
        self.lock().index = None;
    }

    /// These tools are gone.
    pub(crate) fn withdraw(&self, names: &[String]) {
        let mut hidden = self.hidden.write().unwrap_or_else(PoisonError::into_inner);
        hidden.retain(|tool| !names.iter().any(|gone| gone == name(tool)));
        drop(hidden);
        self.lock().index = None;
    }

    fn offer_search(self: &Arc<Self>, offered: &mut Vec<Arc<dyn Tool>>) {
        offered.push(search_tool(Some(Arc::clone(self) as Arc<dyn Shelf>)));
    }

    fn find(&self, wanted: &str) -> Option<Arc<dyn Tool>> {
        let hidden = self.hidden.read().unwrap_or_else(PoisonError::into_inner);
        hidden.iter().find(|tool| name(tool) == wanted).cloned()
    }

    fn left(&self, selected: &[String]) -> Vec<DiscoverableTool> {
        let hidden = self.hidden.read().unwrap_or_else(PoisonError::into_inner);
        let left = hidden.iter().filter(|tool| !selected.iter().any(|selected| selected == name(tool)));
        left.map(|tool| DiscoverableTool::of(tool.as_ref())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, SearchState> {
        // Valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf for SearchableTools {
    /// The tool is not offered where searching is off.
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
        let selected = self.lock().selected.clone();
        selected.into_iter().filter(|name| self.find(name).is_some()).collect()
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
