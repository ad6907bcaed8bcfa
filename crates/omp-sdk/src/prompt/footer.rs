//! Block 1: this machine, this project, today.

use std::path::{Path, PathBuf};

use super::{Section, SessionFacts, Size};

const CONTEXT: &str = include_str!("../../prompts/context.md");
const DIR_CONTEXT: &str = include_str!("../../prompts/dir-context.md");

pub(super) fn sections(place: &SessionFacts<'_>, size: Size) -> Vec<Section> {
    vec![
        Section::new("workstation", workstation(place.model)),
        Section::new("context files", context(&place.context, size)),
        Section::new("directory context", subdirectories(place.cwd, place.subdirectories)),
        Section::new("workspace tree", place.tree.as_deref().map(tree).unwrap_or_default()),
        Section::new("place", here(place)),
    ]
}

fn here(place: &SessionFacts<'_>) -> String {
    let mut text = format!("Date: {}\nWorking directory: {}", place.today, place.cwd.display());
    if !place.roots.is_empty() {
        text.push_str("\nThe workspace also includes:");
        place.roots.iter().for_each(|root| text.push_str(&format!("\n- {}", root.display())));
    }
    text
}

fn workstation(model: Option<&str>) -> String {
    let mut text = format!("# Workspace\nPlatform: {} ({})", std::env::consts::OS, std::env::consts::ARCH);
    if let Some(model) = model {
        text.push_str(&format!("\nModel: {model}"));
    }
    text
}

fn context(files: &[(&Path, &str)], size: Size) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut text = format!("<context>\n{CONTEXT}");
    let mut left = size.context_files;
    for (path, content) in files {
        let content = content.trim_end();
        let limit = size.context_file.min(left);
        let shown = head(content, limit);
        left -= shown.len();
        text.push_str(&format!("<file path=\"{}\">\n{shown}", attribute(path)));
        if shown.len() < content.len() {
            let rest = content.len() - shown.len();
            text.push_str(&format!("\n[{rest} more bytes omitted; read the file for the rest]"));
        }
        text.push_str("\n</file>\n");
    }
    text.push_str("</context>");
    text
}

/// As much of the start as fits, in whole lines where there are any.
fn head(content: &str, limit: usize) -> &str {
    if content.len() <= limit {
        return content;
    }
    let mut end = limit;
    while !content.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &content[..end];
    cut.rsplit_once('\n').map_or(cut, |(lines, _)| lines)
}

/// A path inside quotation marks.
fn attribute(path: &Path) -> String {
    let path = path.to_string_lossy();
    path.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace(['\n', '\r'], " ")
}

fn subdirectories(cwd: &Path, files: &[PathBuf]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let lines: Vec<String> =
        files.iter().map(|file| format!("- {}", attribute(file.strip_prefix(cwd).unwrap_or(file)))).collect();
    format!("<dir-context>\n{DIR_CONTEXT}{}\n</dir-context>", lines.join("\n"))
}

fn tree(lines: &str) -> String {
    format!("<workspace-tree>\n{lines}\n</workspace-tree>")
}
