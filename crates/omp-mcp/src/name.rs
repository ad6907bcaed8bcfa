//! Names of tools as models see them.

use std::collections::BTreeMap;

/// The prefix of every tool name.
pub const PREFIX: &str = "mcp__";
/// The longest name that every model host accepts.
const LONGEST: usize = 64;
/// Letters at the end of a name that had to be cut.
const MARK: usize = 6;

/// The name of a tool: `mcp__<server>_<tool>` in lower-case letters and single underscores.
pub fn tool_name(server: &str, tool: &str) -> String {
    let (server, tool) = (sanitized(server), sanitized(tool));
    let own = tool.strip_prefix(&format!("{server}_")).filter(|rest| !rest.is_empty()).unwrap_or(&tool);
    let joined = collapsed(&format!("{server}_{own}"));
    let name = format!("{PREFIX}{joined}");
    if name.len() <= LONGEST {
        return name;
    }
    // Long names that differ only at the end stay different.
    let digest = ring::digest::digest(&ring::digest::SHA256, name.as_bytes());
    let mark: String = digest.as_ref()[..MARK].iter().map(|byte| char::from(b'a' + byte % 26)).collect();
    format!("{}_{mark}", name[..LONGEST - MARK - 1].trim_end_matches('_'))
}

/// The name that a rule or a setting means: `mcp__server__tool` is accepted, too.
pub fn canonical(spelling: &str) -> Option<String> {
    let rest = spelling.strip_prefix(PREFIX)?;
    Some(match rest.split_once("__") {
        Some((server, tool)) => tool_name(server, tool),
        None => format!("{PREFIX}{}", sanitized(rest)),
    })
}

fn sanitized(text: &str) -> String {
    let letters =
        text.to_lowercase().chars().map(|c| if c.is_ascii_lowercase() { c } else { '_' }).collect::<String>();
    collapsed(&letters)
}

fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    out
}

/// Which tool a name stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    tools: BTreeMap<String, (String, String)>,
    pub collisions: Vec<Collision>,
}

/// Two tools with one name. The later one has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    pub name: String,
    /// Server and tool.
    pub hidden: (String, String),
    pub used: (String, String),
}

impl std::fmt::Display for Collision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, hidden, used } = self;
        write!(f, "{name}: the tool {} of {} is hidden by {} of {}", hidden.1, hidden.0, used.1, used.0)
    }
}

impl Names {
    /// Names tools in their order.
    pub fn assign<'t>(tools: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let mut names = Self::default();
        for (server, tool) in tools {
            let name = tool_name(server, tool);
            let used = (server.to_owned(), tool.to_owned());
            if let Some(hidden) = names.tools.insert(name.clone(), used.clone()) {
                names.collisions.push(Collision { name, hidden, used });
            }
        }
        names
    }

    /// Server and tool of a name.
    pub fn get(&self, name: &str) -> Option<(&str, &str)> {
        self.tools.get(name).map(|(server, tool)| (server.as_str(), tool.as_str()))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.tools.iter().map(|(name, (server, tool))| (name.as_str(), server.as_str(), tool.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: EXT-089

    #[test]
    fn names() {
        let table = [
            ("github", "create_issue", "mcp__github_create_issue"),
            ("GitHub", "github_create_issue", "mcp__github_create_issue"),
            ("my-server", "do.it", "mcp__my_server_do_it"),
            ("my.server", "do--it", "mcp__my_server_do_it"),
            ("s3", "get2things", "mcp__s_get_things"),
            ("a", "a", "mcp__a_a"),
            ("a", "a_", "mcp__a_a_"),
            ("a", "a_a_b", "mcp__a_a_b"),
            ("ünï", "çö\x1b[31m", "mcp___n_m"),
        ];
        for (server, tool, name) in table {
            assert_eq!(tool_name(server, tool), name, "{server} {tool}");
        }
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let long = "x".repeat(100);
        let (one, other) = (tool_name(&long, "a"), tool_name(&long, "b"));
        assert!(one != other && one.len() <= 64 && one.starts_with("mcp__xxx"), "{one} {other}");
    }

    #[test]
    fn other_spellings() {
        let name = tool_name("my-server", "my_server_run");
        for spelling in ["mcp__my-server__my_server_run", "mcp__my_server_run", "mcp__my_server__run"] {
            assert_eq!(canonical(spelling).as_deref(), Some(name.as_str()), "{spelling}");
        }
        assert_eq!(canonical("bash"), None);
    }

    // proves: EXT-090
    #[test]
    fn the_last_of_equal_names_wins_and_the_other_is_named() {
        let names = Names::assign([("my-server", "t"), ("other", "t"), ("my.server", "t")]);
        assert_eq!(names.get("mcp__my_server_t"), Some(("my.server", "t")));
        assert_eq!(names.iter().count(), 2);
        let told: Vec<String> = names.collisions.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["mcp__my_server_t: the tool t of my-server is hidden by t of my.server"]);
    }
}
