//! Does a call run? Three inputs decide: the tool's word on the call, the user's policy for the tool, the mode.

use omp_types::{Approval, Tier};

/// `tools.approvalMode`: what runs without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Calls that only read.
    AlwaysAsk,
    /// Calls that read, and those that write without running code.
    Write,
    /// Everything that stays inside: calls that read or write in the workspace, commands in a sandbox, and what lives
    /// elsewhere and does not call itself destructive.
    #[default]
    Auto,
    /// Everything.
    Yolo,
}

impl Mode {
    /// All of them, as people choose among them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::AlwaysAsk, Self::Write, Self::Yolo];

    /// The mode of a word in settings and flags.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }

    /// What it means, for people who choose one.
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => "commands run sandboxed in the project; asks before leaving it",
            Self::AlwaysAsk => "asks before every edit and command",
            Self::Write => "edits files in the project; asks before commands",
            Self::Yolo => "never asks, no sandbox",
        }
    }

    /// The word for settings and flags.
    pub fn word(self) -> &'static str {
        match self {
            Self::AlwaysAsk => "always-ask",
            Self::Write => "write",
            Self::Auto => "auto",
            Self::Yolo => "yolo",
        }
    }

    /// The highest tier that needs no question.
    fn ceiling(self) -> Tier {
        match self {
            Self::AlwaysAsk => Tier::Read,
            Self::Write => Tier::Write,
            Self::Auto | Self::Yolo => Tier::Exec,
        }
    }
}

/// `tools.approval.<tool>`: the user's word on one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Allow,
    Deny,
    Prompt,
}

impl Policy {
    /// The policy of a word, in any case and with space around it. Other words are not policies.
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "allow" => Some(Self::Allow),
            "deny" => Some(Self::Deny),
            "prompt" => Some(Self::Prompt),
            _ => None,
        }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Run,
    /// A person decides.
    Ask,
    /// The user's policy forbids the tool.
    Blocked,
}

impl From<Policy> for Outcome {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Allow => Self::Run,
            Policy::Deny => Self::Blocked,
            Policy::Prompt => Self::Ask,
        }
    }
}

/// The mode that never asks obeys only the policy. In the others a dangerous call is asked about unless it is
/// forbidden; then the policy decides, then the tier.
pub fn decide(mode: Mode, policy: Option<Policy>, approval: &Approval) -> Outcome {
    match policy {
        Some(Policy::Allow) if approval.insists && mode != Mode::Yolo => Outcome::Ask,
        Some(policy) => policy.into(),
        None if mode == Mode::Yolo => Outcome::Run,
        None if approval.insists || approval.tier > mode.ceiling() => Outcome::Ask,
        None => Outcome::Run,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Mode; 4] = [Mode::AlwaysAsk, Mode::Write, Mode::Auto, Mode::Yolo];
    const TIERS: [Tier; 3] = [Tier::Read, Tier::Write, Tier::Exec];
    const POLICIES: [Option<Policy>; 4] =
        [None, Some(Policy::Allow), Some(Policy::Deny), Some(Policy::Prompt)];

    fn call(tier: Tier, insists: bool) -> Approval {
        Approval { tier, reason: None, insists, hidden: false }
    }

    /// The order as it is documented, step by step, against the table above.
    fn step_by_step(mode: Mode, policy: Option<Policy>, tier: Tier, insists: bool) -> Outcome {
        let by_policy = |policy| match policy {
            Policy::Allow => Outcome::Run,
            Policy::Deny => Outcome::Blocked,
            Policy::Prompt => Outcome::Ask,
        };
        if mode == Mode::Yolo {
            return policy.map_or(Outcome::Run, by_policy);
        }
        if insists {
            return if policy == Some(Policy::Deny) { Outcome::Blocked } else { Outcome::Ask };
        }
        if let Some(policy) = policy {
            return by_policy(policy);
        }
        let free: &[Tier] = match mode {
            Mode::AlwaysAsk => &[Tier::Read],
            Mode::Write => &[Tier::Read, Tier::Write],
            Mode::Auto | Mode::Yolo => &TIERS,
        };
        if free.contains(&tier) { Outcome::Run } else { Outcome::Ask }
    }

    /// All 96 combinations.
    // proves: TSN-071
    #[test]
    fn every_combination_follows_the_documented_order() {
        let mut seen = 0;
        for mode in MODES {
            for policy in POLICIES {
                for tier in TIERS {
                    for insists in [false, true] {
                        let found = decide(mode, policy, &call(tier, insists));
                        let expected = step_by_step(mode, policy, tier, insists);
                        assert_eq!(found, expected, "{mode:?} {policy:?} {tier:?} {insists}");
                        seen += 1;
                    }
                }
            }
        }
        assert_eq!(seen, 96);
    }

    #[test]
    fn policies_are_read_generously_and_others_ignored() {
        assert_eq!(Policy::from_word(" Deny\n"), Some(Policy::Deny));
        assert_eq!(Policy::from_word("ALLOW"), Some(Policy::Allow));
        for word in ["maybe", "", "allow bash"] {
            assert_eq!(Policy::from_word(word), None, "{word}");
        }
    }
}
