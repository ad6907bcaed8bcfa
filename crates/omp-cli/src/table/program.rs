//! What `omp --help` says about the program as a whole.

pub const TAGLINE: &str = "A coding agent for the terminal.";

/// Command lines with what they do.
pub static EXAMPLES: &[(&str, &str)] = &[
    ("omp -p \"why does the build fail?\"", "ask once and print the answer"),
    ("git diff | omp -p \"review this\"", "prepend piped text to the prompt"),
    ("omp -p @src/main.rs @ui.png \"explain\"", "attach files and images"),
    ("omp -p --model opus --thinking high \"...\"", "choose model and thinking level"),
    ("omp -p --tools read,search \"find the bug\"", "allow only these tools"),
    ("omp --mode json \"list the TODOs\"", "print every event as one line of JSON"),
    ("omp --goal \"all tests pass\"", "work towards a goal in the terminal"),
    ("omp commit --dry-run", "see the commit message a model would write"),
    ("omp -p -- --not-a-flag", "send text that starts with dashes"),
];

/// Environment variables with what they do.
pub static ENVIRONMENT: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "API key for Anthropic"),
    ("OPENAI_API_KEY", "API key for OpenAI; other providers likewise (GEMINI_API_KEY, ...)"),
    ("OLLAMA_BASE_URL", "Address of the Ollama server"),
    ("LM_STUDIO_BASE_URL", "Address of the LM Studio server"),
    ("LLAMA_CPP_BASE_URL", "Address of the llama.cpp server"),
    ("HTTPS_PROXY, NO_PROXY", "Proxy for requests, and hosts that bypass it"),
    ("PI_CODING_AGENT_DIR", "Agent directory (default: ~/.omp/agent)"),
    ("PI_STREAM_IDLE_TIMEOUT_MS", "Timeout for a stream that sends nothing; 0 disables it"),
    ("PI_CACHE_RETENTION", "`long` requests long prompt caching"),
    ("PI_NO_STRICT", "Disable strict tool schemas"),
    ("PI_TIMING", "Show how long each startup step took"),
    ("PI_DEBUG_STARTUP", "Show each startup step as it runs"),
];

/// Words people type for a management command that `omp` does not have under that name. Alone on the
/// command line they are refused rather than sent to a model.
pub static MANAGEMENT_WORDS: &[&str] = &["marketplace", "uninstall"];
