//! Addresses, as browsers read them.

use serde_json::{Value, json};
use url::{Position, Url};

use super::{Arguments, Op, OpError, Outcome, Reply};

pub(super) const OPS: &[(&str, Op)] = &[
    ("url.parse", Op::Now(|_, arguments| parse(arguments))),
    ("url.set", Op::Now(|_, arguments| set(arguments))),
];

fn parts(url: &Url) -> Value {
    json!({
        "href": url.as_str(), "origin": url.origin().ascii_serialization(), "protocol": format!("{}:", url.scheme()),
        "username": url.username(), "password": url.password().unwrap_or_default(), "host": &url[Position::BeforeHost..Position::AfterPort],
        "hostname": url.host_str().unwrap_or_default(), "port": url.port().map(|port| port.to_string()).unwrap_or_default(),
        "pathname": url.path(), "search": &url[Position::AfterPath..Position::AfterQuery],
        "hash": &url[Position::AfterQuery..],
    })
}

fn invalid() -> OpError {
    OpError::new("Invalid URL").with("code", "ERR_INVALID_URL")
}

/// An empty query and an empty fragment are shown as nothing.
fn shown(url: &Url) -> Value {
    let mut parts = parts(url);
    for (key, mark) in [("search", "?"), ("hash", "#")] {
        if parts[key] == mark {
            parts[key] = "".into();
        }
    }
    parts
}

fn read(text: &str, base: Option<&str>) -> Result<Url, OpError> {
    match base {
        None => Url::parse(text).map_err(|_| invalid()),
        Some(base) => Url::parse(base).and_then(|base| base.join(text)).map_err(|_| invalid()),
    }
}

fn parse(arguments: &Arguments) -> Outcome {
    let base = arguments.json.get("base").and_then(Value::as_str);
    let url =
        read(arguments.text("url"), base).map_err(|error| error.with("input", arguments.text("url")))?;
    Ok(Reply::Json(shown(&url)))
}

/// One part of an address anew. What is not possible changes nothing.
fn set(arguments: &Arguments) -> Outcome {
    let mut url = read(arguments.text("url"), None)?;
    let value = arguments.text("value");
    let quirk = match arguments.text("part") {
        "protocol" => url::quirks::set_protocol(&mut url, value),
        "username" => url::quirks::set_username(&mut url, value),
        "password" => url::quirks::set_password(&mut url, value),
        "host" => url::quirks::set_host(&mut url, value),
        "hostname" => url::quirks::set_hostname(&mut url, value),
        "port" => url::quirks::set_port(&mut url, value),
        "pathname" => {
            url::quirks::set_pathname(&mut url, value);
            Ok(())
        }
        "search" => {
            url::quirks::set_search(&mut url, value);
            Ok(())
        }
        _ => {
            url::quirks::set_hash(&mut url, value);
            Ok(())
        }
    };
    let _ = quirk;
    Ok(Reply::Json(shown(&url)))
}
