//! The metadata at the head of Markdown files.

use serde_json::{Map, Value};

/// Metadata above this is not metadata.
const MAXIMUM: usize = 64 * 1024;

/// A Markdown file, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Empty when the file has no front matter.
    pub data: Map<String, Value>,
    /// What follows, trimmed.
    pub body: String,
    /// Why `data` was read line by line instead of as YAML, or not at all.
    pub warning: Option<String>,
}

/// Takes a file apart. A byte order mark and carriage returns do no harm.
pub fn parse(text: &str) -> Document {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((head, rest)) = split(text) else {
        return Document { body: text.trim().to_owned(), ..Document::default() };
    };
    if head.len() > MAXIMUM {
        return Document {
            body: text.trim().to_owned(),
            warning: Some(format!(
                "the front matter has {} bytes, more than the limit of {MAXIMUM}; it is treated as text",
                head.len()
            )),
            ..Document::default()
        };
    }
    let (data, warning) = metadata(head);
    Document { data, body: rest.trim().to_owned(), warning }
}

/// The lines between the first `---` and the next one, and what follows.
fn split(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut offset = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..offset], &rest[offset + line.len()..]));
        }
        offset += line.len();
    }
    None
}

fn metadata(head: &str) -> (Map<String, Value>, Option<String>) {
    if head.trim().is_empty() {
        return (Map::new(), None);
    }
    match serde_saphyr::from_str_with_options::<Option<Map<String, Value>>>(head, options()) {
        Ok(data) => (data.unwrap_or_default(), None),
        Err(error) => {
            // The head starts on the second line of the file.
            let line = error.location().map_or(2, |location| location.line() + 1);
            let reason = error.without_snippet().to_string();
            let warning = format!(
                "line {line}: the front matter is not valid YAML ({}); only simple `key: value` lines are \
                 used, as text",
                reason.lines().next().unwrap_or_default()
            );
            (simple_lines(head), Some(warning))
        }
    }
}

/// Words like `yes` and `on` stay words, and aliases cannot multiply a small file into a large one.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 10_000 },
    }
}

/// `key: value` lines whose key is one word; everything else is skipped.
fn simple_lines(head: &str) -> Map<String, Value> {
    let word = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, _)| word(key))
        .map(|(key, value)| (key.to_owned(), Value::String(value.trim().to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn data(text: &str) -> Value {
        Value::Object(parse(text).data)
    }

    // proves: EXT-113
    #[test]
    fn front_matter_needs_a_first_and_a_closing_line() {
        let document = parse("---\nname: a\ntags: [x, y]\n---\n\n  Body\n\n");
        assert_eq!(Value::Object(document.data), json!({"name": "a", "tags": ["x", "y"]}));
        assert_eq!(document.body, "Body");
        assert_eq!(document.warning, None);
        for plain in
            ["text\n---\na: b\n---\n", "---\na: b\nno end", "----\na: b\n----\n", "\n---\na: b\n---\n", "---"]
        {
            let document = parse(plain);
            assert_eq!((document.data, document.body.as_str()), (Map::new(), plain.trim()), "{plain:?}");
        }
        assert_eq!(data("---\n---\nx"), json!({}));
        assert_eq!(data("---\n# only a comment\n---\nx"), json!({}));
        // A line that only begins like the closing one is none.
        assert_eq!(parse("---\na: |\n  x\n  --- y\n---\nz").body, "z");
    }

    #[test]
    fn byte_order_marks_and_carriage_returns_do_no_harm() {
        let document = parse("\u{feff}---\r\nname: a\r\nlist:\r\n  - b\r\n---\r\nBody\r\n");
        assert_eq!(Value::Object(document.data), json!({"name": "a", "list": ["b"]}));
        assert_eq!((document.body.as_str(), document.warning), ("Body", None));
        assert_eq!(parse("\u{feff}plain").body, "plain");
    }

    // proves: EXT-114
    #[test]
    fn invalid_yaml_is_read_line_by_line() {
        let document = parse(
            "---\nalwaysApply: true\nglobs: *.ts,*.tsx\nttsr_trigger: a: b\nargument-hint: x\n - y\n---\nBody",
        );
        assert_eq!(
            Value::Object(document.data),
            json!({"alwaysApply": "true", "globs": "*.ts,*.tsx", "ttsr_trigger": "a: b"})
        );
        assert_eq!(document.body, "Body");
        let warning = document.warning.unwrap();
        assert!(warning.starts_with("line 3: the front matter is not valid YAML"), "{warning}");
        assert_eq!(warning.lines().count(), 1, "{warning}");
        let list = parse("---\n- a\n- b\n---\nBody");
        assert!(list.data.is_empty() && list.warning.is_some());
    }

    #[test]
    fn huge_front_matter_counts_as_text() {
        let text = format!("---\na: {}\n---\nBody", "x".repeat(MAXIMUM));
        let document = parse(&text);
        assert!(document.data.is_empty());
        assert_eq!(document.body, text);
        assert!(document.warning.unwrap().contains("more than the limit of 65536"));
    }

    #[test]
    fn aliases_cannot_blow_up() {
        let mut head = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for (name, of) in ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip("abcdefgh".chars()) {
            head.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{of}"); 9].join(",")));
        }
        let document = parse(&format!("---\n{head}---\nBody"));
        assert!(document.warning.is_some());
        assert_eq!(document.body, "Body");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken_apart(text in "(---\r?\n)?([a-z]+: ?[\\[\\]{}*&!|>\"'a-z\n]*\r?\n){0,4}(---\r?\n)?\\PC*") {
            let document = parse(&text);
            proptest::prop_assert!(text.contains(document.body.as_str()));
        }
    }
}
