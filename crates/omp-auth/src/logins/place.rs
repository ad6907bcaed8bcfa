//! Logins at another place than the usual one, because a variable says so.

use omp_llm::Secret;
use url::Url;

use super::{Finish, Flow, Login};

/// Moves the addresses of a login and notes the user's project. `Err` says what cannot be used; the login then
/// stays as it was.
pub(super) fn resolve(login: &mut Login, variable: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    if let Some(Finish::CodeAssist { project_variables, project, .. }) = &mut login.finish {
        *project = first(project_variables, variable).map(|(_, value)| value);
    }
    if let Some((_, secret)) = first(login.client_secret_variable.as_slice(), variable) {
        login.client_secret = Some(Secret::new(secret));
    }
    let Some((name, host)) = first(&login.host_variables, variable) else { return Ok(()) };
    let base = base(&host).ok_or_else(|| {
        format!(
            "{name} is not a valid login server URL: use https://, or http:// on this machine ({} uses its \
             default server)",
            login.name
        )
    })?;
    move_to(&mut login.token_url, &base);
    match &mut login.flow {
        Flow::Code(flow) => move_to(&mut flow.authorize_url, &base),
        Flow::Device { device_url, .. } => move_to(device_url, &base),
        Flow::ChatgptDevice { user_code_url, poll_url, verification_url, redirect_uri } => {
            for url in [user_code_url, poll_url, verification_url, redirect_uri] {
                move_to(url, &base);
            }
        }
    }
    Ok(())
}

/// The first variable that is set, and its value.
fn first(names: &[String], variable: &dyn Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let set = |name: &String| {
        let value = variable(name)?.trim().to_owned();
        (!value.is_empty()).then(|| (name.clone(), value))
    };
    names.iter().find_map(set)
}

/// A host as people write it. Tokens go over TLS, or nowhere but to this machine.
fn base(host: &str) -> Option<Url> {
    let text = if host.contains("://") { host.to_owned() } else { format!("https://{host}") };
    let url = Url::parse(&text).ok()?;
    let local = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    let safe = url.scheme() == "https" || (url.scheme() == "http" && local);
    (safe && url.has_host()).then_some(url)
}

/// The same path at another host.
fn move_to(address: &mut String, base: &Url) {
    let Ok(old) = Url::parse(address) else { return };
    *address = format!("{}{}", base.as_str().trim_end_matches('/'), old.path());
}
