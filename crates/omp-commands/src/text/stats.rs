//! `/stats`: the page of statistics.

use omp_sdk::Host;

use crate::answer::Answer;

pub(crate) async fn run(host: &Host, arguments: &str) -> Answer {
    let port = match port(arguments) {
        Ok(port) => port,
        Err(usage) => return Answer::refused(usage),
    };
    match host.dashboard(port).await {
        Ok(url) => Answer::Text(format!("Statistics: {url}")),
        Err(error) => Answer::refused(error),
    }
}

/// The port that is named, if one is.
fn port(arguments: &str) -> Result<Option<u16>, &'static str> {
    const USAGE: &str = "Usage: /stats [--port n], with n from 0 (any that is free) to 65535";
    let words = arguments.replace('=', " ");
    let mut words = words.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, ..) => Ok(None),
        (Some("--port" | "-p"), Some(port), None) => port.parse().map(Some).map_err(|_| USAGE),
        _ => Err(USAGE),
    }
}

#[cfg(test)]
mod tests {
    use super::port;

    #[test]
    fn ports_are_read() {
        assert_eq!(port(""), Ok(None));
        assert_eq!(port("--port 0"), Ok(Some(0)));
        assert_eq!(port("-p=4000"), Ok(Some(4000)));
        for wrong in ["--port", "--port x", "--port 70000", "4000", "--port 1 2"] {
            assert!(port(wrong).is_err(), "{wrong}");
        }
    }
}
