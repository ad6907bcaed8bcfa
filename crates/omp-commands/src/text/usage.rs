//! `/usage`: what accounts have left.

use omp_sdk::{Session, quotas_text};

use super::first_word;
use crate::answer::Answer;

pub(crate) async fn run(session: &Session, arguments: &str) -> Answer {
    match first_word(arguments) {
        ("" | "show", "") => {}
        ("reset", _) => {
            return Answer::refused("/usage reset isn't available yet");
        }
        _ => return Answer::refused("Usage: /usage [show|reset [account|active]]"),
    }
    match session.accounts().quotas().ask(None).await {
        Ok(answer) => {
            let remark = answer.remark.map(|remark| format!("\n{remark}")).unwrap_or_default();
            Answer::Text(quotas_text(&answer.reports) + &remark)
        }
        Err(error) => Answer::refused(error),
    }
}
