//! Entries that are no messages, as ours.

use omp_session::{
    BranchSummary, Compaction, Custom, CustomMessageEntry, EntryKind, ModelChange, ResetBoundary,
    ServiceTierChange, ThinkingLevelChange,
};
use serde_json::Value;

use crate::emit::Id;
use crate::json::{is_true, number, text, word};

/// Our form of an entry; `None` if there is none. `known` finds the entry that a record became.
pub(super) fn translate(record: &Value, known: impl Fn(&str) -> Option<Id>) -> Option<EntryKind> {
    let details = record.get("details").filter(|details| !details.is_null()).cloned();
    // Extensions were called hooks.
    let from_extension = is_true(record, "fromHook") || is_true(record, "fromExtension");
    let kind = match text(record, "type")? {
        "model_change" => {
            let model = text(record, "model").map(str::to_owned);
            let parts = || Some(format!("{}/{}", text(record, "provider")?, text(record, "modelId")?));
            EntryKind::ModelChange(ModelChange {
                model: model.or_else(parts)?,
                role: text(record, "role").map(str::to_owned),
            })
        }
        "thinking_level_change" => {
            let thinking_level = text(record, "thinkingLevel")?.to_owned();
            EntryKind::ThinkingLevelChange(ThinkingLevelChange { thinking_level, configured: None })
        }
        "service_tier_change" => {
            let service_tier = text(record, "serviceTier").map(str::to_owned);
            EntryKind::ServiceTierChange(ServiceTierChange { service_tier })
        }
        "compaction" => EntryKind::Compaction(Compaction {
            summary: text(record, "summary")?.to_owned(),
            first_kept_entry_id: first_kept(record).and_then(|id| known(&id)).map(Id::text),
            tokens_before: number(record, "tokensBefore"),
            details,
            from_extension,
            ..Compaction::default()
        }),
        "branch_summary" => {
            let from = text(record, "fromId").and_then(known);
            EntryKind::BranchSummary(BranchSummary {
                from_id: from.map_or_else(|| BranchSummary::ROOT.to_owned(), Id::text),
                summary: text(record, "summary")?.to_owned(),
                details,
                from_extension,
            })
        }
        "custom" => EntryKind::Custom(Custom {
            custom_type: word(record, "customType"),
            data: record.get("data").cloned(),
        }),
        "custom_message" => {
            EntryKind::CustomMessage(serde_json::from_value::<CustomMessageEntry>(record.clone()).ok()?)
        }
        "reset_boundary" => EntryKind::ResetBoundary(ResetBoundary {}),
        _ => return None,
    };
    Some(kind)
}

/// Version 1 counts the lines of the file instead, the header being the first.
fn first_kept(record: &Value) -> Option<String> {
    let index = || record.get("firstKeptEntryIndex").and_then(Value::as_u64).map(numbered);
    text(record, "firstKeptEntryId").map(str::to_owned).or_else(index)
}

/// What the entries of version 1 are called here, which have no ids.
pub(super) fn numbered(index: u64) -> String {
    format!("#{index}")
}
