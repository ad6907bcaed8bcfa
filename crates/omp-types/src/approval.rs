use std::borrow::Cow;

/// How much a tool call can do, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Reads, or changes nothing but what people see.
    Read,
    /// Changes the workspace or the session, without running code.
    Write,
    /// Runs code, commands, browsers or agents.
    Exec,
}

/// What a tool says about one call before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub tier: Tier,
    /// Why a person should look at the call.
    pub reason: Option<Cow<'static, str>>,
    /// The call is dangerous enough to ask even where the tool is allowed. Only the mode that never asks, and a policy
    /// that refuses, stand above it.
    pub insists: bool,
    /// The words of the call do not tell what runs, as for a function of the shell under the name of a program. What was
    /// allowed by its words is something else.
    pub hidden: bool,
}

impl Approval {
    pub const READ: Self = Self { tier: Tier::Read, reason: None, insists: false, hidden: false };
    pub const WRITE: Self = Self { tier: Tier::Write, reason: None, insists: false, hidden: false };
    /// Also the word of a tool that says nothing.
    pub const EXEC: Self = Self { tier: Tier::Exec, reason: None, insists: false, hidden: false };
}

/// One line of the question about a call: what it is, and the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalDetail {
    pub label: &'static str,
    pub value: String,
}

impl ApprovalDetail {
    /// The label of a unified diff: what a call would change in files as they are now.
    pub const DIFFERENCE: &'static str = "Difference";
}
