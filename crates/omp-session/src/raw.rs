//! JSON objects whose values stay as they were written, for changing a field of a line and nothing else.

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::value::RawValue;

/// An object of a line: its fields in order, their values byte for byte.
pub(crate) struct RawObject(IndexMap<String, Box<RawValue>>);

impl RawObject {
    /// `None` if the text is no JSON object. Bytes that are no UTF-8 become signs that something is missing.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let whole = serde_json::from_slice(text).ok();
        whole.or_else(|| serde_json::from_str(&String::from_utf8_lossy(text)).ok()).map(Self)
    }

    /// A field as a value, if it can be read.
    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// A field that is an object itself.
    pub(crate) fn object(&self, name: &str) -> Option<Self> {
        Self::read(self.0.get(name)?.get().as_bytes())
    }

    /// Changes a field where it is, or adds it at `index`, or at the end if there are fewer fields.
    pub(crate) fn set(&mut self, index: usize, name: &str, value: &Value) {
        self.set_raw(index, name, value.to_string());
    }

    pub(crate) fn set_object(&mut self, name: &str, object: &Self) {
        self.set_raw(usize::MAX, name, object.text());
    }

    fn set_raw(&mut self, index: usize, name: &str, text: String) {
        let Ok(value) = RawValue::from_string(text) else { return };
        match self.0.get_mut(name) {
            Some(place) => *place = value,
            None => {
                self.0.shift_insert(index.min(self.0.len()), name.to_owned(), value);
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Value> {
        let value = self.0.shift_remove(name)?;
        serde_json::from_str(value.get()).ok()
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::from("{");
        for (name, value) in &self.0 {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Value::from(name.as_str()).to_string());
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        text
    }

    /// The object as a line of a file.
    pub(crate) fn line(&self) -> Vec<u8> {
        let mut line = self.text().into_bytes();
        line.push(b'\n');
        line
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_values_stay_as_they_are() {
        let text =
            br#"{"a":1.50e+2, "big":123456789012345678901234567890,"s":"\u0041\ud800","o":{ "x" : 1 }}"#;
        let mut object = RawObject::read(text).unwrap();
        object.set(0, "a", &json!(7));
        object.set(1, "new", &json!("n"));
        assert_eq!(
            object.text(),
            r#"{"a":7,"new":"n","big":123456789012345678901234567890,"s":"\u0041\ud800","o":{ "x" : 1 }}"#
        );
        assert_eq!(object.remove("a"), Some(json!(7)));
        assert!(RawObject::read(b"[1]").is_none() && RawObject::read(b"{\"a\":").is_none());
    }
}
