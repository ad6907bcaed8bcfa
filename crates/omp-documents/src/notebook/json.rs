//! Pieces of JSON, with the text they were written as.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::PrettyFormatter;
use serde_json::value::RawValue;

/// The fields of an object, in order.
pub(super) struct Fields<'a>(Vec<(String, &'a RawValue)>);

/// `None` if it is no object.
pub(super) fn fields(raw: &str) -> Option<Fields<'_>> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    serde::Deserializer::deserialize_map(&mut deserializer, Visitor).ok().map(Fields)
}

/// The last field of that name.
pub(super) fn field<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a RawValue> {
    fields.0.iter().rev().find(|(other, _)| other == name).map(|(_, raw)| *raw)
}

/// Where `part`, a slice of `whole`, lies in it.
pub(super) fn offset(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

/// A source: a text, or lines with their ends.
pub(super) fn text(raw: &str) -> Option<String> {
    match serde_json::from_str(raw).ok()? {
        Value::String(text) => Some(text),
        Value::Array(lines) => lines.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// A source as lines with their ends.
pub(super) fn lines(source: &str) -> Value {
    Value::Array(source.split_inclusive('\n').map(Value::from).collect())
}

/// How a file is laid out.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// One step of indentation; `None` for a file on one line.
    step: Option<String>,
}

impl Layout {
    pub(super) fn of(json: &str) -> Self {
        let step = json.trim_start().strip_prefix('{').and_then(|rest| {
            let blanks: &str = &rest[..rest.len() - rest.trim_start().len()];
            blanks.rsplit_once('\n').map(|(_, step)| step.to_owned())
        });
        Self { step }
    }

    /// A cell as it stands in the list of cells.
    pub(super) fn cell(&self, cell: &Value) -> String {
        self.write(cell, 2)
    }

    /// The value of a cell's `source`.
    pub(super) fn source(&self, source: &str) -> String {
        self.write(&lines(source), 3)
    }

    /// A list of cells.
    pub(super) fn list(&self, cells: &[String]) -> String {
        match &self.step {
            _ if cells.is_empty() => "[]".to_owned(),
            None => format!("[{}]", cells.join(", ")),
            Some(step) => {
                let before = format!("\n{}", step.repeat(2));
                format!("[{before}{}\n{step}]", cells.join(&format!(",{before}")))
            }
        }
    }

    fn write(&self, value: &Value, depth: usize) -> String {
        let Some(step) = &self.step else { return value.to_string() };
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(step.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // Values of strings and numbers always have a JSON form.
        let written = value.serialize(&mut serializer).is_ok();
        let text = if written { String::from_utf8(bytes).unwrap_or_default() } else { value.to_string() };
        text.replace('\n', &format!("\n{}", step.repeat(depth)))
    }
}
