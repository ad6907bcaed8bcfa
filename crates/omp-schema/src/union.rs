//! `anyOf`: lifting inner unions out, taking null out, merging the branches.

use serde_json::{Value, json};

use super::complete::{OPEN_TYPE, sink_annotations};
use super::keywords::Node;
use super::rules::{Nulls, Rules, Types, Unions};
use super::walk::{simplify, strip};
use super::{combine, nulls, types};

/// Makes the union on a node, if there is one, what the target takes.
pub(super) fn settle_union(node: &mut Node, rules: &Rules) {
    if rules.nulls == Nulls::TypeList {
        nulls::union_to_type_list(node);
    }
    if rules.unions == Unions::AsWritten {
        return;
    }
    let Some(Value::Array(mut branches)) = node.shift_remove("anyOf") else { return };
    if rules.types == Types::Complete {
        branches.retain(|branch| *branch != Value::Bool(false));
        branches.iter_mut().filter(|branch| branch.is_boolean()).for_each(|branch| *branch = json!({}));
    }
    if rules.types != Types::AsWritten {
        types::push_down(node, &mut branches);
    }
    let mut branches = flattened(node, branches, rules);
    if rules.types != Types::AsWritten {
        // Once more for what came out of inner unions.
        types::push_down(node, &mut branches);
    }
    if branches.is_empty() && node.get("type").is_some_and(Value::is_array) {
        // No branch was of a listed type, so the list stands alone now.
        types::split(node, rules.nulls);
        return settle_union(node, rules);
    }
    match rules.unions {
        Unions::Merge | Unions::MergeToFirstType => merge_union(node, branches, rules.unions),
        _ if branches.is_empty() => {}
        _ => {
            node.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }
}

/// The simplified branches, without repeats, inner unions and (if nulls are marked on the node) null.
fn flattened(node: &mut Node, branches: Vec<Value>, rules: &Rules) -> Vec<Value> {
    let mut flat: Vec<Value> = Vec::with_capacity(branches.len());
    for mut branch in branches {
        if let Value::Object(inner) = &mut branch {
            simplify(inner, rules);
            if rules.types == Types::Complete && inner.contains_key("anyOf") {
                strip(inner, rules);
                sink_annotations(inner);
            }
        }
        for branch in combine::lift_out(branch) {
            if rules.nulls.are_marked() && nulls::is_null(&branch) {
                nulls::mark(node);
            } else {
                flat.push(branch);
            }
        }
    }
    combine::distinct(flat)
}

/// Branches can become equal when their differences are stripped.
pub(super) fn drop_repeats(node: &mut Node) {
    if let Some(Value::Array(branches)) = node.get_mut("anyOf") {
        *branches = combine::distinct(std::mem::take(branches));
    }
}

/// Puts one schema in the place of the branches if they are of one type, or may be made so.
fn merge_union(node: &mut Node, branches: Vec<Value>, unions: Unions) {
    let Some(kind) = merged_type(&branches, unions) else {
        if !branches.is_empty() {
            node.insert("anyOf".to_owned(), Value::Array(branches));
        } else if !node.contains_key("type") && node.shift_remove(nulls::NULLABLE).is_some() {
            types::set(node, "null");
        }
        return;
    };
    let is_alike = |branch: &Value| branch_type(branch).is_some_and(|other| types::overlaps(&kind, other));
    let alike = branches.into_iter().filter(is_alike).filter_map(combine::into_map).collect();
    combine::absorb(node, combine::unify(alike, &kind));
}

/// The type the branches have in common or, where the target knows no unions, the first one's.
fn merged_type(branches: &[Value], unions: Unions) -> Option<String> {
    let first = branch_type(branches.first()?)?;
    let common = branches.iter().try_fold(first, |kind, branch| types::common(kind, branch_type(branch)?));
    let kind = if unions == Unions::MergeToFirstType { common.or(Some(first)) } else { common };
    kind.map(str::to_owned)
}

/// The type a branch has, or will have once it is completed; `None` for a union of several.
fn branch_type(branch: &Value) -> Option<&str> {
    let Value::Object(node) = branch else { return Some(OPEN_TYPE) };
    match node.get("type") {
        Some(Value::String(kind)) => Some(kind),
        None if !node.contains_key("anyOf") => Some(OPEN_TYPE),
        _ => None,
    }
}
