//! Pieces that every decoder reads.

use std::borrow::Cow;
use std::ops::Deref;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON string, borrowed from the event where it has no escapes. Serde borrows a bare `Cow` only, not one inside
/// an `Option`; hence the type.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The function that a call names, or a piece of it.
#[derive(Deserialize)]
pub(super) struct CalledFunction<'a> {
    #[serde(default, borrow)]
    pub(super) name: Option<Text<'a>>,
    /// A string that holds an object, or the object itself.
    #[serde(default, borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// The text, or nothing.
pub(super) fn or_empty<'t>(text: Option<&'t Text<'_>>) -> &'t str {
    text.map_or("", |text| text)
}

/// A token count. Engines disagree on whether an unknown one is absent, null or a fraction.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
}
