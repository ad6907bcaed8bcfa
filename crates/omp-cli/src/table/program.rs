//! What `omp --help` says about the program as a whole.

pub const TAGLINE: &str = "A coding agent for the terminal.";

/// Command lines with what they do.
pub static EXAMPLES: &[(&str, &str)] = &[
    ("omp -p \"why does the build fail?\"", "ask once and print the answer"),
    ("git diff | omp -p \"review this\"", "put piped text before the prompt"),
    ("omp -p @src/main.rs @ui.png \"explain\"", "attach files and images"),
    ("omp -p --model opus --thinking high \"...\"", "choose model and thinking level"),
    ("omp -p --tools read,grep \"find the bug\"", "allow only these tools"),
    ("omp --mode json \"list the TODOs\"", "print every event as one line of JSON"),
    ("omp --goal \"all tests pass\"", "work towards a goal in the terminal"),
    ("omp commit --dry-run", "see the commit message a model would write"),
    ("omp -p -- --not-a-flag", "send text that starts with dashes"),
];

/// Environment variables with what they do.
pub static ENVIRONMENT: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "Key for Anthropic models"),
    ("OPENAI_API_KEY", "Key for OpenAI models; other providers likewise: GEMINI_API_KEY, ..."),
    ("OLLAMA_BASE_URL", "Where Ollama listens"),
    ("LM_STUDIO_BASE_URL", "Where LM Studio listens"),
    ("LLAMA_CPP_BASE_URL", "Where the llama.cpp server listens"),
    ("HTTPS_PROXY, NO_PROXY", "Proxy for requests, and the hosts to reach without it"),
    ("PI_CODING_AGENT_DIR", "Agent directory in place of ~/.omp/agent"),
    ("PI_STREAM_IDLE_TIMEOUT_MS", "How long a silent answer may last; 0 means for ever"),
    ("PI_CACHE_RETENTION", "`long` asks for long prompt caching"),
    ("PI_NO_STRICT", "Do not ask providers for strict tool schemas"),
    ("PI_TIMING", "Show how long each step of the start took"),
    ("PI_DEBUG_STARTUP", "Show each step of the start as it happens"),
];

pub static EXIT_CODES: &[(&str, &str)] = &[
    ("0", "success"),
    ("1", "the run or command failed: no model, missing file, failed turn, ..."),
    ("2", "a flag or value was not understood; nothing was started"),
    ("130", "Ctrl+C was pressed again while the program was stopping"),
];

/// Words people type for a management command that `omp` does not have under that name. Alone on the
/// command line they are refused rather than sent to a model.
pub static MANAGEMENT_WORDS: &[&str] = &["extensions", "marketplace", "uninstall"];
