//! Themes as their authors and users meet them.

mod built_in;
mod choice;
mod files;
mod symbols;

use serde_json::{Value, json};

use crate::token::Token;

/// A complete theme that uses every form of a colour.
fn sample_value() -> Value {
    let mut colors = serde_json::Map::new();
    for token in Token::ALL {
        let value = if token.is_background() { json!("deep") } else { json!("#aabbcc") };
        colors.insert(token.name().to_owned(), value);
    }
    colors.insert("text".to_owned(), json!(""));
    colors.insert("dim".to_owned(), json!(240));
    colors.insert("accent".to_owned(), json!("brand"));
    json!({
        "name": "sample",
        "vars": {"deep": "#102030", "brand": "shade", "shade": "#7aa2f7", "grey": 244},
        "colors": colors,
    })
}

/// That theme as a file.
pub(crate) fn sample() -> String {
    sample_value().to_string()
}

/// That theme with other values at some JSON paths.
pub(crate) fn with(changes: &[(&str, &str)]) -> String {
    let mut value = sample_value();
    for (path, json) in changes {
        let (parent, key) = path.rsplit_once('/').unwrap();
        let parent = value.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
        parent.insert(key.to_owned(), serde_json::from_str(json).unwrap());
    }
    value.to_string()
}

/// That theme without one of its colours.
fn without(token: Token) -> String {
    let mut value = sample_value();
    value["colors"].as_object_mut().unwrap().shift_remove(token.name());
    value.to_string()
}
