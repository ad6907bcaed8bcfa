//! Which entries of a tree are shown, and in which order.

use std::collections::HashSet;

use super::{Tree, TreeNode};

/// Which entries are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeFilter {
    /// The conversation, without bookkeeping.
    #[default]
    Default,
    /// The same without results of tools.
    NoTools,
    /// What the user said.
    UserOnly,
    /// What has a label.
    LabeledOnly,
    /// Everything.
    All,
}

impl TreeFilter {
    /// In the order in which they follow each other.
    pub const ALL: [Self; 5] = [Self::Default, Self::NoTools, Self::UserOnly, Self::LabeledOnly, Self::All];

    /// The filter after this one; after the last comes the first.
    pub fn next(self) -> Self {
        self.step(1)
    }

    /// The filter before this one.
    pub fn previous(self) -> Self {
        self.step(Self::ALL.len() - 1)
    }

    fn step(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|filter| *filter == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }

    fn shows(self, node: &TreeNode, leaf: Option<&str>) -> bool {
        let conversation =
            !matches!(node.name.as_str(), "label" | "custom" | "model_change" | "thinking_level_change");
        let shown = match self {
            Self::All => return true,
            Self::Default => conversation,
            Self::NoTools => conversation && node.role != Some("toolResult"),
            Self::UserOnly => node.role == Some("user"),
            Self::LabeledOnly => node.label.is_some(),
        };
        shown && (!node.only_calls_tools || leaf == Some(node.id.as_str()))
    }
}

/// A line of the navigator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow<'a> {
    /// The entry.
    pub node: &'a TreeNode,
    /// How many shown entries are above it.
    pub depth: usize,
    /// Is it on the way to where the conversation stands?
    pub active: bool,
}

impl Tree {
    /// The lines of the navigator: what the filter shows and the query matches, each entry before those that follow
    /// it, the branch to `leaf` before its siblings.
    ///
    /// All words of the query must occur, in any case and order, in the label, the role, the type or the text.
    pub fn rows(&self, filter: TreeFilter, query: &str, leaf: Option<&str>) -> Vec<TreeRow<'_>> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let active: HashSet<usize> = leaf.map(|leaf| self.up(leaf).collect()).unwrap_or_default();
        let mut rows = Vec::new();
        // A stack instead of calls: a conversation is thousands of entries deep.
        let mut stack: Vec<(usize, usize)> = Vec::new();
        push(&mut stack, &self.roots, 0, &active);
        while let Some((index, depth)) = stack.pop() {
            let node = &self.nodes[index];
            let shown = filter.shows(node, leaf) && matches(node, &words);
            if shown {
                rows.push(TreeRow { node, depth, active: active.contains(&index) });
            }
            push(&mut stack, &node.children, depth + usize::from(shown), &active);
        }
        rows
    }
}

/// Last in, first out: the active branch goes in last, the others from the newest to the oldest.
fn push(stack: &mut Vec<(usize, usize)>, nodes: &[usize], depth: usize, active: &HashSet<usize>) {
    let (first, rest): (Vec<usize>, Vec<usize>) = nodes.iter().partition(|index| active.contains(index));
    stack.extend(rest.into_iter().rev().chain(first.into_iter().rev()).map(|index| (index, depth)));
}

fn matches(node: &TreeNode, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let label = node.label.as_deref().unwrap_or_default();
    let text = [label, node.role.unwrap_or_default(), &node.name, &node.text].join("\n").to_lowercase();
    words.iter().all(|word| text.contains(word))
}
