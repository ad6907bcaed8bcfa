//! Typed handles: asking for a setting gives a value of its kind, and a wrong kind does not compile.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::row::Setting;

/// The handle of one setting; `K` is a type of [`kind`].
#[derive(Debug)]
pub struct Key<K> {
    pub(super) setting: &'static Setting,
    pub(super) kind: PhantomData<K>,
}

impl<K> Clone for Key<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Key<K> {}

impl<K> Key<K> {
    pub const fn setting(self) -> &'static Setting {
        self.setting
    }

    pub const fn path(self) -> &'static str {
        self.setting.path
    }
}

/// The kinds of values.
pub mod kind {
    #[derive(Clone, Copy, Debug)]
    pub struct Flag;
    #[derive(Clone, Copy, Debug)]
    pub struct Number;
    #[derive(Clone, Copy, Debug)]
    pub struct Choice;
    #[derive(Clone, Copy, Debug)]
    pub struct Text;
    #[derive(Clone, Copy, Debug)]
    pub struct List;
    #[derive(Clone, Copy, Debug)]
    pub struct Record;
}

/// How a kind reads a checked value. A value of another kind cannot get here; it would read as the zero of
/// the kind.
pub trait Kind {
    type Value<'a>;
    fn read<'a>(value: &'a Value, setting: &'static Setting) -> Self::Value<'a>;
}

impl Kind for kind::Flag {
    type Value<'a> = bool;
    fn read(value: &Value, _: &'static Setting) -> bool {
        value.as_bool().unwrap_or_default()
    }
}

impl Kind for kind::Number {
    type Value<'a> = f64;
    fn read(value: &Value, _: &'static Setting) -> f64 {
        value.as_f64().unwrap_or_default()
    }
}

impl Kind for kind::Choice {
    type Value<'a> = &'static str;
    fn read(value: &Value, setting: &'static Setting) -> &'static str {
        let word = value.as_str().unwrap_or_default();
        setting.choices().iter().find(|choice| **choice == word).copied().unwrap_or_default()
    }
}

/// An empty text is no text.
impl Kind for kind::Text {
    type Value<'a> = Option<&'a str>;
    fn read<'a>(value: &'a Value, _: &'static Setting) -> Option<&'a str> {
        value.as_str().filter(|text| !text.is_empty())
    }
}

impl Kind for kind::List {
    type Value<'a> = &'a [Value];
    fn read<'a>(value: &'a Value, _: &'static Setting) -> &'a [Value] {
        value.as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

impl Kind for kind::Record {
    type Value<'a> = &'a Map<String, Value>;
    fn read<'a>(value: &'a Value, _: &'static Setting) -> &'a Map<String, Value> {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        value.as_object().unwrap_or(&EMPTY)
    }
}

/// The strings of a list; other values are skipped.
pub fn strings(list: &[Value]) -> impl Iterator<Item = &str> {
    list.iter().filter_map(Value::as_str)
}
