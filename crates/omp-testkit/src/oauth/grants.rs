//! The rules of the token endpoint (RFC 6749, 7636, 8628). What a client gets wrong is refused and remembered.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ledger::{Device, Ledger, PendingCode};
use super::{SCOPES, TokenEncoding, sha256};

pub(super) type Fields = BTreeMap<String, String>;

/// A status and a JSON body.
pub(super) type Reply = (u16, Value);

fn refused(code: &str, words: &str) -> Reply {
    (400, json!({"error": code, "error_description": words}))
}

/// Refused because the client is wrong, not because of what happened before.
fn broken(ledger: &mut Ledger, words: String) -> Reply {
    let reply = refused("invalid_request", &words);
    ledger.violations.push(words);
    reply
}

/// Where a browser is sent, or what it is told.
pub(super) fn authorize(ledger: &mut Ledger, fields: &Fields) -> Result<String, String> {
    let get = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let expected = [
        ("response_type", "code"),
        ("client_id", &ledger.options.client_id.clone()),
        ("scope", SCOPES),
        ("code_challenge_method", "S256"),
    ];
    for (name, value) in expected {
        if get(name) != value {
            let words = format!("authorize: {name} is {:?}, not {value:?}", get(name));
            ledger.violations.push(words.clone());
            return Err(words);
        }
    }
    let redirect_uri = get("redirect_uri").to_owned();
    let loopback =
        ["http://localhost:", "http://127.0.0.1:"].iter().any(|start| redirect_uri.starts_with(start));
    let (state, challenge) = (get("state").to_owned(), get("code_challenge").to_owned());
    if !loopback || state.len() < 32 || challenge.len() != 43 {
        let words = "authorize: redirect_uri, state or code_challenge is not as it must be".to_owned();
        ledger.violations.push(words.clone());
        return Err(words);
    }
    if ledger.options.denies {
        return Ok(format!("{redirect_uri}?error=access_denied&error_description=Not+today&state={state}"));
    }
    let code = ledger.mint("code");
    let location = format!("{redirect_uri}?code={code}&state={state}");
    ledger.codes.insert(code, PendingCode { challenge, redirect_uri, state });
    Ok(location)
}

pub(super) fn device(ledger: &mut Ledger, fields: &Fields, verification: &str) -> Reply {
    if fields.get("client_id").map(String::as_str) != Some(ledger.options.client_id.as_str()) {
        return broken(ledger, "device: wrong client_id".to_owned());
    }
    let challenge = fields.get("code_challenge").cloned();
    let proves =
        challenge.is_some() && fields.get("code_challenge_method").is_some_and(|method| method == "S256");
    if proves != ledger.options.device_pkce {
        return broken(ledger, "device: code_challenge is missing or too much".to_owned());
    }
    let device_code = ledger.mint("device");
    let user_code = ledger.mint("USER");
    let device = Device { device_code: device_code.clone(), challenge, ..Device::default() };
    ledger.devices.insert(user_code.clone(), device);
    let answer = json!({
        "device_code": device_code, "user_code": user_code, "verification_uri": verification,
        "expires_in": 600, "interval": 0,
    });
    (200, answer)
}

/// The first step of OpenAI's own device login.
pub(super) fn user_code(ledger: &mut Ledger, fields: &Fields) -> Reply {
    if fields.len() != 1
        || fields.get("client_id").map(String::as_str) != Some(ledger.options.client_id.as_str())
    {
        return broken(ledger, "usercode: client_id and nothing else is wanted".to_owned());
    }
    let device_code = ledger.mint("device");
    let user_code = ledger.mint("USER");
    let device = Device { device_code: device_code.clone(), ..Device::default() };
    ledger.devices.insert(user_code.clone(), device);
    (200, json!({"device_auth_id": device_code, "user_code": user_code, "interval": "0"}))
}

/// Its second step: 403 until the code was entered, then a code and the verifier that belongs to it.
pub(super) fn poll_code(ledger: &mut Ledger, fields: &Fields) -> Reply {
    ledger.polls += 1;
    let get = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let known = ledger.devices.get(get("user_code"));
    match known.filter(|device| device.device_code == get("device_auth_id")).map(|device| device.approved) {
        None => broken(ledger, "deviceauth: the two codes do not belong together".to_owned()),
        Some(false) => (403, json!({"error": "deviceauth_authorization_unknown"})),
        Some(true) => {
            ledger.devices.remove(get("user_code"));
            let verifier = ledger.mint("verifier-that-is-as-long-as-the-standard-demands");
            let challenge = sha256::base64url(&sha256::digest(verifier.as_bytes()));
            let code = ledger.mint("code");
            let redirect_uri = "http://localhost:1/deviceauth/callback".to_owned();
            let pending = PendingCode { challenge: challenge.clone(), redirect_uri, state: String::new() };
            ledger.codes.insert(code.clone(), pending);
            (200, json!({"authorization_code": code, "code_challenge": challenge, "code_verifier": verifier}))
        }
    }
}

pub(super) fn token(ledger: &mut Ledger, encoding: TokenEncoding, fields: &Fields) -> Reply {
    if encoding != ledger.options.encoding {
        return broken(ledger, format!("token: fields came as {encoding:?}"));
    }
    if fields.get("client_id").map(String::as_str) != Some(ledger.options.client_id.as_str()) {
        return broken(ledger, "token: wrong client_id".to_owned());
    }
    let grant = fields.get("grant_type").map(String::as_str).unwrap_or_default();
    if fields.get("client_secret") != ledger.options.client_secret.as_ref() {
        return broken(ledger, "token: client_secret is missing, wrong or too much".to_owned());
    }
    let mut known = vec!["grant_type", "client_id", "client_secret"];
    known.extend(match grant {
        "authorization_code" => ["code", "redirect_uri", "code_verifier", "state"].as_slice(),
        "refresh_token" => &["refresh_token"],
        "urn:ietf:params:oauth:grant-type:device_code" => &["device_code", "code_verifier"],
        other => return broken(ledger, format!("token: unknown grant_type {other:?}")),
    });
    if let Some(name) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        return broken(ledger, format!("token: unknown field {name}"));
    }
    match grant {
        "authorization_code" => exchange(ledger, fields),
        "refresh_token" => refresh(ledger, fields),
        _ => poll(ledger, fields),
    }
}

fn exchange(ledger: &mut Ledger, fields: &Fields) -> Reply {
    let get = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let Some(pending) = ledger.codes.remove(get("code")) else {
        return refused("invalid_grant", "The code is not known or was used");
    };
    let challenge = sha256::base64url(&sha256::digest(get("code_verifier").as_bytes()));
    if challenge != pending.challenge || !(43..=128).contains(&get("code_verifier").len()) {
        return broken(ledger, "token: the verifier does not belong to the challenge".to_owned());
    }
    if get("redirect_uri") != pending.redirect_uri {
        return broken(ledger, "token: another redirect_uri than before".to_owned());
    }
    let state = fields.get("state").map(String::as_str);
    let wanted = ledger.options.wants_state.then_some(pending.state.as_str());
    if state != wanted {
        return broken(ledger, "token: state is missing, wrong or too much".to_owned());
    }
    (200, ledger.tokens())
}

fn refresh(ledger: &mut Ledger, fields: &Fields) -> Reply {
    let token = fields.get("refresh_token").cloned().unwrap_or_default();
    if !ledger.refresh_tokens.remove(&token) {
        if ledger.used_refresh_tokens.contains(&token) {
            ledger.violations.push("a refresh token was used twice".to_owned());
        }
        return refused("invalid_grant", "The refresh token is not valid");
    }
    ledger.used_refresh_tokens.insert(token);
    ledger.refreshes += 1;
    (200, ledger.tokens())
}

fn poll(ledger: &mut Ledger, fields: &Fields) -> Reply {
    let code = fields.get("device_code").map(String::as_str).unwrap_or_default();
    let hashed = |verifier: &String| sha256::base64url(&sha256::digest(verifier.as_bytes()));
    let proof = fields.get("code_verifier").map(hashed);
    let found = ledger.devices.iter().find(|(_, device)| device.device_code == code);
    let found =
        found.map(|(user_code, device)| (user_code.clone(), device.approved, device.challenge == proof));
    if matches!(found, Some((_, _, false))) {
        return broken(ledger, "token: the verifier does not belong to the challenge".to_owned());
    }
    match found.map(|(user_code, approved, _)| (user_code, approved)) {
        None => refused("expired_token", "The code is not known or was used"),
        Some(_) if ledger.options.denies => refused("access_denied", "Not today"),
        Some((_, false)) => refused("authorization_pending", "Nobody entered the code yet"),
        Some((user_code, true)) => {
            ledger.devices.remove(&user_code);
            (200, ledger.tokens())
        }
    }
}
