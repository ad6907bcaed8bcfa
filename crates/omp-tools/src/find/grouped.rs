//! Paths as a tree of headings: cheaper to read than every path in full.

/// A directory among the results.
#[derive(Default)]
struct Node {
    /// Names right in it, in the order of the results.
    files: Vec<String>,
    /// Directories in it, in the order of their first result.
    children: Vec<(String, Node)>,
}

/// One `#` for each level; chains of directories with nothing else in them are one heading.
pub(super) fn grouped(paths: &[String]) -> String {
    let mut root = Node::default();
    for path in paths {
        let (is_directory, trimmed) = (path.ends_with('/'), path.trim_end_matches('/'));
        let (parents, name) = match trimmed.rsplit_once('/') {
            Some((parents, name)) => (parents, name),
            None => ("", trimmed),
        };
        let mut node = &mut root;
        // An absolute path keeps its slash in the first heading.
        let (root_slash, parents) = match parents.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", parents),
        };
        for (depth, part) in parents.split('/').filter(|part| !part.is_empty()).enumerate() {
            let slash = if depth == 0 { root_slash } else { "" };
            node = node.child(&format!("{slash}{part}"));
        }
        node.files.push(if is_directory { format!("{name}/") } else { name.to_owned() });
    }
    let mut rows = Vec::new();
    root.write(&mut rows, 0);
    rows.join("\n")
}

impl Node {
    fn child(&mut self, name: &str) -> &mut Self {
        let position = self.children.iter().position(|(known, _)| known == name);
        let position = position.unwrap_or_else(|| {
            self.children.push((name.to_owned(), Self::default()));
            self.children.len() - 1
        });
        &mut self.children[position].1
    }

    fn write(&self, rows: &mut Vec<String>, level: usize) {
        rows.extend(self.files.iter().cloned());
        for (name, child) in &self.children {
            let (mut path, mut node) = (name.clone(), child);
            while let ([], [(name, only)]) = (node.files.as_slice(), node.children.as_slice()) {
                path = format!("{path}/{name}");
                node = only;
            }
            rows.push(format!("{} {path}/", "#".repeat(level + 1)));
            node.write(rows, level + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn chains_are_one_heading() {
        let paths = ["a/b/c/x.rs", "top.rs", "a/b/c/y.rs", "a/z.rs", "d/e/f.rs", "d/e/g/", "/out/side.rs"];
        let shown = grouped(&paths.map(str::to_owned));
        assert_eq!(shown, "top.rs\n# a/\nz.rs\n## b/c/\nx.rs\ny.rs\n# d/e/\nf.rs\ng/\n# /out/\nside.rs");
    }
}
