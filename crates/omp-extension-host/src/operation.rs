//! The operations that extensions can ask for.

/// Who answers an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// The session: its conversation, its models, its tools.
    Session,
    /// The program around it: the interface, and one session after another.
    Program,
}

/// What happens to an operation of a context whose session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// What was last known is still read.
    Reads,
    /// It is not done, and the log says so.
    Refused,
}

pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) answers: Answers,
    pub(crate) late: Late,
}

const fn reads(name: &'static str) -> Operation {
    Operation { name, answers: Answers::Session, late: Late::Reads }
}

const fn acts(name: &'static str) -> Operation {
    Operation { name, answers: Answers::Session, late: Late::Refused }
}

const fn program(name: &'static str) -> Operation {
    Operation { name, answers: Answers::Program, late: Late::Refused }
}

const fn shows(name: &'static str) -> Operation {
    Operation { name, answers: Answers::Program, late: Late::Reads }
}

const OPERATIONS: &[Operation] = &[
    reads("session.id"),
    reads("session.file"),
    reads("session.directory"),
    reads("session.cwd"),
    reads("session.header"),
    reads("session.name"),
    reads("session.messages"),
    reads("session.model"),
    reads("session.scopedModels"),
    reads("session.thinkingLevel"),
    reads("session.isIdle"),
    reads("session.hasPendingMessages"),
    reads("session.isProjectTrusted"),
    reads("session.contextUsage"),
    reads("session.jobs"),
    reads("session.systemPrompt"),
    reads("entries.all"),
    reads("entries.leaf"),
    reads("entries.branch"),
    reads("models.list"),
    reads("models.all"),
    reads("models.find"),
    reads("models.resolve"),
    reads("models.family"),
    reads("models.isUsable"),
    reads("models.usesOAuth"),
    reads("models.providerName"),
    reads("models.providerCount"),
    reads("tools.active"),
    reads("tools.all"),
    reads("commands.all"),
    acts("models.auth"),
    acts("models.complete"),
    acts("models.abort"),
    acts("session.abort"),
    acts("session.appendEntry"),
    acts("session.setLabel"),
    acts("session.setName"),
    acts("session.setModel"),
    acts("session.setThinkingLevel"),
    acts("session.compact"),
    acts("session.waitForIdle"),
    reads("models.environmentKey"),
    acts("tools.setActive"),
    acts("tools.run"),
    acts("tools.abort"),
    acts("tools.pushPending"),
    acts("session.sendMessage"),
    acts("session.sendUserMessage"),
    program("session.new"),
    program("session.switch"),
    program("session.branch"),
    program("session.navigate"),
    program("session.reload"),
    program("session.shutdown"),
    shows("session.hasUI"),
    program("ui.copy"),
    shows("ui.theme"),
    shows("ui.themes"),
    shows("ui.namedTheme"),
    shows("ui.terminal"),
    program("ui.title"),
    shows("ui.keybindings"),
    shows("ui.editorText"),
    shows("ui.toolsExpanded"),
    shows("ui.gitBranch"),
    shows("ui.statuses"),
    shows("tui.highlight"),
    program("ui.select"),
    program("ui.confirm"),
    program("ui.input"),
    program("ui.editor"),
    program("ui.custom"),
    program("ui.closeDialog"),
    program("ui.setHidden"),
    program("ui.focus"),
    program("ui.notify"),
    program("ui.setStatus"),
    program("ui.setWorkingMessage"),
    program("ui.setWorkingVisible"),
    program("ui.setWorkingIndicator"),
    program("ui.setHiddenThinkingLabel"),
    program("ui.setWidget"),
    program("ui.mount"),
    program("ui.unmount"),
    program("ui.render"),
    program("ui.setTitle"),
    program("ui.setEditorText"),
    program("ui.pasteToEditor"),
    program("ui.submit"),
    program("ui.editorChanged"),
    program("ui.setTheme"),
    program("ui.setToolsExpanded"),
    program("ui.wantInput"),
    program("ui.wantCompletions"),
    program("ui.failed"),
];

pub(crate) fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// Is an extension waiting for a person or a model while this runs? Both take the time they take.
pub(crate) fn asks_somebody(name: &str) -> bool {
    matches!(name, "ui.select" | "ui.confirm" | "ui.input" | "ui.editor" | "ui.custom" | "models.complete")
}
