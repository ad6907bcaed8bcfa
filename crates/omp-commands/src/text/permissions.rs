//! What runs without a question, and why.

use std::sync::Arc;

use omp_sdk::{Permissions, Session};

use super::{blocking, first_word};
use crate::answer::{Answer, Columns};

const USAGE: &str = "Usage: /permissions [list|explain <command>|test <command>|remove <rule>]";

/// `/permissions`: lists, explains, tests and removes rules.
pub(crate) async fn run(session: &Arc<Session>, arguments: &str) -> Answer {
    let (action, rest) = first_word(arguments);
    let (session, action, rest) = (Arc::clone(session), action.to_owned(), rest.to_owned());
    blocking(move || {
        let permissions = session.permissions();
        match (action.as_str(), rest.as_str()) {
            ("" | "list", "") => list(permissions),
            ("explain", command) if !command.is_empty() => {
                Answer::Text(permissions.explain(command).to_string())
            }
            ("test", command) if !command.is_empty() => Answer::Text(permissions.explain(command).outcome()),
            ("remove", rule) if !rule.is_empty() => remove(permissions, rule),
            _ => Answer::refused(USAGE),
        }
    })
    .await
}

fn list(permissions: &Permissions) -> Answer {
    let all = permissions.list();
    if all.is_empty() {
        return Answer::Text(
            "No rules. Choose \"always\" when omp asks about a call, or add to tools.approvalRules."
                .to_owned(),
        );
    }
    let rows = all.into_iter().map(|one| (one.rule, one.scope.name().to_owned())).collect();
    Answer::Table(Columns::new("Allowed without asking", rows))
}

fn remove(permissions: &Permissions, rule: &str) -> Answer {
    match permissions.remove(rule) {
        Ok(scopes) if scopes.is_empty() => {
            Answer::refused(format!("unknown rule \"{rule}\" (see: /permissions)"))
        }
        Ok(scopes) => {
            let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
            Answer::Changed(format!("Removed: {rule} ({})", names.join(", ")))
        }
        Err(error) => Answer::refused(error),
    }
}
