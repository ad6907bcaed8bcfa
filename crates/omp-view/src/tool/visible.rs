//! Calls in which nothing is hidden: what a call does and what came of it is decided about by what is seen of it.

use std::borrow::Cow;

use omp_tui::text::neutral::exact_but_colours;
use omp_types::UserBlock;
use serde_json::{Map, Value};

use super::Call;

impl Call {
    /// The call with characters that cannot be seen shown by their numbers. Controls of 7 bits are left to the rows, which
    /// know colours from commands.
    pub(super) fn visible(&self) -> Cow<'_, Self> {
        if !self.hides() {
            return Cow::Borrowed(self);
        }
        let mut call = self.clone();
        show(&mut call.name);
        call.intent.iter_mut().for_each(show);
        show_in(&mut call.arguments);
        call.output.details.iter_mut().for_each(show_value);
        for block in &mut call.output.content {
            if let UserBlock::Text(text) = block {
                show(&mut text.text);
            }
        }
        Cow::Owned(call)
    }

    fn hides(&self) -> bool {
        let mut texts = self.output.content.iter().filter_map(UserBlock::as_text);
        hides(&self.name)
            || self.intent.as_deref().is_some_and(hides)
            || self.arguments.iter().any(|(name, value)| hides(name) || hides_value(value))
            || self.output.details.as_ref().is_some_and(hides_value)
            || texts.any(hides)
    }
}

fn hides(text: &str) -> bool {
    matches!(exact_but_colours(text), Cow::Owned(clean) if clean != text)
}

fn hides_value(value: &Value) -> bool {
    match value {
        Value::String(text) => hides(text),
        Value::Array(values) => values.iter().any(hides_value),
        Value::Object(map) => map.iter().any(|(name, value)| hides(name) || hides_value(value)),
        _ => false,
    }
}

fn show(text: &mut String) {
    if let Cow::Owned(clean) = exact_but_colours(text) {
        *text = clean;
    }
}

fn show_value(value: &mut Value) {
    match value {
        Value::String(text) => show(text),
        Value::Array(values) => values.iter_mut().for_each(show_value),
        Value::Object(map) => show_in(map),
        _ => {}
    }
}

fn show_in(map: &mut Map<String, Value>) {
    for (mut name, mut value) in std::mem::take(map) {
        show(&mut name);
        show_value(&mut value);
        map.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use omp_types::ToolOutput;
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_characters_are_shown_wherever_they_stand() {
        let arguments = json!({"a\u{200b}": ["x\u{202e}"], "b": {"c": "\u{1b}[1md\u{e0041}"}});
        let mut call = Call::new("tool\u{feff}").with_arguments(arguments.as_object().cloned().unwrap());
        call.intent = Some("why\u{2066}".to_owned());
        call.output = ToolOutput::text("out\u{200d}");
        call.output.details = Some(json!({"d": "\u{200e}"}));
        let shown = call.visible();
        assert_eq!((shown.name.as_str(), shown.intent.as_deref()), ("tool<U+FEFF>", Some("why<U+2066>")));
        let expected = json!({"a<U+200B>": ["x<U+202E>"], "b": {"c": "\u{1b}[1md<U+E0041>"}});
        assert_eq!(Value::Object(shown.arguments.clone()), expected);
        assert_eq!(
            (shown.text().as_str(), shown.output.details.clone()),
            ("out<U+200D>", Some(json!({"d": "<U+200E>"})))
        );
        assert!(matches!(Call::new("plain").visible(), Cow::Borrowed(_)));
    }
}
