//! `/trust`: what the project wants beyond being read, and what was agreed to.

use std::sync::Arc;

use omp_sdk::{Session, TrustRow, local_time};

use super::blocking;
use crate::answer::{Answer, Columns};

pub(crate) async fn run(session: &Arc<Session>, arguments: &str) -> Answer {
    let (session, action) = (Arc::clone(session), arguments.trim().to_owned());
    blocking(move || match action.as_str() {
        "" => listed(&session),
        "add" => agreed(&session),
        "revoke" => revoked(&session),
        _ => Answer::refused("Usage: /trust [add|revoke]"),
    })
    .await
}

fn listed(session: &Session) -> Answer {
    match session.trust().wants() {
        Ok(rows) => table(session, &rows),
        Err(error) => Answer::refused(error),
    }
}

fn agreed(session: &Session) -> Answer {
    match session.trust().agree() {
        Ok(_) => Answer::Changed(format!(
            "Trusted {}. Its hooks, language servers and checkers may run; files outside it are read in the next session.",
            session.trust().root().display()
        )),
        Err(error) => Answer::refused(error),
    }
}

fn revoked(session: &Session) -> Answer {
    let root = session.trust().root();
    match session.trust().revoke() {
        Ok(0) => Answer::refused(format!("{} was not trusted", root.display())),
        Ok(_) => Answer::Changed(format!("Revoked trust for {}", root.display())),
        Err(error) => Answer::refused(error),
    }
}

fn table(session: &Session, rows: &[TrustRow]) -> Answer {
    let row = |row: &TrustRow| {
        let state = match row.agreed {
            Some(at) => format!("trusted {}", local_time(at)),
            None => "not trusted (/trust add)".to_owned(),
        };
        (format!("{}: {}", row.want.kind.word(), row.want.what), format!("{state}, {}", row.want.hash))
    };
    let title = format!("Trust for {}", session.trust().root().display());
    Answer::Table(Columns::new(&title, rows.iter().map(row).collect()))
}
