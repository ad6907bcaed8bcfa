//! Commands, background jobs and the eval backends.

settings! {
    Shell;
    BASH_ENABLED: Flag("bash.enabled", true, "Enable the bash tool.");
    BASH_STRIP_TRAILING_HEAD_TAIL: Flag("bash.stripTrailingHeadTail", true, "Drop a trailing `| head` or `| tail` from commands, since omp limits output itself.");
    BASH_AUTO_BACKGROUND_ENABLED: Flag("bash.autoBackground.enabled", false, "Move long-running commands to the background.");
    BASH_AUTO_BACKGROUND_THRESHOLD_MS: Number("bash.autoBackground.thresholdMs", 60_000.0, "Milliseconds after which a command is moved to the background.");
    // Default: ours.
    BASH_INTERCEPTOR_ENABLED: Flag("bashInterceptor.enabled", false, "Reject commands for which a better tool exists.");
    BASH_INTERCEPTOR_PATTERNS: List("bashInterceptor.patterns", &[], "Custom rules, checked before the built-in ones: `pattern`, `tool`, `message` and optional `flags`.");
    // Defaults: ours.
    SHELL_MINIMIZER_ENABLED: Flag("shellMinimizer.enabled", true, "Shorten the output of verbose programs and keep the original in a file.");
    SHELL_MINIMIZER_ONLY: List("shellMinimizer.only", &[], "Programs whose output is shortened; empty means all supported ones.");
    SHELL_MINIMIZER_EXCEPT: List("shellMinimizer.except", &[], "Programs whose output is never shortened.");
    SHELL_MINIMIZER_MAX_CAPTURE_BYTES: Number("shellMinimizer.maxCaptureBytes", 4_194_304.0, "Maximum bytes of output to shorten.");
    SHELL_PATH: Text("shellPath", None, "Shell that runs commands; `embedded` is the one inside omp.");
    ASYNC_ENABLED: Flag("async.enabled", false, "Let commands and sub-agents run in the background.");
    ASYNC_MAX_JOBS: Number("async.maxJobs", 100.0, "Maximum number of concurrent background jobs, 1 to 100.");
    ASYNC_POLL_WAIT_DURATION: Choice("async.pollWaitDuration", &["30s", "5s", "10s", "1m", "5m"], "How long polling background jobs waits for updates.");
    EVAL_PY: Flag("eval.py", true, "Enable Python in the eval tool.").variables(&[Variable { name: "PI_PY", path: "eval.py" }]).waits_for("eval tool");
    EVAL_JS: Flag("eval.js", true, "Enable JavaScript in the eval tool.").variables(&[Variable { name: "PI_JS", path: "eval.js" }]).waits_for("eval tool");
    PYTHON_KERNEL_MODE: Choice("python.kernelMode", &["session", "per-call"], "Keep one Python process per session, or start one per call.").waits_for("eval tool");
    PYTHON_INTERPRETER: Text("python.interpreter", Some(""), "Path of the Python interpreter; empty searches for one.").waits_for("eval tool");
}
