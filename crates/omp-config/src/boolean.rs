//! Switches in variables.

/// Is a switch on? `1`, `true`, `yes` and `on` are, in any case; everything else is off.
///
/// A variable that is not set is neither: then the setting decides.
pub fn boolean_like(value: &str) -> bool {
    let value = value.trim();
    ["1", "true", "yes", "on"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::boolean_like;

    #[test]
    fn four_words_are_on() {
        for on in ["1", "true", "yes", "on", "TRUE", "Yes", " on "] {
            assert!(boolean_like(on), "{on:?}");
        }
        for off in ["", "0", "false", "no", "off", "2", "y", "t", "enabled", "11"] {
            assert!(!boolean_like(off), "{off:?}");
        }
    }
}
