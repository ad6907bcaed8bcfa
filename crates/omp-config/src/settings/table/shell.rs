//! Commands, background jobs and the eval backends.

settings! {
    Shell;
    BASH_ENABLED: Flag("bash.enabled", true, "Offer the bash tool.");
    BASH_STRIP_TRAILING_HEAD_TAIL: Flag("bash.stripTrailingHeadTail", true, "Drop a trailing `| head` or `| tail` from commands, since omp bounds output itself.");
    BASH_AUTO_BACKGROUND_ENABLED: Flag("bash.autoBackground.enabled", false, "Move long commands to the background.");
    BASH_AUTO_BACKGROUND_THRESHOLD_MS: Number("bash.autoBackground.thresholdMs", 60_000.0, "Milliseconds after which a command counts as long.");
    // Default: ours.
    BASH_INTERCEPTOR_ENABLED: Flag("bashInterceptor.enabled", false, "Refuse commands for which the model has a better tool.");
    BASH_INTERCEPTOR_PATTERNS: List("bashInterceptor.patterns", &[], "Rules of your own, which go before ours: `pattern`, `tool`, `message` and, if wanted, `flags`.");
    // Defaults: ours.
    SHELL_MINIMIZER_ENABLED: Flag("shellMinimizer.enabled", true, "Shorten the output of verbose programs and keep the original in a file.");
    SHELL_MINIMIZER_ONLY: List("shellMinimizer.only", &[], "Programs whose output is shortened; empty means all that are known.");
    SHELL_MINIMIZER_EXCEPT: List("shellMinimizer.except", &[], "Programs whose output is never shortened.");
    SHELL_MINIMIZER_MAX_CAPTURE_BYTES: Number("shellMinimizer.maxCaptureBytes", 4_194_304.0, "Most bytes of output that are looked at.");
    SHELL_PATH: Text("shellPath", None, "Shell that runs commands; `embedded` is the one inside omp.");
    ASYNC_ENABLED: Flag("async.enabled", false, "Let commands and sub-agents run in the background.");
    ASYNC_MAX_JOBS: Number("async.maxJobs", 100.0, "Most background jobs at a time, 1 to 100.");
    ASYNC_POLL_WAIT_DURATION: Choice("async.pollWaitDuration", &["30s", "5s", "10s", "1m", "5m"], "How long one look at background jobs waits for news.");
    EVAL_PY: Flag("eval.py", true, "Offer Python in the eval tool.").variables(&[Variable { name: "PI_PY", path: "eval.py" }]).waits_for("eval tool");
    EVAL_JS: Flag("eval.js", true, "Offer JavaScript in the eval tool.").variables(&[Variable { name: "PI_JS", path: "eval.js" }]).waits_for("eval tool");
    PYTHON_KERNEL_MODE: Choice("python.kernelMode", &["session", "per-call"], "Keep one Python for the session, or start one per call.").waits_for("eval tool");
    PYTHON_INTERPRETER: Text("python.interpreter", Some(""), "Python to use; empty looks for one.").waits_for("eval tool");
}
