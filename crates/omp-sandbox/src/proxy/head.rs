//! The head of a request to a proxy.

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) wish: ProxyRequest,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProxyRequest {
    Tunnel,
    /// The request as the server expects it.
    Request(Vec<u8>),
}

/// Headers that are meant for the proxy, or that it answers for.
const OWN_HEADERS: [&str; 4] = ["proxy-connection", "proxy-authorization", "connection", "host"];

impl Head {
    /// `None` for what is no request to a proxy.
    pub(super) fn parse(head: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?.strip_suffix("\r\n\r\n")?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        if method == "CONNECT" {
            let (host, port) = split(target, None)?;
            return Some(Self { host, port, wish: ProxyRequest::Tunnel });
        }
        let rest = strip_scheme(target)?;
        let (authority, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let (host, port) = split(authority, Some(80))?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        // One request a connection: the next could be for another host.
        let mut request = format!("{method} {path} {version}\r\nHost: {authority}\r\nConnection: close\r\n");
        for line in lines {
            let (name, _) = line.split_once(':')?;
            if !OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                request.push_str(line);
                request.push_str("\r\n");
            }
        }
        request.push_str("\r\n");
        Some(Self { host, port, wish: ProxyRequest::Request(request.into_bytes()) })
    }

    /// `host:port`
    pub(super) fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

fn strip_scheme(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case("http://").then_some(rest)
}

/// Host and port of an authority. Hosts are compared as they are written here: in small letters, without a last dot.
fn split(authority: &str, default: Option<u16>) -> Option<(String, u16)> {
    // A name before the host is one of the tricks to make it look like another.
    if authority.contains('@') || !authority.is_ascii() {
        return None;
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (host, after.strip_prefix(':'))
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = match port {
        Some(port) => port.parse().ok()?,
        None => default?,
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:".contains(letter);
    (!host.is_empty() && host.chars().all(plain)).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Head> {
        Head::parse(text.as_bytes())
    }

    #[test]
    fn tunnels_and_requests() {
        let head = parse("CONNECT Example.COM.:443 HTTP/1.1\r\nHost: other\r\n\r\n").unwrap();
        assert_eq!(
            (head.host.as_str(), head.port, head.wish.clone()),
            ("example.com", 443, ProxyRequest::Tunnel)
        );
        let head = parse("CONNECT [::1]:8443 HTTP/1.0\r\n\r\n").unwrap();
        assert_eq!((head.host.as_str(), head.authority().as_str()), ("::1", "[::1]:8443"));
        let head = parse(
            "GET http://a.example:81/x?y HTTP/1.1\r\nHost: evil\r\nAccept: */*\r\nProxy-Connection: keep-alive\r\n\r\n",
        );
        let request = "GET /x?y HTTP/1.1\r\nHost: a.example:81\r\nConnection: close\r\nAccept: */*\r\n\r\n";
        let expected = Head {
            host: "a.example".into(),
            port: 81,
            wish: ProxyRequest::Request(request.as_bytes().to_vec()),
        };
        assert_eq!(head, Some(expected));
        let head = parse("GET http://a.example?q HTTP/1.1\r\n\r\n").unwrap();
        let ProxyRequest::Request(request) = head.wish else { panic!("a request") };
        assert!(request.starts_with(b"GET /?q HTTP/1.1\r\nHost: a.example\r\n"));
    }

    #[test]
    fn what_could_mean_another_host_is_refused() {
        for text in [
            "CONNECT good.example@evil.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT good.example HTTP/1.1\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "CONNECT a\tb:443 HTTP/1.1\r\n\r\n",
            "CONNECT a%2eb:443 HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\n\r\n",
            "GET http://a@b/ HTTP/1.1\r\n\r\n",
            "GET http://a/ x HTTP/1.1\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nno header\r\n\r\n",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
