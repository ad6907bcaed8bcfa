//! From the tokens of a login to what the provider takes: whose they are, and the last step of some logins.

use omp_llm::PlainCall;
use serde_json::Value;

use super::{Attempt, LoginError, REQUEST_LIMIT, as_text, code_assist, server_says};
use crate::logins::{Finish, Login};
use crate::session_token;
use crate::token::{Granted, Refusal};

impl Attempt<'_> {
    /// Completes what the token endpoint gave.
    pub(super) async fn finish(&self, login: &Login, mut granted: Granted) -> Result<Granted, LoginError> {
        if granted.identity.is_none() {
            granted.identity = self.identity(login, &granted).await;
        }
        match &login.finish {
            None => {}
            Some(Finish::SessionToken { url, headers }) => {
                let account = &granted.tokens.access;
                let now_ms = self.clock.now_ms();
                let traded = session_token::trade(self.client, url, headers, account, now_ms).await;
                granted.tokens = traded.map_err(|refusal| match refusal {
                    Refusal::Final(text) => LoginError::Denied(text),
                    Refusal::Passing(text) => server_says(&text),
                })?;
            }
            Some(Finish::CodeAssist { url, metadata, project, .. }) => {
                let places = code_assist::Account { url, metadata, own: project.as_deref() };
                let project = code_assist::project(self, &places, &granted.tokens.access).await?;
                granted.tokens.extra.project = Some(project);
            }
        }
        Ok(granted)
    }

    /// Whose account it is. A server that does not say leaves the account without a name.
    async fn identity(&self, login: &Login, granted: &Granted) -> Option<String> {
        let call = PlainCall::get(login.identity_url.as_deref()?)
            .header("authorization", format!("Bearer {}", granted.tokens.access.reveal()));
        let answer =
            self.client.call(&call, REQUEST_LIMIT).await.ok().filter(|answer| answer.status == 200)?;
        let value: Value = serde_json::from_str(&answer.body).ok()?;
        let names = ["email", "login", "sub"];
        let name = names.iter().find_map(|name| value[*name].as_str().filter(|text| !text.is_empty()));
        name.map(as_text)
    }
}
