//! Login in a browser: the authorization code with PKCE, by a port of this machine or by pasting.

use futures_util::future::pending;
use tokio::time::sleep;
use url::Url;

use super::loopback::Loopback;
use super::pkce::{Pkce, random_text};
use super::redirect::Redirect;
use super::{Attempt, LoginError, Notice, PATIENCE, Person, pasted, timed_out};
use crate::logins::{CodeFlow, Login};
use crate::token::Granted;

pub(super) async fn run(
    attempt: &Attempt<'_>,
    login: &Login,
    flow: &CodeFlow,
) -> Result<Granted, LoginError> {
    let pkce = Pkce::new()?;
    let state = random_text()?;
    let (loopback, busy) = match Loopback::bind(flow.callback_port, &flow.callback_path).await {
        Ok(loopback) => (Some(loopback), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let port = loopback.as_ref().map_or(flow.callback_port, Loopback::port);
    let redirect_uri = format!("http://localhost:{port}{}", flow.callback_path);
    let url = authorize_url(login, flow, &redirect_uri, &state, &pkce.challenge)?;
    if let Some(reason) = &busy {
        attempt.person.tell(Notice::PortBusy { port, reason: reason.clone() });
    }
    attempt.person.tell(Notice::Open { url });
    attempt.person.tell(Notice::PasteOffered);
    let redirect = tokio::select! {
        redirect = callback(loopback.as_ref(), &state) => redirect,
        redirect = entered(attempt.person, &state, loopback.as_ref()) => match redirect {
            Some(redirect) => redirect,
            None => return Err(LoginError::Port { port, reason: busy.unwrap_or_default() }),
        },
        () = sleep(PATIENCE) => return Err(timed_out()),
    };
    match redirect {
        Redirect::Refused(words) => Err(LoginError::Denied(words)),
        Redirect::Code(code) => exchange(attempt, login, flow, code, redirect_uri, &state, &pkce).await,
    }
}

async fn callback(loopback: Option<&Loopback>, state: &str) -> Redirect {
    match loopback {
        Some(loopback) => loopback.wait(state).await,
        None => pending().await,
    }
}

/// What the person pastes. When they cannot, the browser may still come: `None` only if it cannot either.
async fn entered(person: &dyn Person, state: &str, loopback: Option<&Loopback>) -> Option<Redirect> {
    loop {
        let line = match person.line().await {
            Some(line) => line,
            None if loopback.is_some() => return pending().await,
            None => return None,
        };
        match pasted::read(&line, state) {
            Ok(redirect) => return Some(redirect),
            Err(reason) => person.tell(Notice::NotUsable { reason }),
        }
    }
}

fn authorize_url(
    login: &Login,
    flow: &CodeFlow,
    redirect_uri: &str,
    state: &str,
    challenge: &str,
) -> Result<String, LoginError> {
    let mut url =
        Url::parse(&flow.authorize_url).map_err(|_| LoginError::Address(flow.authorize_url.clone()))?;
    let mut query = url.query_pairs_mut();
    query.extend_pairs(&flow.parameters);
    query.append_pair("response_type", "code");
    query.append_pair("client_id", &login.client_id);
    query.append_pair("redirect_uri", redirect_uri);
    query.append_pair("scope", &login.scopes.join(" "));
    query.append_pair("state", state);
    query.append_pair("code_challenge", challenge);
    query.append_pair("code_challenge_method", "S256");
    drop(query);
    Ok(url.into())
}

async fn exchange(
    attempt: &Attempt<'_>,
    login: &Login,
    flow: &CodeFlow,
    code: String,
    redirect_uri: String,
    state: &str,
    pkce: &Pkce,
) -> Result<Granted, LoginError> {
    let mut fields = vec![
        ("grant_type".to_owned(), "authorization_code".to_owned()),
        ("client_id".to_owned(), login.client_id.clone()),
        ("code".to_owned(), code),
        ("redirect_uri".to_owned(), redirect_uri),
        ("code_verifier".to_owned(), pkce.verifier.reveal().to_owned()),
    ];
    if flow.state_in_token_request {
        fields.push(("state".to_owned(), state.to_owned()));
    }
    attempt.tokens(login, fields).await
}
