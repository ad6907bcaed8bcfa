//! OpenAI's login with a code: the server gives an authorization code, and the verifier with it.

use omp_llm::PlainBody;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::device::Pace;
use super::{Attempt, LoginError, Notice, PATIENCE, REQUEST_LIMIT, as_text};
use crate::logins::Login;
use crate::token::Granted;

/// The addresses of such a login.
pub(super) struct Places<'a> {
    pub(super) user_code_url: &'a str,
    pub(super) poll_url: &'a str,
    pub(super) verification_url: &'a str,
    pub(super) redirect_uri: &'a str,
}

pub(super) async fn run(
    attempt: &Attempt<'_>,
    login: &Login,
    places: &Places<'_>,
) -> Result<Granted, LoginError> {
    let answer =
        attempt.ask(places.user_code_url, &PlainBody::Json(json!({"client_id": login.client_id}))).await?;
    let incomplete = || LoginError::Server("the response contains no user code".to_owned());
    let member = |name: &str| answer[name].as_str().filter(|text| !text.is_empty());
    let device = member("device_auth_id").ok_or_else(incomplete)?;
    let code = member("user_code").or_else(|| member("usercode")).ok_or_else(incomplete)?;
    attempt.person.tell(Notice::EnterCode { url: places.verification_url.to_owned(), code: as_text(code) });
    let question = PlainBody::Json(json!({"device_auth_id": device, "user_code": code}));
    let approved = poll(attempt, places.poll_url, &question, Pace::new(&answer["interval"])).await?;
    let text = |name: &str| approved[name].as_str().map(str::to_owned);
    let (code, verifier) = text("authorization_code")
        .zip(text("code_verifier"))
        .ok_or_else(|| LoginError::Server("the response contains no authorization code".to_owned()))?;
    let fields = vec![
        ("grant_type".to_owned(), "authorization_code".to_owned()),
        ("client_id".to_owned(), login.client_id.clone()),
        ("code".to_owned(), code),
        ("redirect_uri".to_owned(), places.redirect_uri.to_owned()),
        ("code_verifier".to_owned(), verifier),
    ];
    attempt.tokens(login, fields).await
}

/// 403 and 404 mean that nobody has entered the code yet.
async fn poll(
    attempt: &Attempt<'_>,
    url: &str,
    question: &PlainBody,
    mut pace: Pace,
) -> Result<Value, LoginError> {
    let deadline = Instant::now() + 3 * PATIENCE;
    while Instant::now() < deadline {
        sleep(pace.interval).await;
        match attempt.client.post_plain(url, question, REQUEST_LIMIT).await {
            Ok(answer) if answer.status == 200 => {
                return serde_json::from_str(&answer.body)
                    .map_err(|_| LoginError::Server("the response is not JSON".to_owned()));
            }
            Ok(answer) if matches!(answer.status, 403 | 404) => pace.answered(),
            Ok(answer) => pace.failed(&format!("status {}", answer.status))?,
            Err(failure) => pace.failed(&failure.message)?,
        }
    }
    Err(LoginError::Expired)
}
