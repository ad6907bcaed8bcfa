//! The parts of a session by name: [`Session`] itself opens, prompts and closes; everything else is a method of one of these.

pub use crate::mcp::McpServers;
use crate::modes::ModeChanges;
pub use crate::modes::goal::GoalMode;
pub use crate::modes::plan::PlanMode;
pub use crate::prompt::input::PromptInput;
pub use crate::saved::transcript::Transcript;
use crate::session::Session;
pub use crate::session::accounts::SessionAccounts;
pub use crate::session::context_window::ContextWindow;
pub use crate::session::conversation_tree::ConversationTree;
pub use crate::session::live_settings::SessionConfiguration;
pub use crate::session::models::SessionModels;
pub use crate::session::prompt_cache::PromptCache;
pub use crate::session::rewind::FileHistory;
pub use crate::session::roots::Workspace;
pub use crate::session::user_command::UserShell;
pub use crate::side_tasks::SideTasks;
pub use crate::tools::jobs::BackgroundJobs;
pub use crate::tools::language_servers::ProjectLanguageServers;
pub use crate::tools::todo::TaskList;

impl Session {
    /// The models of a session: which one answers, which ones it could switch to, and how hard they think.
    pub fn models(&self) -> SessionModels<'_> {
        SessionModels { session: self }
    }

    /// The user's accounts, with the settings and the credentials of a session.
    pub fn accounts(&self) -> SessionAccounts<'_> {
        SessionAccounts { session: self }
    }

    /// The context window of a session: what fills it, and what makes room in it (compaction, trimming, handoff).
    pub fn context(&self) -> ContextWindow<'_> {
        ContextWindow { session: self }
    }

    /// The provider's prompt cache: what it saved, what it missed, and what a switch of the model would lose.
    pub fn prompt_cache(&self) -> PromptCache<'_> {
        PromptCache { session: self }
    }

    /// Plan mode: entering and leaving it, the model that plans, the review of a plan, and carrying it out.
    pub fn plan(&self) -> PlanMode<'_> {
        PlanMode { session: self }
    }

    /// The goal of a session: setting it, pausing and resuming the work on it, its budget.
    pub fn goal(&self) -> GoalMode<'_> {
        GoalMode { session: self }
    }

    /// What the modes of a session do at its start, around every run and after a jump in the conversation.
    pub(crate) fn mode_changes(&self) -> ModeChanges<'_> {
        ModeChanges { session: self }
    }

    /// The file history of a session: rewinding files and conversation to before a prompt, and redoing it.
    pub fn file_history(&self) -> FileHistory<'_> {
        FileHistory { session: self }
    }

    /// The conversation as a tree of branches: its entries, labels, and moving from one place in it to another.
    pub fn tree(&self) -> ConversationTree<'_> {
        ConversationTree { session: self }
    }

    /// The conversation for people: as messages, as figures, as text, as a page, as a link.
    pub fn transcript(&self) -> Transcript<'_> {
        Transcript { session: self }
    }

    /// The background jobs of a session, and the delivery of their results to the conversation.
    pub fn jobs(&self) -> BackgroundJobs<'_> {
        BackgroundJobs { session: self }
    }

    /// What an editor for prompts needs: commands, completion of URLs, expansion, pastes, drafts, and mentioned files.
    pub fn input(&self) -> PromptInput<'_> {
        PromptInput { session: self }
    }

    /// The language servers of the project.
    pub fn language_servers(&self) -> ProjectLanguageServers<'_> {
        ProjectLanguageServers { session: self }
    }

    /// The MCP servers of a session.
    pub fn mcp(&self) -> McpServers<'_> {
        McpServers::new(&self.mcp, self.settings())
    }

    /// The task list of a session, as a person reads and edits it.
    pub fn tasks(&self) -> TaskList<'_> {
        TaskList { session: self }
    }

    /// The directories that a session works in besides its own.
    pub fn workspace(&self) -> Workspace<'_> {
        Workspace { session: self }
    }

    /// Commands that the user runs in the session's shell.
    pub fn shell(&self) -> UserShell<'_> {
        UserShell { session: self }
    }

    /// Requests beside the conversation: side questions and the session's title.
    pub fn side_tasks(&self) -> SideTasks<'_> {
        SideTasks { session: self }
    }

    /// Settings and discovered files of a running session: changing them, and loading them again.
    pub fn configuration(&self) -> SessionConfiguration<'_> {
        SessionConfiguration { session: self }
    }
}
