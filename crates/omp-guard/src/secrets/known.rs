//! Values that are known to be secret: keys that are stored, described or set. They are masked wherever they appear,
//! and nothing turns a mask back.

use super::{Matcher, Mode, SecretEntry, Secrets, is_secret_name};

/// Shorter values are words that may stand anywhere.
const SHORTEST: usize = 8;
/// A value of one kind of characters is a word, unless nobody writes words that long.
const LONG: usize = 16;
/// A line of a secret of several lines that is masked by itself: programs print them one by one.
const LONG_LINE: usize = 20;
/// The longest secret; keys in PEM are a few thousand bytes.
pub const LONGEST: usize = 16 * 1024;
/// The longest part of the name of a host that is one.
const LONGEST_LABEL: usize = 15;

/// A secret and what it is called.
#[derive(Clone, PartialEq, Eq)]
pub struct Known {
    /// What people know it by: a variable, a provider.
    pub name: String,
    /// The secret itself.
    pub value: String,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Known({})", self.name)
    }
}

/// Variables whose names say that they are secret.
pub fn known_variables(variables: impl IntoIterator<Item = (String, String)>) -> Vec<Known> {
    let secret = variables.into_iter().filter(|(name, _)| is_secret_name(name));
    secret.map(|(name, value)| Known { name, value }).collect()
}

/// What masks known values, the longer ones first, in every form in which programs print them.
pub fn masks(mut known: Vec<Known>) -> Vec<SecretEntry> {
    known.retain(|known| is_plausible(&known.value));
    known.sort_by(|one, other| (other.value.len(), &one.value).cmp(&(one.value.len(), &other.value)));
    known.dedup_by(|one, other| one.value == other.value);
    let mut entries = Vec::new();
    for Known { name, value } in known {
        let mask = format!("[secret:{name}]");
        let value = value.trim();
        let quoted = serde_json::Value::from(value).to_string();
        let lines = value.lines().map(str::trim).filter(|line| line.len() >= LONG_LINE);
        let forms = [value, &quoted[1..quoted.len() - 1]].into_iter().chain(lines);
        for form in forms.filter(|form| !mask.contains(form)) {
            let matcher = Matcher::Plain(form.to_owned());
            entries.push(SecretEntry { matcher, mode: Mode::Replace(Some(mask.clone())) });
        }
    }
    entries
}

/// May a value be a secret? Switches, words, paths, addresses and hosts are not, whatever their names say.
pub fn is_plausible(value: &str) -> bool {
    let value = value.trim();
    let length = value.chars().count();
    if length < SHORTEST || value.len() > LONGEST || is_path(value) || value.contains("://") || is_host(value)
    {
        return false;
    }
    let has = |class: fn(char) -> bool| value.chars().any(class);
    let digits = has(|letter| letter.is_ascii_digit()) && has(char::is_alphabetic);
    let cases = has(char::is_lowercase) && has(char::is_uppercase) && length >= 12;
    let signs = has(|letter| !letter.is_alphanumeric() && !" -_.,/".contains(letter));
    digits || cases || signs || length >= LONG
}

fn is_path(value: &str) -> bool {
    ["/", "~/", "./", "../"].iter().any(|start| value.starts_with(start)) && !value.contains('\n')
}

/// Names in small letters with dots between them, or a port behind.
fn is_host(value: &str) -> bool {
    let (name, port) = value.rsplit_once(':').map_or((value, None), |(name, port)| (name, Some(port)));
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= LONGEST_LABEL
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    is_port && name.split('.').all(label) && (port.is_some() || name.contains('.'))
}

impl Secrets {
    /// The text with secrets masked.
    pub fn masked<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        self.obfuscate(text).map_or(text.into(), Into::into)
    }

    /// Where known values stand in bytes.
    pub fn places(&self, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        let found = self.finder.iter().flat_map(|finder| finder.find_iter(bytes));
        found.map(|hit| hit.start()..hit.end()).collect()
    }

    /// A mask that stands in a text, as it was put there.
    pub fn mask_in(&self, text: &str) -> Option<&str> {
        let mask = |mode: &'_ Mode| match mode {
            Mode::Replace(Some(mask)) if text.contains(mask.as_str()) => Some(()),
            _ => None,
        };
        if !text.contains("[secret:") {
            return None;
        }
        let found = self.plain.iter().find(|mode| mask(mode).is_some())?;
        match found {
            Mode::Replace(Some(mask)) => Some(mask),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str, value: &str) -> Known {
        Known { name: name.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn ordinary_values_are_no_secrets() {
        for ordinary in [
            "",
            "true",
            "false",
            "localhost",
            "localhost:8080",
            "production",
            "test-key",
            "12345678",
            "password",
            "/run/user/1000/ssh-agent.socket",
            "~/.ssh/id_ed25519",
            "https://auth.example.com/v1",
            "api1.example.com",
            "db-1.internal.example.com:5432",
            "publickey",
            "read-only",
        ] {
            assert!(!is_plausible(ordinary), "{ordinary}");
        }
        for secret in [
            "hunter2hunter2",
            "sk-ant-api03-AbC",
            "correct horse battery staple",
            "p@ssword",
            "ghp_0123456789abcdef",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
            "abcdefghijklmnop",
            "-----BEGIN KEY-----\nMIIE\n-----END KEY-----",
            "AKIAIOSFODNN7EXAMPLE",
            "9f86d081884c7d659a2feaa0c55ad015.deploy",
        ] {
            assert!(is_plausible(secret), "{secret}");
        }
    }

    #[test]
    fn values_are_masked_in_every_form() {
        let pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END KEY-----";
        let secrets = Secrets::new(
            masks(vec![
                known("A_KEY", "abc\"12345"),
                known("B_KEY", "abc\"1234567"),
                known("PEM_KEY", pem),
                known("X_KEY", "true"),
            ]),
            "s",
        );
        assert_eq!(secrets.masked("x abc\"1234567 abc\"12345 true"), "x [secret:B_KEY] [secret:A_KEY] true");
        assert_eq!(secrets.masked(r#"{"k":"abc\"12345"}"#), r#"{"k":"[secret:A_KEY]"}"#);
        assert_eq!(secrets.masked("> MIIEvQIBADANBgkqhkiG9w0B <"), "> [secret:PEM_KEY] <");
        assert_eq!(secrets.masked("[secret:A_KEY]"), "[secret:A_KEY]");
        assert_eq!(secrets.mask_in("a=[secret:A_KEY]"), Some("[secret:A_KEY]"));
        assert_eq!(secrets.mask_in("a=[secret:OTHER]"), None);
    }
}
