//! Local references: resolving `#/…` pointers and inlining what they lead to.

use std::borrow::Cow;

use serde_json::Value;

use super::combine;
use super::keywords::{MAX_DEPTH, Node, subschemas, subschemas_mut};

/// Nodes one schema may grow to by inlining. Definitions that mention each other twice grow exponentially;
/// a schema of this size would fill a context window on its own, so cutting it loses nothing usable.
const MAX_NODES: usize = 10_000;

/// A schema the strict pipeline cannot express; the caller falls back to the loose form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unrepresentable;

/// What to do with a reference that is recursive, dangling, remote or beyond the size limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeadEnd {
    /// Leave a node that accepts at least everything the definition does.
    Open,
    Refuse,
}

/// Inlines every reference; what cannot be inlined becomes an open node.
pub(super) fn inline(schema: &Value) -> Value {
    let mut inlined = schema.clone();
    let opened = Inliner::new(schema, DeadEnd::Open).schema(&mut inlined, 0);
    debug_assert!(opened.is_ok(), "an open dead end never refuses");
    inlined
}

/// Inlines every reference or gives up.
pub(super) fn try_inline(schema: &Value) -> Result<Value, Unrepresentable> {
    let mut inlined = schema.clone();
    Inliner::new(schema, DeadEnd::Refuse).schema(&mut inlined, 0)?;
    Ok(inlined)
}

/// Whether a host that resolves references itself will find them all: each one is the root or a definition
/// at the root. Pointers into other places may break when a later pass renames keywords.
pub(super) fn all_resolve(root: &Node) -> bool {
    match root.get("$defs") {
        Some(Value::Object(definitions)) => resolves_among(root, definitions),
        _ => resolves_among(root, &Node::new()),
    }
}

fn resolves_among(node: &Node, definitions: &Node) -> bool {
    let sound = match node.get("$ref").and_then(Value::as_str) {
        None | Some("#") => true,
        Some(reference) => segments(reference).is_some_and(|segments| match segments.as_slice() {
            [keyword, name] => keyword == "$defs" && definitions.contains_key(name.as_ref()),
            _ => false,
        }),
    };
    sound
        && subschemas(node)
            .into_iter()
            .filter_map(Value::as_object)
            .all(|child| resolves_among(child, definitions))
}

struct Inliner<'a> {
    root: &'a Value,
    dead_end: DeadEnd,
    /// The references being expanded, outermost first.
    open: Vec<String>,
    nodes: usize,
}

impl<'a> Inliner<'a> {
    fn new(root: &'a Value, dead_end: DeadEnd) -> Self {
        Self { root, dead_end, open: vec!["#".to_owned()], nodes: 0 }
    }

    fn schema(&mut self, value: &mut Value, depth: usize) -> Result<(), Unrepresentable> {
        let Value::Object(node) = value else { return Ok(()) };
        self.nodes += 1;
        // Lookups go to the untouched root, so the copies need no definitions of their own.
        node.shift_remove("$defs");
        node.shift_remove("definitions");
        let reference = node.shift_remove("$ref");
        if node.contains_key("$dynamicRef") && self.dead_end == DeadEnd::Refuse {
            return Err(Unrepresentable);
        }
        // Siblings first: they stand outside the definition and may mention it again.
        for child in subschemas_mut(node) {
            self.schema(child, depth + 1)?;
        }
        if let Some(Value::String(reference)) = reference {
            let target = self.target(reference, depth)?;
            combine::lay_under(node, target);
        }
        Ok(())
    }

    /// The definition behind a reference, itself free of references.
    fn target(&mut self, reference: String, depth: usize) -> Result<Node, Unrepresentable> {
        let found = lookup(self.root, &reference);
        let dead_end = self.open.contains(&reference) || self.nodes >= MAX_NODES || depth >= MAX_DEPTH;
        let target = match found {
            Some(target) if !dead_end => target,
            _ if self.dead_end == DeadEnd::Refuse => return Err(Unrepresentable),
            found => return Ok(found.map(outline).unwrap_or_default()),
        };
        let mut target = target.clone();
        self.open.push(reference);
        self.schema(&mut target, depth + 1)?;
        self.open.pop();
        match target {
            Value::Object(node) => Ok(node),
            // A boolean definition has no keys to merge; `true` is the open node, `false` is not expressible.
            _ => Ok(Node::new()),
        }
    }
}

/// The little of a definition that can be said without going into it.
fn outline(definition: &Value) -> Node {
    let Value::Object(definition) = definition else { return Node::new() };
    ["type", "description"]
        .into_iter()
        .filter_map(|keyword| match definition.get(keyword) {
            Some(value @ Value::String(_)) => Some((keyword.to_owned(), value.clone())),
            _ => None,
        })
        .collect()
}

fn lookup<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    if reference == "#" {
        return Some(root);
    }
    segments(reference)?.iter().try_fold(root, |place, segment| step(place, segment))
}

/// One step of a JSON pointer.
pub(super) fn step<'a>(place: &'a Value, segment: &str) -> Option<&'a Value> {
    match place {
        Value::Object(map) => map.get(segment),
        Value::Array(list) => list.get(segment.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The decoded segments of a local reference; `None` for anything but `#/…`.
pub(super) fn segments(reference: &str) -> Option<Vec<Cow<'_, str>>> {
    Some(reference.strip_prefix("#/")?.split('/').map(decode).collect())
}

/// Appends one segment to a pointer, the inverse of what [`segments`] does to it.
pub(super) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for character in segment.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            '%' => pointer.push_str("%25"),
            other => pointer.push(other),
        }
    }
}

/// A pointer in a URI fragment is percent-encoded first and `~`-escaped inside.
fn decode(segment: &str) -> Cow<'_, str> {
    if !segment.contains(['%', '~']) {
        return Cow::Borrowed(segment);
    }
    Cow::Owned(percent_decode(segment).replace("~1", "/").replace("~0", "~"))
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
