//! Anthropic by another way: at another address, or through a company's gateway.

use url::Url;

use super::{Lookup, SelectError};
use crate::model::{Api, Model};

/// The provider this page is about.
pub(super) const PROVIDER: &str = "anthropic";
const SWITCH: &str = "CLAUDE_CODE_USE_FOUNDRY";
pub(super) const GATEWAY: &str = "FOUNDRY_BASE_URL";
const ADDRESS: &str = "ANTHROPIC_BASE_URL";
const HEADERS: &str = "ANTHROPIC_CUSTOM_HEADERS";
/// Keys for the gateway, tried in this order.
const GATEWAY_KEYS: &[&str] = &["ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"];

/// Do requests to Anthropic go through a gateway? Every word but those that say no means yes.
pub fn is_gateway(variable: impl Fn(&str) -> Option<String>) -> bool {
    let word = variable(SWITCH).unwrap_or_default().trim().to_ascii_lowercase();
    !matches!(word.as_str(), "" | "0" | "false" | "no" | "off")
}

/// The variables that hold the gateway's key, while there is a gateway.
pub(super) fn gateway_keys(lookup: &dyn Lookup) -> Option<&'static [&'static str]> {
    is_gateway(|name| lookup.env(name)).then_some(GATEWAY_KEYS)
}

/// Sends a model of Anthropic's where the environment says, with the headers that such a place wants. What the user's
/// file says about its address and headers stays.
pub(super) fn redirect(model: &mut Model, usual: &str, lookup: &dyn Lookup) -> Result<(), SelectError> {
    if model.provider != PROVIDER || model.api != Api::AnthropicMessages {
        return Ok(());
    }
    let set =
        |name: &str| lookup.env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let gateway = is_gateway(|name| lookup.env(name));
    if model.base_url == usual {
        match (gateway, set(GATEWAY), set(ADDRESS)) {
            (true, Some(address), _) | (false, _, Some(address)) => model.base_url = address,
            (true, None, _) => return Err(SelectError::MissingGateway { provider: model.provider.clone() }),
            (false, _, None) => {}
        }
    }
    model.bearer |= gateway;
    if gateway || !is_anthropics(&model.base_url) {
        for (name, value) in headers(&set(HEADERS).unwrap_or_default()) {
            let given = model.headers.keys().any(|known| known.eq_ignore_ascii_case(&name));
            if !given {
                model.headers.insert(name, value);
            }
        }
    }
    Ok(())
}

/// Is the address one of Anthropic's own? The user's headers are nobody's business there.
fn is_anthropics(base_url: &str) -> bool {
    let url = Url::parse(base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    host == "anthropic.com" || host.ends_with(".anthropic.com")
}

/// `name: value`, separated by commas or line breaks. A part without a colon belongs to the value before it.
fn headers(text: &str) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match (part.split_once(':'), headers.last_mut()) {
                (Some((name, value)), _) if is_name(name.trim()) => {
                    headers.push((name.trim().to_owned(), value.trim().to_owned()));
                }
                (_, Some((_, value))) => value.extend([",", part]),
                (_, None) => {}
            }
        }
    }
    headers
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::super::{Registry, Wanted};
    use super::*;

    struct Fixed<'a>(&'a [(&'a str, &'a str)]);

    impl Lookup for Fixed<'_> {
        fn env(&self, name: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }

        fn command(&self, _command: &str) -> Option<String> {
            None
        }
    }

    fn selected(file: Option<&str>, variables: &[(&str, &str)]) -> Model {
        let pattern = Some("anthropic/claude-sonnet-4-5");
        let registry = Registry::new(file);
        assert_eq!(registry.error(), None);
        registry.select(Wanted { pattern, ..Wanted::default() }, &Fixed(variables)).unwrap().model
    }

    /// Anthropic itself never sees the user's headers; every other address does.
    // proves: CLI-129
    #[test]
    fn the_users_headers_go_to_other_addresses_only() {
        let (key, headers) = (("ANTHROPIC_API_KEY", "k"), (HEADERS, "X-Team: blue"));
        let usual = selected(None, &[key, headers]);
        assert_eq!(
            (usual.base_url.as_str(), usual.headers.len(), usual.bearer),
            ("https://api.anthropic.com", 0, false)
        );
        let moved = selected(None, &[key, headers, (ADDRESS, "https://proxy.example/v1")]);
        assert_eq!(moved.base_url, "https://proxy.example/v1");
        assert_eq!(moved.headers.get("X-Team").map(String::as_str), Some("blue"));
        // What the user's file says about the address and the headers stays.
        let file =
            "providers:\n  anthropic:\n    baseUrl: https://mine.example\n    headers: {x-team: red}\n";
        let own = selected(Some(file), &[key, headers, (ADDRESS, "https://proxy.example")]);
        assert_eq!(own.base_url, "https://mine.example");
        assert_eq!(own.headers.get("x-team").map(String::as_str), Some("red"));
        assert!(!own.headers.contains_key("X-Team"));
    }

    #[test]
    fn headers_are_separated_by_commas_or_lines() {
        let read = |text: &str| {
            let headers = headers(text).into_iter().map(|(name, value)| format!("{name}={value}"));
            headers.collect::<Vec<_>>()
        };
        assert_eq!(
            read("X-A: 1, X-B: two words\nX-C:http://h:1/p"),
            ["X-A=1", "X-B=two words", "X-C=http://h:1/p"]
        );
        assert_eq!(read("X-A: 1,2, X-B: 3"), ["X-A=1,2", "X-B=3"]);
        assert_eq!(read("  \n,nonsense"), Vec::<String>::new());
    }

    #[test]
    fn the_switch_is_boolean_like() {
        let on = |word: &str| is_gateway(|name| (name == SWITCH).then(|| word.to_owned()));
        assert!(["1", "true", "YES", "on"].into_iter().all(on));
        assert!(!["", " ", "0", "False", "no", "OFF"].into_iter().any(on));
        assert!(!is_gateway(|_| None));
    }

    #[test]
    fn anthropics_own_hosts_are_known() {
        assert!(is_anthropics("https://api.anthropic.com") && is_anthropics("https://anthropic.com/x"));
        assert!(!is_anthropics("https://anthropic.com.evil.example") && !is_anthropics("http://127.0.0.1:1"));
    }
}
