//! `/sandbox`: what confines commands in this session.

use omp_sdk::{RungStatus, Session};

use crate::answer::{Answer, Columns};

pub(crate) async fn status(session: &Session) -> Answer {
    let status = match session.sandbox_status().await {
        Ok(status) => status,
        Err(error) => return Answer::refused(error),
    };
    let RungStatus { missing, writable } = RungStatus::of(&status);
    let full = if status.rung.is_full() { "full" } else { "partial" };
    let mut rows = vec![
        ("Approval mode".to_owned(), session.approval_mode().to_owned()),
        ("Commands".to_owned(), status.summary.clone()),
        ("Enforced by".to_owned(), format!("{} ({full})", status.rung)),
    ];
    rows.extend(missing.into_iter().map(|text| ("Not enforced".to_owned(), text.to_owned())));
    rows.extend(writable.into_iter().map(|path| ("Writable".to_owned(), path)));
    let asked = "registries, git remotes and sandbox.allowedHosts; others need approval";
    rows.push(("Hosts".to_owned(), format!("{} listed: {asked}", status.hosts.len())));
    Answer::Table(Columns::new("Sandbox", rows))
}
