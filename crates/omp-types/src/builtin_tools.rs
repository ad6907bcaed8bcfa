//! The table of built-in tools: one row says everything about a tool that is not its code or a text for models.
//!
//! `omp-tools` has the code of each row and the texts (`tool.md`), `omp-view` draws calls by [`CallView`], `omp-sdk` decides
//! by the rest who is offered a tool and what its calls may do. `docs/tools.md` lists the rows.

use crate::approval::{Approval, Tier};

/// What is known about a built-in tool without its code.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinTool {
    pub name: &'static str,
    /// What it does, for people.
    pub summary: &'static str,
    /// What it may change, for people.
    pub changes: &'static str,
    /// What decides whether a session has it.
    pub offer: ToolOffer,
    /// The setting that switches it on and off.
    pub switch: Option<&'static str>,
    /// What a session must have besides.
    pub needs: ToolNeeds,
    /// How much its calls may do.
    pub tier: ToolTier,
    /// How its calls are drawn.
    pub view: CallView,
    /// Everything else that is decided by the tool rather than by the call.
    pub traits: &'static [ToolTrait],
}

/// What decides whether a session has a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOffer {
    /// Its name: users choose it with `--tools`.
    Named,
    /// Another tool, without which it has nothing to do.
    With(&'static str),
    /// Something that is active in the session, such as a goal.
    ByMode,
}

/// What a session must have to offer a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolNeeds {
    Nothing,
    /// Somebody who answers questions.
    Answerer,
    /// A host to run commands on.
    Host,
    /// A language server.
    LanguageServer,
}

/// How much the calls of a tool may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolTier {
    /// The same for all of them.
    Always(Tier),
    /// The tool looks at each call.
    PerCall,
}

/// How the calls of a tool are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallView {
    /// Arguments as JSON, the result as text.
    Generic,
    Ask,
    AstEdit,
    AstGrep,
    Command,
    Edit,
    Find,
    Image,
    Jobs,
    /// Checkpoints and goals: where the work stands.
    Progress,
    Read,
    Resolve,
    Search,
    Todo,
    ToolSearch,
    Write,
}

/// What is decided by the tool rather than by the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolTrait {
    /// Every task needs it: it never has to be searched for, unless the settings say so.
    Essential,
    /// It belongs to another tool or to a mode: nobody has to search for it.
    Unsearchable,
    /// It changes files in the workspace.
    ChangesFiles,
    /// What it is given ends up somewhere: a mask must not stand for a secret in it.
    WritesItsArguments,
    /// It keeps to plan mode by itself.
    KnowsPlanMode,
    /// A call of it ends a turn of planning.
    EndsPlanningTurn,
    /// It waits: for a while its results may stay the same.
    Waits,
    /// It changes nothing but the session, so it runs again when a recording is played.
    SessionOnly,
    /// It asks a person, whose answers a recording has.
    AsksPerson,
    /// Often called, and its schema is small enough for a provider to enforce.
    StrictSchema,
}

impl BuiltinTool {
    /// The row that every other one is a change of: chosen by name, no switch, only reads.
    const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            summary,
            changes: "nothing",
            offer: ToolOffer::Named,
            switch: None,
            needs: ToolNeeds::Nothing,
            tier: ToolTier::Always(Tier::Read),
            view: CallView::Generic,
            traits: &[],
        }
    }

    pub fn has(&self, wanted: ToolTrait) -> bool {
        self.traits.contains(&wanted)
    }

    /// The word of the tool on every call, if it is always the same.
    pub fn approval(&self) -> Option<Approval> {
        match self.tier {
            ToolTier::Always(Tier::Read) => Some(Approval::READ),
            ToolTier::Always(Tier::Write) => Some(Approval::WRITE),
            ToolTier::Always(Tier::Exec) => Some(Approval::EXEC),
            ToolTier::PerCall => None,
        }
    }

    const fn is_named(&self) -> bool {
        matches!(self.offer, ToolOffer::Named)
    }
}

/// The built-in tools by name.
pub mod builtin {
    use super::ToolTrait::*;
    use super::*;

    pub const READ: BuiltinTool = BuiltinTool {
        tier: ToolTier::PerCall,
        view: CallView::Read,
        traits: &[Essential],
        ..BuiltinTool::new(
            "read",
            "reads files, parts of files, directories, archives, databases, documents, web pages, internal URLs",
        )
    };
    pub const WRITE: BuiltinTool = BuiltinTool {
        changes: "what it names",
        tier: ToolTier::PerCall,
        view: CallView::Write,
        traits: &[ChangesFiles, WritesItsArguments, KnowsPlanMode],
        ..BuiltinTool::new(
            "write",
            "creates or replaces a file, an archive member, a database row, a notebook",
        )
    };
    pub const EDIT: BuiltinTool = BuiltinTool {
        changes: "what it names",
        tier: ToolTier::PerCall,
        view: CallView::Edit,
        traits: &[Essential, ChangesFiles, WritesItsArguments, KnowsPlanMode, StrictSchema],
        ..BuiltinTool::new("edit", "changes lines of existing files")
    };
    pub const FIND: BuiltinTool = BuiltinTool {
        switch: Some("find.enabled"),
        view: CallView::Find,
        traits: &[StrictSchema],
        ..BuiltinTool::new("find", "finds files by name")
    };
    pub const SEARCH: BuiltinTool = BuiltinTool {
        switch: Some("search.enabled"),
        view: CallView::Search,
        ..BuiltinTool::new("search", "finds text in files")
    };
    pub const AST_GREP: BuiltinTool = BuiltinTool {
        switch: Some("astGrep.enabled"),
        view: CallView::AstGrep,
        ..BuiltinTool::new("ast_grep", "finds code by its structure")
    };
    pub const AST_EDIT: BuiltinTool = BuiltinTool {
        changes: "nothing until `resolve` applies it",
        switch: Some("astEdit.enabled"),
        view: CallView::AstEdit,
        traits: &[ChangesFiles, WritesItsArguments, KnowsPlanMode],
        ..BuiltinTool::new("ast_edit", "rewrites code by its structure, with a preview first")
    };
    pub const RESOLVE: BuiltinTool = BuiltinTool {
        changes: "what the preview showed",
        offer: ToolOffer::With(AST_EDIT.name),
        switch: AST_EDIT.switch,
        tier: ToolTier::PerCall,
        view: CallView::Resolve,
        traits: &[Unsearchable, KnowsPlanMode, EndsPlanningTurn, SessionOnly],
        ..BuiltinTool::new("resolve", "applies or discards a previewed change; comes with `ast_edit`")
    };
    pub const BASH: BuiltinTool = BuiltinTool {
        changes: "anything you may",
        switch: Some("bash.enabled"),
        tier: ToolTier::PerCall,
        view: CallView::Command,
        traits: &[Essential, WritesItsArguments, StrictSchema],
        ..BuiltinTool::new("bash", "runs commands")
    };
    pub const JOB: BuiltinTool = BuiltinTool {
        changes: "ends its own jobs",
        view: CallView::Jobs,
        traits: &[Waits],
        ..BuiltinTool::new("job", "shows, waits for and cancels background jobs")
    };
    pub const TODO: BuiltinTool = BuiltinTool {
        switch: Some("todo.enabled"),
        view: CallView::Todo,
        traits: &[SessionOnly],
        ..BuiltinTool::new("todo", "the task list that you see")
    };
    pub const ASK: BuiltinTool = BuiltinTool {
        needs: ToolNeeds::Answerer,
        view: CallView::Ask,
        traits: &[EndsPlanningTurn, AsksPerson],
        ..BuiltinTool::new("ask", "asks you questions, where somebody can answer")
    };
    pub const CHECKPOINT: BuiltinTool = BuiltinTool {
        changes: "the conversation",
        switch: Some("checkpoint.enabled"),
        view: CallView::Progress,
        traits: &[SessionOnly],
        ..BuiltinTool::new(
            "checkpoint",
            "starts an investigation that leaves only its report in the conversation",
        )
    };
    pub const REWIND: BuiltinTool = BuiltinTool {
        changes: "the conversation",
        switch: CHECKPOINT.switch,
        view: CallView::Progress,
        traits: &[SessionOnly],
        ..BuiltinTool::new("rewind", "ends the investigation with its report")
    };
    pub const INSPECT_IMAGE: BuiltinTool = BuiltinTool {
        switch: Some("inspect_image.enabled"),
        view: CallView::Image,
        ..BuiltinTool::new("inspect_image", "asks another model about an image")
    };
    pub const SSH: BuiltinTool = BuiltinTool {
        changes: "anything you may there",
        needs: ToolNeeds::Host,
        tier: ToolTier::PerCall,
        view: CallView::Command,
        traits: &[WritesItsArguments],
        ..BuiltinTool::new("ssh", "runs commands on the machines that you have listed")
    };
    pub const LSP: BuiltinTool = BuiltinTool {
        changes: "nothing, or what it names",
        switch: Some("lsp.enabled"),
        needs: ToolNeeds::LanguageServer,
        tier: ToolTier::PerCall,
        ..BuiltinTool::new("lsp", "queries language servers; renames, code actions")
    };
    pub const REPORT_TOOL_ISSUE: BuiltinTool = BuiltinTool {
        changes: "a list on this machine",
        switch: Some("dev.autoqa"),
        traits: &[Unsearchable],
        ..BuiltinTool::new(
            "report_tool_issue",
            "records a problem with a tool; `omp grievances` shows the list",
        )
    };
    pub const GOAL: BuiltinTool = BuiltinTool {
        changes: "the goal",
        offer: ToolOffer::ByMode,
        view: CallView::Progress,
        traits: &[SessionOnly],
        ..BuiltinTool::new("goal", "the state of the session's goal; offered while there is one")
    };
    pub const TOOL_SEARCH: BuiltinTool = BuiltinTool {
        changes: "the offered tools",
        offer: ToolOffer::ByMode,
        view: CallView::ToolSearch,
        traits: &[Unsearchable],
        ..BuiltinTool::new("search_tool_bm25", "finds tools that are not offered by default")
    };
}

use builtin::*;

/// Every built-in tool. Models are told of them in this order, which is part of the prompt that providers cache.
pub static BUILTIN_TOOLS: &[BuiltinTool] = &TABLE;

const TABLE: [BuiltinTool; 20] = [
    READ,
    WRITE,
    EDIT,
    FIND,
    SEARCH,
    AST_GREP,
    AST_EDIT,
    RESOLVE,
    BASH,
    JOB,
    TODO,
    ASK,
    CHECKPOINT,
    REWIND,
    INSPECT_IMAGE,
    SSH,
    LSP,
    REPORT_TOOL_ISSUE,
    GOAL,
    TOOL_SEARCH,
];

const NAMED: usize = {
    let (mut count, mut at) = (0, 0);
    while at < TABLE.len() {
        count += TABLE[at].is_named() as usize;
        at += 1;
    }
    count
};

/// The names that users may choose from with `--tools`.
pub const TOOL_NAMES: &[&str] = &{
    let mut names = [""; NAMED];
    let (mut next, mut at) = (0, 0);
    while at < TABLE.len() {
        if TABLE[at].is_named() {
            names[next] = TABLE[at].name;
            next += 1;
        }
        at += 1;
    }
    names
};

/// The row of a tool, if it is a built-in one.
pub fn builtin_tool(name: &str) -> Option<&'static BuiltinTool> {
    BUILTIN_TOOLS.iter().find(|tool| tool.name == name)
}

/// Is this a built-in tool with the trait?
pub fn tool_has(name: &str, wanted: ToolTrait) -> bool {
    builtin_tool(name).is_some_and(|tool| tool.has(wanted))
}

/// The table of `docs/tools.md`.
pub fn tools_table() -> String {
    let mut table = String::from("| tool | what it does | may change |\n|---|---|---|\n");
    for tool in BUILTIN_TOOLS {
        let switch = tool.switch.map(|switch| format!(" (`{switch}`)")).unwrap_or_default();
        table.push_str(&format!("| `{}` | {}{switch} | {} |\n", tool.name, tool.summary, tool.changes));
    }
    table
}
