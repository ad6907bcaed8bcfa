//! Where a tool comes from, and what a search for it looks at.

/// What is known of a tool that does not come with the program. The loop does not care; whoever decides which tools a
/// model sees from the start does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOrigin {
    /// For people; the tool's name otherwise.
    pub label: Option<String>,
    /// In a few words what the tool is for; the start of its description otherwise.
    pub summary: Option<String>,
    /// The tool stands for one of a server of the Model Context Protocol.
    pub mcp: Option<McpOrigin>,
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpOrigin {
    pub server: String,
    /// What the server calls it.
    pub tool: String,
}
