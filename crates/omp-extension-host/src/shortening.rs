//! Extensions around a compaction: they may cancel it, do it in our stead, or say what its summary should attend to.

use omp_compaction::{Limits, Plan};
use omp_session::{Compaction, Entry};
use omp_types::Message;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::event::EventName;
use crate::extensions::Extensions;

/// The longest summary of an extension, and all that it adds to the question for one.
const LONGEST: usize = 1024 * 1024;

/// A compaction that is about to be made.
#[derive(Clone, Copy)]
pub struct Shortening<'a> {
    pub plan: &'a Plan,
    /// The way to the leaf.
    pub path: &'a [&'a Entry],
    pub tokens_before: u64,
    /// What the user wants the summary to attend to.
    pub focus: Option<&'a str>,
    /// Do compactions happen by themselves?
    pub enabled: bool,
    pub limits: &'a Limits,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub enum ShorteningAnswer {
    Proceed,
    Cancelled,
    /// An extension has made the entry.
    Instead(Box<Compaction>),
}

/// What extensions want of a summary that a model writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryWishes {
    pub context: Vec<String>,
    /// The question for the model, instead of ours.
    pub prompt: Option<String>,
    /// What the entry keeps for them.
    pub preserve: Option<Value>,
}

impl Extensions {
    /// Asks about a compaction before any model is. What cannot be used of an answer is said, and we proceed.
    pub async fn before_compact(
        &self,
        about: Shortening<'_>,
        cancel: &CancellationToken,
    ) -> ShorteningAnswer {
        let event = EventName::SessionBeforeCompact;
        if !self.listens(event) {
            return ShorteningAnswer::Proceed;
        }
        let answer = self.before_until(event, preparation(about), Some(cancel)).await.unwrap_or_default();
        if answer["cancel"] == true {
            return ShorteningAnswer::Cancelled;
        }
        match &answer["compaction"] {
            Value::Null => ShorteningAnswer::Proceed,
            made => match entry(made, about) {
                Ok(entry) => ShorteningAnswer::Instead(Box::new(entry)),
                Err(reason) => {
                    self.say(format!(
                        "the compaction of an extension was not used: {reason}; omp made its own"
                    ));
                    ShorteningAnswer::Proceed
                }
            },
        }
    }

    /// Asks what a summary should attend to. The last answer counts.
    pub async fn compacting(
        &self,
        session_id: &str,
        plan: &Plan,
        cancel: &CancellationToken,
    ) -> SummaryWishes {
        let event = EventName::SessionCompacting;
        if !self.listens(event) {
            return SummaryWishes::default();
        }
        let messages: Vec<&Message> = plan.dropped().map(|piece| &*piece.message).collect();
        let payload = json!({"sessionId": session_id, "messages": messages});
        let answer = self.before_until(event, payload, Some(cancel)).await.unwrap_or_default();
        wishes(&answer)
    }

    /// The entry is in the session.
    pub async fn compacted(&self, entry: impl FnOnce() -> Option<Entry>, from_extension: bool) {
        let event = EventName::SessionCompact;
        if self.listens(event) {
            let payload =
                json!({"type": event.name(), "compactionEntry": entry(), "fromExtension": from_extension});
            self.tell(event, &payload).await;
        }
    }
}

fn preparation(about: Shortening<'_>) -> Value {
    let Shortening { plan, path, tokens_before, focus, enabled, limits } = about;
    let messages = |pieces: &[omp_compaction::Piece]| -> Value {
        pieces.iter().map(|piece| json!(*piece.message)).collect()
    };
    json!({
        "preparation": {
            "firstKeptEntryId": plan.first_kept,
            "messagesToSummarize": messages(&plan.history),
            "turnPrefixMessages": messages(&plan.prefix),
            "isSplitTurn": !plan.prefix.is_empty(),
            "tokensBefore": tokens_before,
            "previousSummary": plan.previous.as_ref().map(|previous| &previous.summary),
            "fileOps": plan.files.details(),
            "settings": {
                "enabled": enabled, "reserveTokens": limits.reserve_tokens,
                "keepRecentTokens": limits.keep_recent_tokens,
            },
        },
        "branchEntries": path,
        "customInstructions": focus,
    })
}

/// The entry that an extension made. Where it does not say what is kept, we do.
fn entry(made: &Value, about: Shortening<'_>) -> Result<Compaction, String> {
    let text = |name: &str| made[name].as_str().map(str::to_owned);
    let summary = text("summary").filter(|summary| !summary.trim().is_empty()).ok_or("it has no summary")?;
    if made.to_string().len() > LONGEST {
        return Err("it is larger than 1 MiB".to_owned());
    }
    let first = text("firstKeptEntryId").unwrap_or_else(|| about.plan.first_kept.clone());
    if !about.path.iter().any(|entry| entry.id == first) {
        return Err("its firstKeptEntryId is not on this branch".to_owned());
    }
    let kept = |name: &str| made.get(name).filter(|value| !value.is_null()).cloned();
    Ok(Compaction {
        summary,
        short_summary: text("shortSummary"),
        first_kept_entry_id: Some(first),
        tokens_before: about.tokens_before,
        details: kept("details"),
        preserve_data: kept("preserveData").filter(Value::is_object),
        from_extension: true,
    })
}

fn wishes(answer: &Value) -> SummaryWishes {
    let mut room = LONGEST;
    let mut fits = |text: &&str| {
        let fits = !text.trim().is_empty() && text.len() <= room;
        room -= if fits { text.len() } else { 0 };
        fits
    };
    let prompt = answer["prompt"].as_str().filter(&mut fits).map(str::to_owned);
    let lines = answer["context"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let context = lines.filter(fits).map(str::to_owned).collect();
    let preserve = answer.get("preserveData").filter(|data| data.is_object());
    let preserve = preserve.filter(|data| data.to_string().len() <= LONGEST).cloned();
    SummaryWishes { context, prompt, preserve }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_usable_wishes_are_taken() {
        let answer = json!({"context": ["one", " ", 7, "two"], "prompt": "", "preserveData": [1]});
        let expected =
            SummaryWishes { context: vec!["one".to_owned(), "two".to_owned()], ..SummaryWishes::default() };
        assert_eq!(wishes(&answer), expected);
        assert_eq!(wishes(&Value::Null), SummaryWishes::default());
        let long = "x".repeat(LONGEST);
        let answer = json!({"prompt": long, "context": ["no room"], "preserveData": {"a": 1}});
        let taken = wishes(&answer);
        assert_eq!((taken.prompt.map(|prompt| prompt.len()), taken.context.len()), (Some(LONGEST), 0));
        assert_eq!(taken.preserve, Some(json!({"a": 1})));
    }
}
