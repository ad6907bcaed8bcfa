//! Changing a setting while a session is under way.

use omp_config::settings::{self, keys};
use omp_guard::approval::Mode as ApprovalMode;
use serde_json::Value;

use crate::configure;
use crate::error::SessionError;
use crate::session::Session;

/// When a change of a setting counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingEffect {
    /// At once, at the latest with the next prompt.
    Now,
    /// From the next session on: the parts of this one were made with the old value.
    NextSession,
}

/// Settings that the parts of a session read whenever they need them, or are told about. A name that ends in a dot
/// stands for its whole group.
const LIVE: &[&str] = &[
    "ask.notify",
    "colorBlindMode",
    "compaction.",
    "contextPromotion.enabled",
    "cycleOrder",
    "doubleEscapeAction",
    "followUpMode",
    "goal.enabled",
    "hideThinkingBlock",
    "interruptMode",
    "loop.mode",
    "minP",
    "modelRoles",
    "modelTags",
    "plan.enabled",
    "presencePenalty",
    "repetitionPenalty",
    "retry.baseDelayMs",
    "retry.enabled",
    "retry.maxDelayMs",
    "retry.maxRetries",
    "statusLine.",
    "steeringMode",
    "symbolPreset",
    "temperature",
    "theme.",
    "thinkingBudgets.",
    "todo.eager",
    "todo.reminders",
    "todo.reminders.max",
    "tools.approval",
    "tools.approvalMode",
    "tools.approvalRules",
    "topK",
    "topP",
];

/// When a change of this setting counts.
pub fn setting_effect(path: &str) -> SettingEffect {
    let known = |name: &&str| match name.strip_suffix('.') {
        Some(_) => path.starts_with(*name),
        None => path == *name,
    };
    if LIVE.iter().any(known) { SettingEffect::Now } else { SettingEffect::NextSession }
}

/// Settings and discovered files of a running session: changing them, and loading them again.
#[derive(Clone, Copy)]
pub struct SessionConfiguration<'s> {
    pub(crate) session: &'s Session,
}

impl SessionConfiguration<'_> {
    /// Writes a setting to the user's file and lets it count in this session, as far as it can. What a project, a flag
    /// or a variable says still wins.
    pub async fn change(self, path: &'static str, value: Value) -> Result<(), SessionError> {
        let directories = self.session.places.directories.clone();
        let saved = tokio::task::spawn_blocking(move || settings::set(&directories, path, value));
        saved.await.map_err(|_| SessionError::Interrupted)??;
        self.reread().await
    }

    /// Changes the approval mode for this session only.
    pub fn set_approval_mode(&self, mode: ApprovalMode) -> Result<(), SessionError> {
        let mut settings = self.session.settings().as_ref().clone();
        settings.set_override(keys::TOOLS_APPROVAL_MODE.path(), mode.word().into())?;
        self.session.guard.set_stance(&settings);
        self.session.replace_settings(settings);
        Ok(())
    }

    /// Lets count what the user's file says now.
    pub async fn reread(self) -> Result<(), SessionError> {
        let (directories, mut settings) =
            (self.session.places.directories.clone(), self.session.settings().as_ref().clone());
        let read = tokio::task::spawn_blocking(move || {
            settings.reread(&directories);
            settings
        });
        let settings = read.await.map_err(|_| SessionError::Interrupted)?;
        let (config, control) = (configure::agent(&settings), self.session.control());
        control.set_steering_mode(config.steering_mode);
        control.set_follow_up_mode(config.follow_up_mode);
        control.set_interrupt_mode(config.interrupt_mode);
        self.session.guard.set_stance(&settings);
        self.session.replace_settings(settings);
        self.session.live.mark_changed();
        Ok(())
    }

    /// Gives the loop what was changed since the last run.
    pub(crate) async fn take_up_changes(self) {
        if !self.session.live.take_changed() {
            return;
        }
        let settings = self.session.settings();
        let config = configure::agent(&settings);
        let changed = self.session.agent.reconfigure(|current| {
            current.retry = config.retry;
            current.context_promotion = config.context_promotion;
            current.todo = config.todo;
            current.request.sampling = configure::sampling(&settings);
            current.request.thinking_budgets = configure::thinking_budgets(&settings);
        });
        if changed.await.is_err() {
            // Another run has the loop; the next one takes it up.
            self.session.live.mark_changed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_live_settings_exist() {
        for name in LIVE {
            let there = settings::TABLE.iter().any(|row| match name.strip_suffix('.') {
                Some(_) => row.path.starts_with(name),
                None => row.path == *name,
            });
            assert!(there, "{name}");
        }
        assert_eq!(setting_effect("theme.dark"), SettingEffect::Now);
        assert_eq!(setting_effect("read.defaultLimit"), SettingEffect::NextSession);
    }
}
