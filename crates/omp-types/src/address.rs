//! Addresses as they may be shown.

use std::borrow::Cow;

/// What stands in place of a password or a token.
const MASK: &str = "***";

/// Parameters of a query whose values open doors. Whole names: an address to log in at has a `code_challenge`.
const SECRET_PARAMETERS: [&str; 21] = [
    "access_token",
    "api-key",
    "api_key",
    "apikey",
    "auth",
    "auth_token",
    "authorization",
    "client_secret",
    "id_token",
    "key",
    "pass",
    "passwd",
    "password",
    "private_token",
    "refresh_token",
    "secret",
    "sig",
    "signature",
    "token",
    "x-amz-security-token",
    "x-amz-signature",
];

/// A text whose addresses show no password and no token.
pub fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let (mut clean, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let end = after.find(ends).unwrap_or(after.len());
        mask(&after[..end], &mut clean);
        rest = &after[end..];
    }
    clean.push_str(rest);
    if clean == text { Cow::Borrowed(text) } else { Cow::Owned(clean) }
}

/// Characters that end an address in a sentence, in quotes or in a list.
fn ends(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || matches!(letter, '"' | '\'' | '`' | '<' | '>' | '|')
}

/// `address` begins behind the scheme.
fn mask(address: &str, clean: &mut String) {
    let authority = address.find(['/', '?', '#']).unwrap_or(address.len());
    // A password may hold anything, even the signs that would end the authority.
    let authority = address.rfind('@').filter(|at| is_password(address, *at, authority)).unwrap_or(authority);
    let (authority, rest) = address.split_at(authority);
    match authority.rsplit_once('@').map_or((authority, None), |(user, host)| (user, Some(host))) {
        (user, Some(host)) => {
            mask_user(user, clean);
            clean.push('@');
            clean.push_str(host);
        }
        (user, None) if rest.starts_with('@') => mask_user(user, clean),
        (host, None) => clean.push_str(host),
    }
    mask_query(rest, clean);
}

/// Does an `@` behind the authority still end a user and password? Where a colon stands before the first slash, and no
/// number follows it, as a port would.
fn is_password(address: &str, at: usize, authority: usize) -> bool {
    let host = &address[..authority];
    at > authority
        && !host.contains('@')
        && host.split_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_err())
}

fn mask_user(user: &str, clean: &mut String) {
    if let Some((name, _)) = user.split_once(':') {
        clean.push_str(name);
        clean.push(':');
    }
    clean.push_str(MASK);
}

fn mask_query(rest: &str, clean: &mut String) {
    let Some((path, query)) = rest.split_once('?') else { return clean.push_str(rest) };
    let (query, fragment) = query.find('#').map_or((query, ""), |at| query.split_at(at));
    clean.push_str(path);
    for (index, pair) in query.split('&').enumerate() {
        clean.push(if index == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((name, value)) if !value.is_empty() && is_secret(name) => {
                clean.push_str(name);
                clean.push('=');
                clean.push_str(MASK);
            }
            _ => clean.push_str(pair),
        }
    }
    clean.push_str(fragment);
}

fn is_secret(name: &str) -> bool {
    SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str())
}

/// The passwords and tokens in a text's addresses.
pub fn secrets(address: &str) -> Vec<String> {
    let Some((_, address)) = address.split_once("://") else { return Vec::new() };
    let mut found = Vec::new();
    let authority = address.find(['/', '?', '#']).unwrap_or(address.len());
    let authority = address.rfind('@').filter(|at| is_password(address, *at, authority)).unwrap_or(authority);
    let authority = address[..authority].rsplit_once('@').map_or(
        if address[authority..].starts_with('@') { &address[..authority] } else { "" },
        |(user, _)| user,
    );
    if !authority.is_empty() {
        found.push(authority.split_once(':').map_or(authority, |(_, password)| password).to_owned());
    }
    let query = address.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    let secret = |pair: &str| {
        pair.split_once('=').filter(|(name, _)| is_secret(name)).map(|(_, value)| value.to_owned())
    };
    found.extend(query.split('&').filter_map(secret));
    found.retain(|secret| !secret.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_are_masked() {
        for (text, shown) in [
            ("see https://ann:hush@host/v1 now", "see https://ann:***@host/v1 now"),
            ("https://ghp_token@github.com/a", "https://***@github.com/a"),
            ("\"http://u:p@h:80\"", "\"http://u:***@h:80\""),
            ("http://u:p/w@h/x", "http://u:***@h/x"),
            ("http://u:p@w@h/x", "http://u:***@h/x"),
            ("https://h/p?key=abc&a=1&Access_Token=x#f", "https://h/p?key=***&a=1&Access_Token=***#f"),
            ("socks5://a:b@[::1]:1080", "socks5://a:***@[::1]:1080"),
            ("two http://a:b@c, http://d:e@f", "two http://a:***@c, http://d:***@f"),
        ] {
            assert_eq!(masked(text), shown);
            assert_eq!(masked(shown), shown, "once is enough");
        }
        for text in [
            "https://host:8080/a@b",
            "https://login/?code_challenge=x&state=y&client_id=z",
            "no address: a@b",
            "https://h/s/id#k=secret",
            "https://example.com/@user/post?keys=1",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn secrets_of_an_address_are_known() {
        assert_eq!(secrets("https://ann:hush@host/v1?key=abc&a=1"), ["hush", "abc"]);
        assert_eq!(secrets("https://tok@host"), ["tok"]);
        assert_eq!(secrets("http://u:p/w@h/x"), ["p/w"]);
        assert!(secrets("https://host:80/a@b").is_empty());
    }
}
