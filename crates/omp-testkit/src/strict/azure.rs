//! Azure OpenAI: the Responses rules, its own key header, and a version in every address.

use super::{Check, Checker, responses};
use crate::server::RecordedRequest;

pub(super) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Check {
    let versions: Vec<&str> =
        request.query.split('&').filter_map(|pair| pair.strip_prefix("api-version=")).collect();
    match versions.as_slice() {
        [version] if !version.is_empty() => {}
        [] => return Err("The 'api-version' query parameter is required.".into()),
        _ => return Err(format!("The 'api-version' query parameter is wrong: {:?}", request.query)),
    }
    responses::check(&request.body, checker)
}
