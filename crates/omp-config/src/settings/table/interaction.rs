//! How a session reacts to its user.

settings! {
    Interaction;
    STEERING_MODE: Choice("steeringMode", &["one-at-a-time", "all"], "How many waiting steering messages the model gets at once.");
    FOLLOW_UP_MODE: Choice("followUpMode", &["one-at-a-time", "all"], "How many waiting follow-up messages the model gets at once.");
    INTERRUPT_MODE: Choice("interruptMode", &["immediate", "wait"], "Whether a steering message stops the tools that run.");
    DOUBLE_ESCAPE_ACTION: Choice("doubleEscapeAction", &["tree", "branch", "none"], "What two presses of Escape on an empty editor open.");
    AUTO_RESUME: Flag("autoResume", false, "Start with the latest session of the directory.");
    ASK_TIMEOUT: Number("ask.timeout", 0.0, "Seconds until a question of the model is answered for you; 0 waits for ever.");
    ASK_NOTIFY: Choice("ask.notify", &["on", "off"], "Send a terminal notification when the model asks something.");
    TODO_ENABLED: Flag("todo.enabled", true, "Offer the todo tool.");
    TODO_REMINDERS: Flag("todo.reminders", true, "Remind the model of open todos when it stops.")
        .stored_at("todo.reminders.enabled");
    TODO_REMINDERS_MAX: Number("todo.reminders.max", 3.0, "Most reminders after one prompt.");
    TODO_EAGER: Choice("todo.eager", &["default", "preferred", "always"], "How strongly the first prompt asks for a todo list.");
    TASKS_TODO_CLEAR_DELAY: Number("tasks.todoClearDelay", 60.0, "Seconds until finished todos vanish; negative keeps them.");
    PLAN_ENABLED: Flag("plan.enabled", true, "Offer plan mode.");
    PLAN_DEFAULT_ON_STARTUP: Flag("plan.defaultOnStartup", false, "Begin new interactive sessions in plan mode.");
    GOAL_ENABLED: Flag("goal.enabled", true, "Offer goals that the agent works on until they are reached.");
    GOAL_CONTINUATION_MODES: List("goal.continuationModes", &["interactive"], "Modes in which a goal continues by itself.");
    GOAL_STATUS_IN_FOOTER: Flag("goal.statusInFooter", true, "Show the goal in the status line.");
    LOOP_MODE: Choice("loop.mode", &["prompt", "compact", "reset"], "What happens to the context before each round of a loop.");
    MAGIC_KEYWORDS_ENABLED: Flag("magicKeywords.enabled", true, "React to keywords in prompts.");
    MAGIC_KEYWORDS_ULTRATHINK: Flag("magicKeywords.ultrathink", true, "React to `ultrathink`.");
    MAGIC_KEYWORDS_ORCHESTRATE: Flag("magicKeywords.orchestrate", true, "React to `orchestrate`.");
    MAGIC_KEYWORDS_WORKFLOW: Flag("magicKeywords.workflow", true, "React to `workflow`.");
    PASTE_LARGE_MENU_THRESHOLD: Number("paste.largeMenuThreshold", 100.0, "Pasted lines from which omp asks how to attach them; 0 never asks.");
    AUTOCOMPLETE_MAX_VISIBLE: Number("autocompleteMaxVisible", 5.0, "Most rows of the completion list.");
    // Default: ours.
    EMOJI_AUTOCOMPLETE: Flag("emojiAutocomplete", true, "Complete `:name:` to an emoji.");
    TUI_VIM_MODE: Flag("tui.vimMode", false, "Edit prompts with the keys of vi.");
    PROMPT_HISTORY_SCOPE: Choice("promptHistory.scope", &["directory", "all"], "Which earlier prompts the arrow keys and the search look at.");
    FEATURES_UNEXPECTED_STOP_DETECTION: Flag("features.unexpectedStopDetection", false, "Continue when the model announces work and stops.").waits_for("advisor");
}
