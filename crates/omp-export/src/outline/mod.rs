//! The shape of a conversation: one small node an entry, and what all of them amount to.

mod summary;
mod total;

use std::collections::HashMap;

use omp_session::{Entry, EntryKind};
use omp_types::Message;

pub(crate) use summary::{call_summary, is_failure};
pub(crate) use total::Total;

use crate::view::{EntryPlace, SessionView, ViewError};

/// The tree of a session, without its content.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// In the order of the file.
    pub(crate) nodes: Vec<Node>,
    pub(crate) total: Total,
    /// Lines of the file that could not be read.
    pub(crate) skipped: usize,
    by_id: HashMap<String, usize>,
    /// The answers that made a call with this id, which is unique but for copied branches.
    callers: HashMap<String, Vec<Caller>>,
    /// The results of the calls of an answer.
    results: HashMap<usize, Vec<Answered>>,
}

#[derive(Debug)]
struct Caller {
    node: usize,
    summary: String,
}

#[derive(Debug)]
struct Answered {
    call: String,
    node: usize,
}

/// An entry in the tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: EntryPlace,
    /// Earlier in the file, so there are no circles.
    pub(crate) parent: Option<usize>,
    pub(crate) kind: OutlineKind,
    /// One line for the tree.
    pub(crate) summary: String,
    pub(crate) label: Option<String>,
    /// An answer that broke off, or a tool that could not do its work.
    pub(crate) failed: bool,
    /// The answer whose call this result belongs to.
    pub(crate) caller: Option<usize>,
    /// From the beginning of the conversation to where it stands.
    pub(crate) active: bool,
}

/// What kind of line an entry is in the tree; also its class there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutlineKind {
    User,
    Assistant,
    /// An answer without words that did not fail: its tools say it all.
    Calls,
    Result,
    Summary,
    Notice,
    /// Something that happened: the mode changed, rules were injected.
    Event,
    /// Bookkeeping: model, thinking level, labels, what extensions keep.
    State,
}

impl Outline {
    /// Reads the whole session once.
    pub(crate) fn read(view: &SessionView<'_>) -> Result<Self, ViewError> {
        let mut outline = Self::default();
        outline.skipped = view.entries(|place, entry| outline.add(place, entry))?;
        outline.activate(view.leaf.as_deref());
        Ok(outline)
    }

    fn add(&mut self, place: EntryPlace, entry: &Entry) {
        let index = self.nodes.len();
        let parent = entry.parent_id.as_ref().and_then(|id| self.by_id.get(id)).copied();
        self.total.add(entry);
        let (kind, mut summary) = summary::of(entry);
        let (mut caller, mut failed) = (None, false);
        match entry.message().map(|message| &**message) {
            Some(Message::Assistant(answer)) => {
                failed = is_failure(answer);
                for call in answer.tool_calls() {
                    let summary = call_summary(call);
                    self.callers.entry(call.id.clone()).or_default().push(Caller { node: index, summary });
                }
            }
            Some(Message::ToolResult(result)) => {
                failed = result.is_error;
                if let Some(found) = self.caller(&result.tool_call_id, parent) {
                    caller = Some(found.node);
                    summary = format!("{} {}", result.tool_name, found.summary);
                    let answered = Answered { call: result.tool_call_id.clone(), node: index };
                    self.results.entry(found.node).or_default().push(answered);
                }
            }
            _ => {}
        }
        if let EntryKind::Label(label) = &entry.kind
            && let Some(target) = self.by_id.get(&label.target_id)
        {
            self.nodes[*target].label.clone_from(&label.label);
        }
        self.by_id.insert(entry.id.clone(), index);
        self.nodes.push(Node { place, parent, kind, summary, label: None, failed, caller, active: false });
    }

    /// The nearest answer above `below` that made the call.
    fn caller(&self, call: &str, below: Option<usize>) -> Option<&Caller> {
        let callers = self.callers.get(call)?;
        let above = self.ancestors(below).take(1000).find_map(|at| callers.iter().find(|it| it.node == at));
        above.or_else(|| callers.last().filter(|_| below.is_none()))
    }

    /// `from` and what is above it, upwards.
    fn ancestors(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |at| self.nodes[*at].parent)
    }

    fn activate(&mut self, leaf: Option<&str>) {
        let last = self.nodes.len().checked_sub(1);
        let leaf = leaf.and_then(|id| self.by_id.get(id)).copied().or(last);
        let path: Vec<usize> = self.ancestors(leaf).collect();
        for index in path {
            self.nodes[index].active = true;
        }
        // A call without words stays in sight where the conversation stands.
        if let Some(leaf) = leaf.map(|leaf| &mut self.nodes[leaf])
            && leaf.kind == OutlineKind::Calls
        {
            leaf.kind = OutlineKind::Assistant;
        }
    }

    /// From the root to where the conversation stands.
    pub(crate) fn active_path(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.active).map(|(index, _)| index)
    }

    /// Where the entry with this id is.
    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The results of a call, the one on the active path among them if there is one.
    pub(crate) fn results_of<'o>(&'o self, caller: usize, call: &'o str) -> impl Iterator<Item = usize> + 'o {
        let results = self.results.get(&caller).into_iter().flatten();
        results.filter(move |result| result.call == call).map(|result| result.node)
    }

    /// Who is below whom.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree { roots: Vec::new(), children: vec![Vec::new(); self.nodes.len()] };
        for (index, node) in self.nodes.iter().enumerate() {
            node.parent.map_or(&mut tree.roots, |parent| &mut tree.children[parent]).push(index);
        }
        tree
    }

    /// The tree from top to bottom: the active branch first, then the others in the order of the file.
    pub(crate) fn rows(&self, tree: &Tree) -> Vec<OutlineRow> {
        let mut rows = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<OutlineRow> = Vec::new();
        self.descend(&tree.roots, 0, &mut stack);
        while let Some(row) = stack.pop() {
            self.descend(&tree.children[row.node], row.depth, &mut stack);
            rows.push(row);
        }
        rows
    }

    /// Puts siblings on the stack so that the active one is taken first. It stays in line, the others go deeper.
    fn descend(&self, siblings: &[usize], depth: usize, stack: &mut Vec<OutlineRow>) {
        let first =
            siblings.iter().copied().find(|node| self.nodes[*node].active).or(siblings.first().copied());
        let others = siblings.iter().rev().filter(|node| Some(**node) != first);
        stack.extend(others.map(|node| OutlineRow { node: *node, depth: depth + 1 }));
        stack.extend(first.map(|node| OutlineRow { node, depth }));
    }
}

/// Who is below whom, in the order of the file.
#[derive(Debug)]
pub(crate) struct Tree {
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
}

impl Tree {
    /// A node and those beside it.
    pub(crate) fn siblings(&self, node: &Node) -> &[usize] {
        node.parent.map_or(&self.roots, |parent| &self.children[parent])
    }
}

/// A line of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlineRow {
    pub(crate) node: usize,
    pub(crate) depth: usize,
}
