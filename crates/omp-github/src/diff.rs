//! A unified diff of many files, taken apart.

/// The part of a diff that is about one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileDiff<'a> {
    pub(crate) name: &'a str,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    /// Everything from `diff --git` on.
    pub(crate) text: &'a str,
}

/// The files of a diff in their order. Only headers begin with `diff --git`: lines of files have a sign before them.
pub(crate) fn files(diff: &str) -> Vec<FileDiff<'_>> {
    let begins = |at: usize| at == 0 || diff.as_bytes()[at - 1] == b'\n';
    let mut starts: Vec<usize> =
        diff.match_indices("diff --git ").map(|(at, _)| at).filter(|at| begins(*at)).collect();
    starts.push(diff.len());
    starts.windows(2).map(|pair| describe(&diff[pair[0]..pair[1]])).collect()
}

fn describe(text: &str) -> FileDiff<'_> {
    let mut head = text.lines().take_while(|line| !line.starts_with("@@"));
    let name = head.find_map(|line| {
        let named = line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("rename to "));
        named.or_else(|| line.strip_prefix("--- a/").filter(|_| text.contains("\n+++ /dev/null")))
    });
    let body = || text.lines().skip_while(|line| !line.starts_with("@@"));
    FileDiff {
        name: name.unwrap_or_else(|| from_header(text)).trim_end(),
        added: body().filter(|line| line.starts_with('+')).count(),
        removed: body().filter(|line| line.starts_with('-')).count(),
        text,
    }
}

/// `diff --git a/x b/x` is all that an empty file, a binary file or a change of mode has.
fn from_header(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.rsplit_once(" b/").map_or(line, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,3 @@\n \
        x\n-old\n+new\n+++ more\n+diff --git a/y b/y\ndiff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n\
        +++ /dev/null\n@@ -1 +0,0 @@\n-bye\ndiff --git a/from b/to here\nsimilarity index 100%\nrename from from\n\
        rename to to here\ndiff --git a/pic.png b/pic.png\nBinary files differ\n";

    #[test]
    fn files_of_a_diff() {
        let found = files(DIFF);
        let shown: Vec<_> = found.iter().map(|file| (file.name, file.added, file.removed)).collect();
        assert_eq!(shown, [("src/a.rs", 3, 1), ("gone", 0, 1), ("to here", 0, 0), ("pic.png", 0, 0)]);
        assert_eq!(found.iter().map(|file| file.text).collect::<String>(), DIFF);
        assert!(files("").is_empty());
    }
}
