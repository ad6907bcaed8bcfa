//! What every entry has, read from a line without taking the rest of it apart.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::foreign;

/// The outside of an entry. A line has one exactly if it is a JSON object with texts as `type` and `id`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) timestamp: Option<String>,
    /// Of an entry that is none of ours by its `type` alone.
    pub(crate) custom_type: Option<String>,
    /// Of the message inside, if there is one that is told.
    pub(crate) role: Option<String>,
    /// The tool whose result the message is.
    pub(crate) tool: Option<String>,
}

impl Envelope {
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        match serde_json::from_slice(line) {
            Ok(fields) => Self::from_fields(fields),
            Err(_) => Self::from_fields(serde_json::from_str(&mended(line)?).ok()?),
        }
    }

    fn from_fields(fields: Fields<'_>) -> Option<Self> {
        let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        Some(Self {
            name: owned(fields.name)?,
            id: owned(fields.id)?,
            parent_id: owned(fields.parent_id),
            timestamp: owned(fields.timestamp),
            custom_type: owned(fields.custom_type),
            role: owned(fields.said.role).filter(|_| !fields.said.superseded),
            tool: owned(fields.said.tool),
        })
    }
}

/// JSON text in which a sign that something is missing stands for what is no Unicode text: bytes that are no UTF-8,
/// and escapes for half a character, which programs write that cut strings between two halves. `None` if there are
/// none.
pub(crate) fn mended(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    match whole_characters(&text) {
        None if matches!(text, Cow::Borrowed(_)) => None,
        None => Some(text.into_owned()),
        mended => mended,
    }
}

fn whole_characters(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(escape) = memchr::memchr(b'\\', &bytes[at..]).map(|found| at + found) {
        let unit = unit(bytes, escape);
        let paired = matches!(unit, Some(0xd800..0xdc00))
            && self::unit(bytes, escape + 6).is_some_and(|next| (0xdc00..0xe000).contains(&next));
        at = match unit {
            Some(_) if paired => escape + 12,
            Some(0xd800..0xe000) => {
                mended.push_str(&line[copied..escape]);
                mended.push_str("\\ufffd");
                copied = escape + 6;
                copied
            }
            Some(_) => escape + 6,
            None => (escape + 2).min(bytes.len()),
        };
    }
    (copied > 0).then(|| mended + &line[copied..])
}

/// The number of a `\uXXXX` escape at this place.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[derive(Default)]
struct Fields<'a> {
    name: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    parent_id: Option<Cow<'a, str>>,
    timestamp: Option<Cow<'a, str>>,
    custom_type: Option<Cow<'a, str>>,
    said: Said<'a>,
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Fields::default();
                while let Some(Text(key)) = map.next_key()? {
                    let place = match key.as_deref() {
                        Some("type") => &mut fields.name,
                        Some("id") => &mut fields.id,
                        Some("parentId") => &mut fields.parent_id,
                        Some("timestamp") => &mut fields.timestamp,
                        Some("customType") => &mut fields.custom_type,
                        Some("message") => {
                            fields.said = map.next_value()?;
                            continue;
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *place = map.next_value::<Text>()?.0;
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A text, or something else that is passed over.
struct Text<'a>(Option<Cow<'a, str>>);

/// Who speaks in a message, or something else that is passed over.
#[derive(Default)]
struct Said<'a> {
    role: Option<Cow<'a, str>>,
    tool: Option<Cow<'a, str>>,
    /// Another answer took its place.
    superseded: bool,
}

/// The parts of a visitor that pass over everything but one thing.
macro_rules! otherwise_nothing {
    ($nothing:expr, $($part:ident),+) => {
        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("anything")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
        $(otherwise_nothing!(@$part $nothing);)+
    };
    (@text $nothing:expr) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
    (@map $nothing:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
    };
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Text<'de>;
            otherwise_nothing!(Text(None), map);

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Said<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Said<'de>;
            otherwise_nothing!(Said::default(), text);

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut said = Said::default();
                while let Some(Text(key)) = map.next_key()? {
                    let place = match key.as_deref() {
                        Some("role") => &mut said.role,
                        Some("toolName") => &mut said.tool,
                        Some(foreign::SUPERSEDED) => {
                            said.superseded = map.next_value::<Option<IgnoredAny>>()?.is_some();
                            continue;
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *place = map.next_value::<Text>()?.0;
                }
                Ok(said)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outside_of_an_entry() {
        let line = br#"{"type":"message","id":"a\u0062","parentId":null,"x":[{"id":1}],"message":{"content":[],"role":"user"}}"#;
        let read = Envelope::read(line).unwrap();
        assert_eq!(
            (read.name.as_str(), read.id.as_str(), read.role.as_deref()),
            ("message", "ab", Some("user"))
        );
        assert_eq!((read.parent_id, read.timestamp), (None, None));
        for strange in [
            r#"{"type":"x","id":"a","parentId":5,"timestamp":{},"message":"text"}"#,
            r#"{"type":"y","type":"x","id":"a","message":[1]}"#,
            r#"{"type":"x","id":"a","message":{"role":7}}"#,
        ] {
            let read = Envelope::read(strange.as_bytes()).unwrap();
            assert_eq!((read.name.as_str(), read.id.as_str()), ("x", "a"), "{strange}");
            assert_eq!((read.parent_id, read.timestamp, read.role), (None, None, None));
        }
        for nothing in
            ["", "[]", "{}", r#"{"type":"x"}"#, r#"{"type":"x","id":1}"#, r#"{"type":"x","id":"a""#]
        {
            assert_eq!(Envelope::read(nothing.as_bytes()), None, "{nothing}");
        }
    }

    #[test]
    fn half_characters_are_mended() {
        let mended = |text: &str| mended(text.as_bytes());
        assert_eq!(mended(r#""\ud83d\ude00 \n \\ud800 ok""#), None);
        assert_eq!(mended(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(mended(r#""\ude00\ud83dx""#).as_deref(), Some(r#""\ufffd\ufffdx""#));
        assert_eq!(mended(r#""\ud83d\ud83d\ude00""#).as_deref(), Some(r#""\ufffd\ud83d\ude00""#));
        assert_eq!(mended(r#""\"#), None);
        assert_eq!(super::mended(b"\"\xff\\ud800\"").as_deref(), Some("\"\u{fffd}\\ufffd\""));
    }
}
