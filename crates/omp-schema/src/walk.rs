//! The one walk over a schema. What it does at a node is decided by the [`Rules`] of the target.

use serde_json::Value;

use super::complete::{complete, drop_impossible, tuple_to_items};
use super::keywords::{Node, subschemas_mut};
use super::rules::{AllOf, Arrays, Leftovers, Literals, Nulls, OneOf, Rules, Types, Unions};
use super::union::{drop_repeats, settle_union};
use super::{combine, nulls, spill, types};

pub(super) fn normalize(value: &mut Value, rules: &Rules) {
    if rules.types == Types::Complete && value.is_boolean() {
        *value = Value::Object(Node::new());
    }
    let Value::Object(node) = value else { return };
    simplify(node, rules);
    strip(node, rules);
    if rules.arrays == Arrays::WithItems {
        add_items(node);
    }
    for child in subschemas_mut(node) {
        normalize(child, rules);
    }
    if rules.nulls == Nulls::Optional {
        nulls::retire_marks(node);
    }
    if rules.types == Types::Complete {
        complete(node);
    }
    if rules.unions != Unions::AsWritten {
        drop_repeats(node);
    }
}

/// Rewrites the node itself until its combiners and types are what the target takes. Children are untouched,
/// except the branches of a union, which have to be known before they can be compared.
pub(super) fn simplify(node: &mut Node, rules: &Rules) {
    if rules.one_of == OneOf::AsAnyOf {
        combine::one_of_to_any_of(node);
    }
    match rules.all_of {
        AllOf::AsWritten => {}
        AllOf::UnwrapSingle => combine::unwrap_single_all_of(node),
        AllOf::Absorb => combine::absorb_all_of(node),
    }
    if rules.literals != Literals::AsWritten {
        combine::const_to_enum(node);
    }
    if rules.nulls.are_marked() && nulls::take_from_enum(node) {
        nulls::mark(node);
    }
    if rules.types != Types::AsWritten {
        types::infer(node);
        types::split(node, rules.nulls);
    }
    settle_union(node, rules);
    if nulls::is_null_type(node) {
        node.shift_remove(nulls::NULLABLE);
    }
    if rules.types != Types::AsWritten {
        types::prune_foreign(node);
    }
    if rules.types == Types::Complete {
        tuple_to_items(node);
        drop_impossible(node);
    }
}

fn add_items(node: &mut Node) {
    if types::names(node).contains(&"array") && !node.contains_key("items") {
        node.insert("items".to_owned(), Value::Object(Node::new()));
    }
}

/// Removes what the target does not take, and says in the description what is worth saying.
pub(super) fn strip(node: &mut Node, rules: &Rules) {
    let mut dropped: Vec<(String, Value)> = Vec::new();
    node.retain(|keyword, value| {
        let keeps = (rules.keeps)(keyword) && (keyword != "enum" || takes_enum(value, rules.literals));
        if !keeps {
            dropped.push((keyword.clone(), value.take()));
        }
        keeps
    });
    match rules.leftovers {
        Leftovers::Drop => {}
        Leftovers::Spill => {
            dropped.retain(|(keyword, value)| spill::is_worth_saying(keyword, value));
            spill::append(node, &dropped);
        }
        Leftovers::MentionDefault => {
            if let Some((_, default)) = dropped.iter().find(|(keyword, _)| keyword == "default") {
                spill::append_default(node, default);
            }
        }
    }
}

fn takes_enum(values: &Value, literals: Literals) -> bool {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    literals != Literals::StringEnum || values.as_array().is_some_and(|values| values.iter().all(is_text))
}
