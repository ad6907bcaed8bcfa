//! Where the lines of a tree go. A conversation is mostly one long chain, so only branches are indented.

use std::rc::Rc;

use super::TreeRow;

/// Of deeper trees only so many levels are drawn.
const MOST_LEVELS: usize = 40;

/// What stands before an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The place in the rows.
    pub(super) row: usize,
    /// For each branch it is in: does another one follow below?
    pub(super) trunk: Rc<[bool]>,
    /// It is the first entry of a branch.
    pub(super) begins: bool,
    /// Entries that are folded away below it.
    pub(super) hidden: usize,
    /// Something follows it.
    pub(super) has_children: bool,
    /// The place of the entry above it.
    pub(super) parent: Option<usize>,
}

/// The rows that are not folded away, in their order.
pub(super) fn shape(rows: &[TreeRow], folded: impl Fn(&TreeRow) -> bool) -> Vec<Shown> {
    let (visible, hidden) = unfolded(rows, folded);
    let parents = parents(rows, &visible);
    let mut children = vec![0; visible.len()];
    let mut roots = 0;
    for parent in &parents {
        *parent.map_or(&mut roots, |parent| &mut children[parent]) += 1;
    }
    let mut followed = vec![false; visible.len()];
    let (mut seen, mut seen_root) = (vec![false; visible.len()], false);
    for (place, parent) in parents.iter().enumerate().rev() {
        let seen = parent.map_or(&mut seen_root, |parent| &mut seen[parent]);
        followed[place] = std::mem::replace(seen, true);
    }
    let mut shown: Vec<Shown> = Vec::with_capacity(visible.len());
    for (place, row) in visible.iter().enumerate() {
        let parent = parents[place];
        let above = parent.map_or_else(|| Rc::from([]), |parent| Rc::clone(&shown[parent].trunk));
        let begins = parent.map_or(roots, |parent| children[parent]) > 1;
        let trunk = if begins { grown(&above, followed[place]) } else { above };
        let has_children = rows.get(row + 1).is_some_and(|next| next.depth > rows[*row].depth);
        shown.push(Shown { row: *row, trunk, begins, hidden: hidden[place], has_children, parent });
    }
    shown
}

/// Which rows can be seen, and how many are folded away below each.
fn unfolded(rows: &[TreeRow], folded: impl Fn(&TreeRow) -> bool) -> (Vec<usize>, Vec<usize>) {
    let (mut visible, mut hidden) = (Vec::new(), Vec::new());
    let mut below: Option<usize> = None;
    for (place, row) in rows.iter().enumerate() {
        if below.is_some_and(|depth| row.depth > depth) {
            if let Some(count) = hidden.last_mut() {
                *count += 1;
            }
            continue;
        }
        below = folded(row).then_some(row.depth);
        visible.push(place);
        hidden.push(0);
    }
    (visible, hidden)
}

/// The place of the entry above each: the last one before it that is less deep.
fn parents(rows: &[TreeRow], visible: &[usize]) -> Vec<Option<usize>> {
    let mut above: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(visible.len());
    for (place, row) in visible.iter().enumerate() {
        while above.last().is_some_and(|other| rows[visible[*other]].depth >= rows[*row].depth) {
            above.pop();
        }
        parents.push(above.last().copied());
        above.push(place);
    }
    parents
}

fn grown(above: &[bool], followed: bool) -> Rc<[bool]> {
    let cut = (above.len() + 1).saturating_sub(MOST_LEVELS);
    above[cut..].iter().copied().chain([followed]).collect()
}
