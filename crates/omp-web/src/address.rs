//! Which addresses are asked.
//!
//! A page or a prompt may trick a model into reading what only this machine can reach. The services where clouds hand
//! out credentials are never asked. Servers of this machine and its network are, because developers read their own,
//! but only where they were named: nobody outside leads us to them, neither by an address nor by a name that stands for
//! one. (Behind a proxy it is the proxy that looks names up.)

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// An address that is not asked, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("'{0}' is not a web address: {1}")]
    Unreadable(String, String),
    #[error("{0} is a cloud metadata address that serves credentials and is blocked")]
    Metadata(String),
    #[error("{0} is not an http or https address")]
    Scheme(String),
    #[error(
        "{from} redirects to {to}, a local or private address; read that address directly if you need it"
    )]
    Inward { from: String, to: String },
    #[error(
        "a redirect leads to {0}, which resolves to a local or private address; read that address directly \
         if you need it"
    )]
    InwardName(String),
}

/// Reads what was typed: `http://`, `https://` or `www.`.
pub fn parse(typed: &str) -> Result<Url, AddressError> {
    let typed = typed.trim();
    let completed = if is_bare(typed) { format!("https://{typed}") } else { typed.to_owned() };
    let mut url = Url::parse(&completed)
        .map_err(|error| AddressError::Unreadable(without_user(typed), explain(typed, error)))?;
    url.set_fragment(None);
    check(&url)?;
    Ok(url)
}

/// Does `typed` look like an address of the web?
pub fn is_web(typed: &str) -> bool {
    let scheme =
        |scheme: &str| typed.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    scheme("http://") || scheme("https://") || is_bare(typed)
}

fn is_bare(typed: &str) -> bool {
    typed.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
}

fn explain(typed: &str, error: url::ParseError) -> String {
    let after = typed.split_once("://").map_or(typed, |(_, rest)| rest);
    match error {
        url::ParseError::InvalidPort if !after.contains('/') => {
            "the port is not a number; a selector needs a slash before it, as in https://example.com/:5-10"
                .to_owned()
        }
        error => error.to_string(),
    }
}

/// Refuses what is never asked.
pub(crate) fn check(url: &Url) -> Result<(), AddressError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme(shown(url)));
    }
    let metadata = match url.host() {
        Some(Host::Domain(name)) => is_metadata_name(name),
        Some(Host::Ipv4(address)) => is_metadata(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_metadata(IpAddr::V6(address)),
        None => false,
    };
    if metadata { Err(AddressError::Metadata(shown(url))) } else { Ok(()) }
}

/// May what `from` says lead us to `to`, by a redirect or a link?
pub(crate) fn follow(from: &Url, to: &Url) -> Result<(), AddressError> {
    check(to)?;
    let downgrade = from.scheme() == "https" && to.scheme() == "http";
    if is_inward(to) && (!is_inward(from) || downgrade) {
        return Err(AddressError::Inward { from: shown(from), to: shown(to) });
    }
    Ok(())
}

/// Is this where a cloud tells its machines who they are?
pub(crate) fn is_metadata(address: IpAddr) -> bool {
    const AMAZON_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address {
        IpAddr::V4(address) => {
            // Alibaba's stands outside the link-local range, where all others are.
            address.is_link_local() || address == Ipv4Addr::new(100, 100, 100, 200)
        }
        IpAddr::V6(address) => {
            address == AMAZON_V6
                || address.is_unicast_link_local()
                || embedded(address).is_some_and(|address| is_metadata(IpAddr::V4(address)))
        }
    }
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, NAT64 or 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0 | 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => Some(join(g, h)),
        [0x2002, ..] => Some(join(b, c)),
        _ => None,
    }
}

fn is_metadata_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    matches!(name.as_str(), "metadata" | "metadata.google.internal" | "metadata.goog" | "instance-data")
        || name.ends_with(".metadata.google.internal")
        || name.starts_with("instance-data.") && name.ends_with(".internal")
}

/// Does the address itself say that it is of this machine or its network?
pub(crate) fn is_inward(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost"
                || name.ends_with(".localhost")
                || name.ends_with(".local")
                || !name.contains('.')
        }
        Some(Host::Ipv4(address)) => is_inside(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_inside(IpAddr::V6(address)),
        None => true,
    }
}

/// Is it an address of this machine or its network?
pub(crate) fn is_inside(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private(address),
        IpAddr::V6(address) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || embedded(address).is_some_and(is_private)
        }
    }
}

fn is_private(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    address.is_loopback() || address.is_private() || address.octets()[0] == 0 || shared
}

/// The address as it may be shown: without user and password.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for addresses that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// The same of a text that is no valid address.
fn without_user(typed: &str) -> String {
    let Some((scheme, rest)) = typed.split_once("://") else { return typed.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn what_is_an_address() {
        assert_eq!(parse("www.example.com/a").unwrap().as_str(), "https://www.example.com/a");
        assert_eq!(parse("HTTP://Example.com").unwrap().as_str(), "http://example.com/");
        assert_eq!(parse("http://[::1]:8080/x#part").unwrap().as_str(), "http://[::1]:8080/x");
        for typed in ["http://", "https://a b/", "http://x:raw"] {
            assert!(parse(typed).is_err(), "{typed}");
        }
        assert!(parse("https://example.com:raw").unwrap_err().to_string().contains("a slash before it"));
        for typed in ["http://x", "HTTPS://x", "www.x"] {
            assert!(is_web(typed), "{typed}");
        }
        for typed in ["ftp://x", "wwwx", "src/www.x", "issue://1", "http:/x", ""] {
            assert!(!is_web(typed), "{typed}");
        }
    }

    #[test]
    fn places_that_hand_out_credentials() {
        for typed in [
            "http://169.254.169.254/latest/meta-data/",
            "http://169.254.170.2/v2/credentials",
            "http://0xa9fea9fe/",
            "http://2852039166/",
            "http://0251.0376.0251.0376/",
            "http://[fd00:ec2::254]/",
            "http://[::ffff:169.254.169.254]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:a9fe:a9fe::]/",
            "http://[fe80::1]/",
            "http://100.100.100.200/",
            "http://metadata.google.internal./computeMetadata/v1/",
            "http://METADATA.google.internal/",
            "http://instance-data.ec2.internal/",
        ] {
            assert!(matches!(parse(typed), Err(AddressError::Metadata(_))), "{typed}");
        }
        for typed in
            ["http://localhost:3000/", "http://192.168.1.5/", "http://[::1]/", "http://metadata.example.com/"]
        {
            assert!(parse(typed).is_ok(), "{typed}");
        }
    }

    #[test]
    fn strangers_do_not_lead_inward() {
        let inward = [
            "http://localhost:9200/",
            "http://10.0.0.1/",
            "http://[::1]/",
            "http://router/",
            "http://0.0.0.0/",
        ];
        for to in inward {
            let from = url("https://example.com/");
            assert!(matches!(follow(&from, &url(to)), Err(AddressError::Inward { .. })), "{to}");
            assert_eq!(follow(&url("http://127.0.0.1:1/"), &url(to)), Ok(()), "{to}");
            assert!(follow(&url("https://localhost/"), &url(to)).is_err(), "a downgrade to {to}");
        }
        assert_eq!(follow(&url("https://example.com/"), &url("http://example.org/")), Ok(()));
        let metadata = follow(&url("http://localhost/"), &url("http://169.254.169.254/"));
        assert!(matches!(metadata, Err(AddressError::Metadata(_))));
        assert!(matches!(
            follow(&url("http://a.b/"), &url("file:///etc/passwd")),
            Err(AddressError::Scheme(_))
        ));
    }

    #[test]
    fn secrets_are_not_shown() {
        assert_eq!(shown(&url("https://user:secret@example.com/a?b")), "https://example.com/a?b");
        let error = parse("https://user:secret@exa mple.com/").unwrap_err().to_string();
        assert!(!error.contains("secret") && error.contains("exa mple.com"), "{error}");
    }
}
