//! Things worth knowing, one at a start.

const TIPS: [&str; 14] = [
    "@ mentions a file: its content goes with your message",
    "! runs a shell command and shows it to the model; !! keeps it to yourself",
    "type while the model works: Enter steers it, Ctrl+Q queues for after the turn",
    "Esc twice opens the session tree: go back to any message and continue from there",
    "/rewind brings files back to how they were before a prompt",
    "/plan lets the model explore and plan without changing anything",
    "/btw asks a side question that stays out of the conversation",
    "Ctrl+O shows the full output of the last command",
    "Ctrl+R searches the prompts of earlier sessions",
    "Ctrl+G edits the prompt in your own editor",
    "/approval shows what omp may do without asking, and changes it",
    "AGENTS.md in your project tells the model what it should always know",
    "/context shows what fills the context window, /cache what the prompt cache saves",
    "omp -p \"…\" answers in scripts and pipes",
];

/// The tip of a turn; any number is good.
pub fn tip(turn: usize) -> &'static str {
    TIPS[turn % TIPS.len()]
}
