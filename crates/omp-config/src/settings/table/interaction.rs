//! How a session reacts to its user.

settings! {
    Interaction;
    STEERING_MODE: Choice("steeringMode", &["one-at-a-time", "all"], "How many queued steering messages are delivered at once.");
    FOLLOW_UP_MODE: Choice("followUpMode", &["one-at-a-time", "all"], "How many queued follow-up messages are delivered at once.");
    INTERRUPT_MODE: Choice("interruptMode", &["immediate", "wait"], "Whether a steering message interrupts running tools.");
    DOUBLE_ESCAPE_ACTION: Choice("doubleEscapeAction", &["tree", "branch", "none"], "What a double Escape in an empty editor opens.");
    // Ours.
    COMMANDS_UNKNOWN: Choice("commands.unknown", &["suggest", "send"], "What happens to an unknown slash command: suggest similar ones, or send it as a prompt.");
    AUTO_RESUME: Flag("autoResume", false, "Resume the most recent session of the directory on start.");
    ASK_TIMEOUT: Number("ask.timeout", 0.0, "Seconds until a question from the model is answered automatically; 0 waits forever.");
    ASK_NOTIFY: Choice("ask.notify", &["on", "off"], "Send a terminal notification when the model asks a question.");
    TODO_ENABLED: Flag("todo.enabled", true, "Enable the todo tool.");
    TODO_REMINDERS: Flag("todo.reminders", true, "Remind the model of open todos when it stops.")
        .stored_at("todo.reminders.enabled");
    TODO_REMINDERS_MAX: Number("todo.reminders.max", 3.0, "Maximum number of reminders per prompt.");
    TODO_EAGER: Choice("todo.eager", &["default", "preferred", "always"], "How strongly the first prompt encourages a todo list.");
    TASKS_TODO_CLEAR_DELAY: Number("tasks.todoClearDelay", 60.0, "Seconds until completed todos are hidden; negative keeps them.");
    PLAN_ENABLED: Flag("plan.enabled", true, "Enable plan mode.");
    PLAN_DEFAULT_ON_STARTUP: Flag("plan.defaultOnStartup", false, "Start new interactive sessions in plan mode.");
    GOAL_ENABLED: Flag("goal.enabled", true, "Enable goals that the agent works on until they are reached.");
    GOAL_CONTINUATION_MODES: List("goal.continuationModes", &["interactive"], "Modes in which a goal continues automatically.");
    GOAL_STATUS_IN_FOOTER: Flag("goal.statusInFooter", true, "Show the goal in the status line.");
    LOOP_MODE: Choice("loop.mode", &["prompt", "compact", "reset"], "What happens to the context before each loop iteration.");
    MAGIC_KEYWORDS_ENABLED: Flag("magicKeywords.enabled", true, "Enable magic keywords in prompts.");
    MAGIC_KEYWORDS_ULTRATHINK: Flag("magicKeywords.ultrathink", true, "Enable the keyword `ultrathink`.");
    MAGIC_KEYWORDS_ORCHESTRATE: Flag("magicKeywords.orchestrate", true, "Enable the keyword `orchestrate`.");
    MAGIC_KEYWORDS_WORKFLOW: Flag("magicKeywords.workflow", true, "Enable the keyword `workflow`.");
    PASTE_LARGE_MENU_THRESHOLD: Number("paste.largeMenuThreshold", 100.0, "Number of pasted lines from which omp asks how to attach them; 0 never asks.");
    AUTOCOMPLETE_MAX_VISIBLE: Number("autocompleteMaxVisible", 5.0, "Maximum rows of the completion list.");
    // Default: ours.
    EMOJI_AUTOCOMPLETE: Flag("emojiAutocomplete", true, "Complete `:name:` to an emoji.");
    TUI_VIM_MODE: Flag("tui.vimMode", false, "Edit prompts with vi keys.");
    PROMPT_HISTORY_SCOPE: Choice("promptHistory.scope", &["directory", "all"], "Which earlier prompts the arrow keys and history search cover.");
    FEATURES_UNEXPECTED_STOP_DETECTION: Flag("features.unexpectedStopDetection", false, "Continue automatically when the model announces work and stops.").waits_for("advisor");
}
