//! The one walk over a schema. What it does at a node is decided by the [`Rules`] of the target.

use serde_json::{Value, json};

use super::keywords::{Node, subschemas_mut};
use super::{combine, nulls, spill, types};

/// What a target accepts, and what becomes of the rest.
pub(super) struct Rules {
    pub(super) keeps: fn(&str) -> bool,
    pub(super) leftovers: Leftovers,
    pub(super) nulls: Nulls,
    pub(super) all_of: AllOf,
    pub(super) one_of: OneOf,
    pub(super) unions: Unions,
    pub(super) types: Types,
    pub(super) literals: Literals,
}

/// Keywords the target does not take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leftovers {
    Drop,
    /// Those worth saying go into the description as a block.
    Spill,
    /// Only the default is mentioned in the description.
    MentionDefault,
}

/// "Or null".
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    AsWritten,
    /// `type: [T, "null"]` wherever it can be.
    TypeList,
    /// `nullable: true` on the node.
    Keyword,
    /// Not sayable: the property is simply not required.
    Optional,
}

impl Nulls {
    /// Whether the walk marks nodes that accept null instead of keeping a null type.
    pub(super) fn are_marked(self) -> bool {
        matches!(self, Self::Keyword | Self::Optional)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AllOf {
    AsWritten,
    UnwrapSingle,
    Absorb,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OneOf {
    AsWritten,
    AsAnyOf,
}

/// `anyOf`, and whatever has become one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unions {
    AsWritten,
    /// Unions directly inside unions are lifted out.
    Flatten,
    /// Branches of one type become one schema.
    Merge,
    /// Mixed branches become one schema too: the first type wins.
    MergeToFirstType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    AsWritten,
    /// Missing types are inferred where possible, lists of types become unions.
    Single,
    /// As `Single`, and every node ends up complete: a type, `properties` of an object, `items` of an array.
    Complete,
}

/// `const` and `enum`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Literals {
    AsWritten,
    Enum,
    /// Only enumerations of non-empty strings; others are leftovers.
    StringEnum,
}

pub(super) fn normalize(value: &mut Value, rules: &Rules) {
    if rules.types == Types::Complete && value.is_boolean() {
        *value = Value::Object(Node::new());
    }
    let Value::Object(node) = value else { return };
    simplify(node, rules);
    strip(node, rules);
    for child in subschemas_mut(node) {
        normalize(child, rules);
    }
    if rules.nulls == Nulls::Optional {
        retire_marks(node);
    }
    if rules.types == Types::Complete {
        complete(node);
    }
}

/// Rewrites the node itself until its combiners and types are what the target takes. Children are untouched,
/// except the branches of a union, which have to be known before they can be compared.
fn simplify(node: &mut Node, rules: &Rules) {
    if rules.one_of == OneOf::AsAnyOf {
        combine::one_of_to_any_of(node);
    }
    match rules.all_of {
        AllOf::AsWritten => {}
        AllOf::UnwrapSingle => combine::unwrap_single_all_of(node),
        AllOf::Absorb => combine::absorb_all_of(node),
    }
    if rules.one_of == OneOf::AsAnyOf {
        combine::one_of_to_any_of(node);
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
    if rules.types != Types::AsWritten {
        types::prune_foreign(node);
    }
    if rules.types == Types::Complete {
        tuple_to_items(node);
        drop_impossible(node);
    }
}

fn settle_union(node: &mut Node, rules: &Rules) {
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
    let branches = flattened(node, branches, rules);
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
        for branch in lift_out(branch) {
            if rules.nulls.are_marked() && nulls::is_null(&branch) {
                nulls::mark(node);
            } else if !flat.contains(&branch) {
                flat.push(branch);
            }
        }
    }
    flat
}

/// The branches of a union that is nothing but a union; any other schema is its own only branch.
fn lift_out(branch: Value) -> Vec<Value> {
    match branch {
        Value::Object(mut inner) if inner.len() == 1 && inner.contains_key("anyOf") => {
            match inner.shift_remove("anyOf") {
                Some(Value::Array(branches)) => branches,
                _ => Vec::new(),
            }
        }
        other => vec![other],
    }
}

/// Puts one schema in the place of the branches if they are of one type, or may be made so.
fn merge_union(node: &mut Node, branches: Vec<Value>, unions: Unions) {
    let Some(first) = branches.first().and_then(branch_type) else {
        if branches.is_empty() && node.shift_remove(nulls::NULLABLE).is_some() {
            types::set(node, "null");
        } else if !branches.is_empty() {
            node.insert("anyOf".to_owned(), Value::Array(branches));
        }
        return;
    };
    let first = first.to_owned();
    let common = branches.iter().try_fold(first.clone(), |kind, branch| {
        branch_type(branch).and_then(|other| types::common(&kind, other).map(str::to_owned))
    });
    let kind = match (common, unions) {
        (Some(kind), _) => kind,
        (None, Unions::MergeToFirstType) => first,
        (None, _) => {
            node.insert("anyOf".to_owned(), Value::Array(branches));
            return;
        }
    };
    let like: Vec<Node> = branches
        .into_iter()
        .filter(|branch| branch_type(branch).is_some_and(|other| types::overlaps(&kind, other)))
        .filter_map(|branch| if let Value::Object(branch) = branch { Some(branch) } else { None })
        .collect();
    combine::absorb(node, combine::unify(like, &kind));
}

/// The type a branch has, or will have once it is [`complete`]d; `None` for a union of several.
fn branch_type(branch: &Value) -> Option<&str> {
    let Value::Object(node) = branch else { return Some(OPEN_TYPE) };
    match node.get("type") {
        Some(Value::String(kind)) => Some(kind),
        None if !node.contains_key("anyOf") => Some(OPEN_TYPE),
        _ => None,
    }
}

/// The type of a value nothing is known about, for hosts that want one. A model can put anything in a string.
const OPEN_TYPE: &str = "string";

/// A tuple for hosts that know only lists: each item is one of the tuple's.
fn tuple_to_items(node: &mut Node) {
    let Some(Value::Array(mut members)) = node.shift_remove("prefixItems") else { return };
    if let Some(rest @ Value::Object(_)) = node.shift_remove("items") {
        members.push(rest);
    }
    node.insert("items".to_owned(), combine::alternatives(members));
}

/// `false` as a property's schema says that the property must not be there.
fn drop_impossible(node: &mut Node) {
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        properties.retain(|_, schema| *schema != Value::Bool(false));
    }
}

/// Removes what the target does not take, and says in the description what is worth saying.
fn strip(node: &mut Node, rules: &Rules) {
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

/// Turns the marks on the children into what is left of them: a property that may be null need not be there.
fn retire_marks(node: &mut Node) {
    let mut optional: Vec<Value> = Vec::new();
    if let Some(Value::Object(properties)) = node.get("properties") {
        let nullable = properties.iter().filter(|(_, schema)| schema.get(nulls::NULLABLE).is_some());
        optional.extend(nullable.map(|(name, _)| Value::from(name.as_str())));
    }
    if let Some(Value::Array(required)) = node.get_mut("required") {
        required.retain(|name| !optional.contains(name));
    }
    for child in subschemas_mut(node) {
        if let Value::Object(child) = child {
            child.shift_remove(nulls::NULLABLE);
        }
    }
}

/// Fills in what Google's schema type demands of every node.
fn complete(node: &mut Node) {
    if node.contains_key("anyOf") {
        sink_annotations(node);
        return;
    }
    if !node.contains_key("type") {
        types::set(node, OPEN_TYPE);
    }
    match node.get("type").and_then(Value::as_str) {
        Some("object") => {
            node.entry("properties").or_insert_with(|| json!({}));
            drop_undeclared(node);
        }
        Some("array") => {
            node.entry("items").or_insert_with(|| json!({"type": OPEN_TYPE}));
        }
        _ => {}
    }
}

/// `required` may name only declared properties, and may not be empty.
fn drop_undeclared(node: &mut Node) {
    let Some(Value::Array(mut required)) = node.shift_remove("required") else { return };
    if let Some(Value::Object(properties)) = node.get("properties") {
        required.retain(|name| name.as_str().is_some_and(|name| properties.contains_key(name)));
    }
    if !required.is_empty() {
        node.insert("required".to_owned(), Value::Array(required));
    }
}

/// Leaves a union alone on its node, because Vertex refuses any keyword beside `anyOf`: the description and
/// the mark move to the first branch.
fn sink_annotations(node: &mut Node) {
    let Some(Value::Array(mut branches)) = node.shift_remove("anyOf") else { return };
    let wrapper = std::mem::take(node);
    if let Some(Value::Object(first)) = branches.first_mut() {
        for (keyword, value) in wrapper {
            match (keyword.as_str(), value, first.get_mut("description")) {
                (nulls::NULLABLE, ..) => nulls::mark(first),
                ("description", Value::String(text), Some(Value::String(own))) => {
                    *own = format!("{text}\n\n{own}");
                }
                ("description", text, _) => {
                    first.insert(keyword, text);
                }
                _ => {}
            }
        }
    }
    node.insert("anyOf".to_owned(), Value::Array(branches));
}
