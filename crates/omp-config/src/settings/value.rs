//! A value typed at a command line.

use serde_json::Value;

use super::check::flag_word;
use super::error::SettingsError;
use super::row::{Setting, Shape, number};

/// Reads `text` as a value of the setting.
pub fn parse_value(setting: &Setting, text: &str) -> Result<Value, SettingsError> {
    let text = text.trim();
    read(setting, text).map_err(|reason| SettingsError::Value { path: setting.path.to_owned(), reason })
}

fn read(setting: &Setting, text: &str) -> Result<Value, String> {
    match setting.shape {
        Shape::Flag(_) => flag_word(text).map(Value::Bool).ok_or_else(|| {
            format!("{text:?} is not a boolean: use true or false (or yes, no, on, off, 1, 0)")
        }),
        Shape::Number(_) => {
            finite(text).map(number).ok_or_else(|| format!("{text:?} is not a finite number"))
        }
        Shape::Choice { choices, .. } => match choices.iter().find(|choice| **choice == text) {
            Some(choice) => Ok(Value::from(*choice)),
            None => Err(format!("{text:?} is not a valid value (valid values: {})", choices.join(", "))),
        },
        Shape::Text(_) => Ok(Value::from(text)),
        Shape::List(_) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => Ok(Value::Array(items)),
            _ => Err("the value must be a JSON array, for example '[\"one\",\"two\"]'".to_owned()),
        },
        Shape::Record => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Ok(Value::Object(map)),
            _ => Err("the value must be a JSON object, for example '{\"bash\":\"prompt\"}'".to_owned()),
        },
    }
}

/// Decimal with an optional exponent, or a whole number after `0x`, `0o` or `0b`.
fn finite(text: &str) -> Option<f64> {
    let radix = |prefix: &str, radix| {
        let digits = text.strip_prefix(prefix)?;
        u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+')).map(|whole| whole as f64)
    };
    let special = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2));
    // `inf` and `nan` parse as well; neither is finite.
    special.or_else(|| text.parse().ok()).filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::find;
    use serde_json::json;

    fn parsed(path: &str, text: &str) -> Result<Value, String> {
        parse_value(find(path).unwrap(), text).map_err(|error| error.to_string())
    }

    // proves: CFG-029
    #[test]
    fn booleans_have_eight_words() {
        for word in ["true", "yes", "on", "1", "TRUE", "Yes", " oN "] {
            assert_eq!(parsed("retry.enabled", word), Ok(json!(true)), "{word}");
        }
        for word in ["false", "no", "off", "0", "False", "NO"] {
            assert_eq!(parsed("retry.enabled", word), Ok(json!(false)), "{word}");
        }
        for word in ["", "2", "y", "n", "t", "enabled", "null", "tru"] {
            assert!(parsed("retry.enabled", word).unwrap_err().contains("not a boolean"), "{word}");
        }
    }

    // proves: CFG-030
    #[test]
    fn numbers_are_finite() {
        for (text, value) in [
            ("10", json!(10)),
            ("-1", json!(-1)),
            ("0.95", json!(0.95)),
            ("1e3", json!(1000)),
            (".5", json!(0.5)),
            (" 7 ", json!(7)),
            ("0x10", json!(16)),
            ("+2", json!(2)),
            ("-0", json!(0)),
        ] {
            assert_eq!(parsed("retry.maxRetries", text), Ok(value), "{text}");
        }
        for text in [
            "NaN",
            "nan",
            "Infinity",
            "-Infinity",
            "inf",
            "1e400",
            "",
            "ten",
            "1,5",
            "1_000",
            "0x",
            "0x+1",
            "true",
        ] {
            assert!(parsed("retry.maxRetries", text).unwrap_err().contains("not a finite number"), "{text}");
        }
    }

    // proves: CFG-031
    #[test]
    fn choices_match_exactly_and_are_listed() {
        assert_eq!(parsed("tools.approvalMode", " write "), Ok(json!("write")));
        for text in ["Write", "writ", "", "all"] {
            let error = parsed("tools.approvalMode", text).unwrap_err();
            assert!(error.contains("auto, always-ask, write, yolo"), "{error}");
        }
    }

    // proves: CFG-032
    #[test]
    fn lists_and_records_are_json_of_that_shape() {
        assert_eq!(parsed("cycleOrder", "[\"a\"]"), Ok(json!(["a"])));
        assert_eq!(parsed("tools.approval", "{\"bash\":\"prompt\"}"), Ok(json!({"bash": "prompt"})));
        for text in ["a", "{}", "\"a\"", "1", "[", "", "null"] {
            assert!(parsed("cycleOrder", text).is_err(), "{text}");
        }
        for text in ["a", "[]", "\"a\"", "1", "{", "", "null"] {
            assert!(parsed("tools.approval", text).is_err(), "{text}");
        }
    }
}
