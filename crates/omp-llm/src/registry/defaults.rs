//! Who does the work of a role that the user gave to nobody.

/// Small and fast.
const SMOL: &[&str] = &[
    "claude-haiku-5-5",
    "claude-haiku-4-5",
    "gpt-6-luna",
    "gpt-5-mini",
    "gemini-3.8-flash",
    "gemini-3-flash",
    "gemini-2.5-flash",
    "glm-5.3-flash",
    "deepseek-v4-flash",
    "haiku",
    "flash",
    "mini",
    "small",
    "glm-4.5-air",
    "deepseek-chat",
];

/// Strong at reasoning.
const SLOW: &[&str] = &[
    "gpt-5.5",
    "claude-opus-5",
    "claude-opus-4-6",
    "claude-opus-4-5",
    "gpt-5",
    "gemini-3.1-pro",
    "gemini-3-pro",
    "gemini-2.5-pro",
    "grok-4.7",
    "grok-4",
    "kimi-k3",
    "kimi-k2-thinking",
    "deepseek-v4-pro",
    "deepseek-reasoner",
    "glm-5.3",
    "opus",
    "thinking",
];

/// Good with what is seen.
const DESIGNER: &[&str] = &[
    "gemini-3.1-pro",
    "gemini-3-pro",
    "claude-opus-5",
    "claude-opus-4-6",
    "claude-opus-4-5",
    "gemini-2.5-pro",
    "opus",
];

/// Names in the order of preference; none for roles that are done by the session's own model.
pub(super) fn for_role(role: &str) -> &'static [&'static str] {
    match role {
        "smol" => SMOL,
        "slow" => SLOW,
        "designer" => DESIGNER,
        _ => &[],
    }
}
