//! OpenAI's strict mode: every object closed, every property required, every node typed.
//!
//! Two steps. *Sanitize* is the shared walk with [`SANITIZE`]; *enforce* closes the objects and refuses what
//! strict mode cannot say. A refusal is no error: the tool goes out in its loose form, without the flag.

use serde_json::{Value, json};

use super::combine;
use super::keywords::{Node, STRUCTURAL_KEYWORDS};
use super::nulls;
use super::refs::{self, Unrepresentable};
use super::root::{self, RootCombiners};
use super::rules::{AllOf, Arrays, Leftovers, Literals, Nulls, OneOf, Rules, Types, Unions};
use super::targets::LOOSE;
use super::types;
use super::upgrade::upgrade;
use super::walk::normalize;

/// What is asked of [`adapt_for_strict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictMode {
    /// The host knows strict mode and nobody objects.
    Wanted,
    /// The host does not know it, the tool's author declined it, or the user has turned it off everywhere.
    Off,
}

/// A schema for an OpenAI wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapted {
    pub schema: Value,
    /// Strict mode was wanted *and* the schema is in strict form. Claiming it otherwise gets a request refused.
    pub strict: bool,
}

/// The strict form of a schema, or its loose form if strict mode is not wanted or cannot express it.
pub fn adapt_for_strict(schema: &Value, wanted: StrictMode) -> Adapted {
    let upgraded = upgrade(schema);
    if wanted == StrictMode::Wanted
        && let Ok(schema) = strict_form(&upgraded)
    {
        return Adapted { schema, strict: true };
    }
    let mut schema = root::settle_keeping_references(upgraded);
    normalize(&mut schema, &LOOSE);
    Adapted { schema, strict: false }
}

fn strict_form(upgraded: &Value) -> Result<Value, Unrepresentable> {
    let mut schema = refs::try_inline(upgraded)?;
    if let Value::Object(root) = &mut schema {
        // The walk would do it with the same outcome everywhere but at the root, which is flattened first.
        combine::unwrap_single_all_of(root);
    }
    let mut schema = root::settle(schema, RootCombiners::Flatten);
    normalize(&mut schema, &SANITIZE);
    Enforcer::default().schema(&mut schema, 0)?;
    Ok(schema)
}

const SANITIZE: Rules = Rules {
    keeps: is_structural,
    leftovers: Leftovers::MentionDefault,
    nulls: Nulls::AsWritten,
    all_of: AllOf::UnwrapSingle,
    one_of: OneOf::AsAnyOf,
    unions: Unions::Flatten,
    types: Types::Single,
    arrays: Arrays::AsWritten,
    literals: Literals::AsWritten,
};

/// `patternProperties` passes only for [`is_open_map`] to see it.
fn is_structural(keyword: &str) -> bool {
    keyword == "prefixItems" || STRUCTURAL_KEYWORDS.contains(&keyword)
}

/// OpenAI's limits on one schema; beyond them the request is refused.
const MAX_NESTING: usize = 10;
const MAX_PROPERTIES: usize = 5_000;
const MAX_ENUM_VALUES: usize = 1_000;

#[derive(Default)]
struct Enforcer {
    properties: usize,
    enum_values: usize,
}

impl Enforcer {
    fn schema(&mut self, value: &mut Value, nesting: usize) -> Result<(), Unrepresentable> {
        let Value::Object(node) = value else { return Err(Unrepresentable) };
        if nesting > MAX_NESTING || node.contains_key("allOf") {
            return Err(Unrepresentable);
        }
        if node.contains_key("anyOf") {
            return self.union(node, nesting);
        }
        match node.get("type").and_then(Value::as_str) {
            Some("object" | "array") if node.contains_key("enum") || node.contains_key("const") => {
                Err(Unrepresentable)
            }
            Some("object") => self.object(node, nesting),
            Some("array") => self.array(node, nesting),
            Some(_) => self.literals(node),
            None => Err(Unrepresentable),
        }
    }

    fn union(&mut self, node: &mut Node, nesting: usize) -> Result<(), Unrepresentable> {
        // The branches have it from the walk.
        node.shift_remove("type");
        if node.keys().any(|keyword| !matches!(keyword.as_str(), "anyOf" | "description")) {
            return Err(Unrepresentable);
        }
        let Some(Value::Array(branches)) = node.get_mut("anyOf") else { return Err(Unrepresentable) };
        branches.iter_mut().try_for_each(|branch| self.schema(branch, nesting))
    }

    fn object(&mut self, node: &mut Node, nesting: usize) -> Result<(), Unrepresentable> {
        if is_open_map(node, nesting) {
            return Err(Unrepresentable);
        }
        let required = node.shift_remove("required").unwrap_or_default();
        node.shift_remove("patternProperties");
        node.insert("additionalProperties".to_owned(), Value::Bool(false));
        let Value::Object(properties) = node.entry("properties").or_insert_with(|| json!({})) else {
            return Err(Unrepresentable);
        };
        self.properties += properties.len();
        if self.properties > MAX_PROPERTIES {
            return Err(Unrepresentable);
        }
        for (name, property) in properties.iter_mut() {
            self.schema(property, nesting + 1)?;
            let is_required =
                required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
            if !is_required {
                accept_null(property);
            }
        }
        let names = properties.keys().map(|name| Value::from(name.as_str())).collect();
        node.insert("required".to_owned(), Value::Array(names));
        Ok(())
    }

    /// OpenAI ignores `prefixItems` and insists on `items`; a tuple therefore also gets the items any of its
    /// places may hold.
    fn array(&mut self, node: &mut Node, nesting: usize) -> Result<(), Unrepresentable> {
        let mut members = Vec::new();
        if let Some(Value::Array(tuple)) = node.get_mut("prefixItems") {
            tuple.iter_mut().try_for_each(|member| self.schema(member, nesting + 1))?;
            members.clone_from(tuple);
        }
        match node.get_mut("items") {
            Some(items @ Value::Object(_)) => self.schema(items, nesting + 1),
            _ if members.is_empty() => Err(Unrepresentable),
            _ => {
                node.insert("items".to_owned(), combine::alternatives(members));
                Ok(())
            }
        }
    }

    /// Every permitted value has to be of the node's type.
    fn literals(&mut self, node: &Node) -> Result<(), Unrepresentable> {
        let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
        let listed = node.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        self.enum_values += listed.len();
        let fit = listed.iter().chain(node.get("const")).all(|value| types::is_of_type(value, kind));
        if fit && self.enum_values <= MAX_ENUM_VALUES { Ok(()) } else { Err(Unrepresentable) }
    }
}

/// An object whose keys are not known beforehand: closing it would leave only `{}`.
///
/// A root without properties is a tool without parameters, unless it says otherwise.
fn is_open_map(node: &Node, nesting: usize) -> bool {
    let has_properties = matches!(node.get("properties"), Some(Value::Object(names)) if !names.is_empty());
    match node.get("additionalProperties") {
        Some(Value::Object(schema)) if !schema.is_empty() => true,
        _ if has_properties => false,
        _ if node.contains_key("patternProperties") => true,
        Some(Value::Bool(false)) => false,
        Some(_) => true,
        None => nesting > 0,
    }
}

/// What used to be optional has to be sent now, so it may be null.
fn accept_null(property: &mut Value) {
    if nulls::is_null(property) {
        return;
    }
    if let Some(Value::Array(branches)) = property.get_mut("anyOf") {
        if !branches.iter().any(nulls::is_null) {
            branches.push(nulls::null_schema());
        }
        return;
    }
    let original = property.take();
    *property = json!({"anyOf": [original, nulls::null_schema()]});
}
