//! Reading a unified difference.

/// Rows of a difference that are kept.
const MAX_ROWS: usize = 20_000;

/// What happened to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Its name, as the header says.
    pub path: String,
    /// The places that changed.
    pub hunks: Vec<Hunk>,
}

/// One place that changed, with the lines around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The lines in order.
    pub rows: Vec<Row>,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What became of it.
    pub kind: DiffRowKind,
    /// Its number in the text it stands in: the old one for removed lines, else the new one.
    pub number: usize,
    /// Its text without the line end.
    pub text: String,
    /// Whether it ended with a carriage return.
    pub returns: bool,
    /// Whether it is the last line and has no end.
    pub unended: bool,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffRowKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is as before.
    Context,
}

pub(super) fn parse(unified: &str) -> Vec<FileDiff> {
    let mut reader = Reader::default();
    for line in unified.split('\n') {
        reader.line(line);
    }
    reader.files
}

#[derive(Default)]
struct Reader {
    files: Vec<FileDiff>,
    old: usize,
    new: usize,
    /// Lines of the current hunk that are still to come, in the old and the new text.
    left: (usize, usize),
    rows: usize,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.rows >= MAX_ROWS {
            return;
        }
        if let Some(note) = line.strip_prefix('\\') {
            let last = self.files.last_mut().and_then(|file| file.hunks.last_mut()?.rows.last_mut());
            last.into_iter().for_each(|row| row.unended = note.contains("newline"));
            return;
        }
        if self.left == (0, 0) {
            return self.header(line);
        }
        match line.split_at_checked(1) {
            Some(("+", text)) => self.row(DiffRowKind::Added, text),
            Some(("-", text)) => self.row(DiffRowKind::Removed, text),
            Some((" ", text)) => self.row(DiffRowKind::Context, text),
            // Some programs drop the blank before an empty line.
            None => self.row(DiffRowKind::Context, ""),
            Some(_) => self.left = (0, 0),
        }
    }

    fn header(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name);
            let path = name.strip_prefix("b/").unwrap_or(name).to_owned();
            match self.files.last_mut() {
                Some(last) if last.hunks.is_empty() => {
                    // A deleted file is named by its old name.
                    if path != "/dev/null" {
                        last.path = path;
                    }
                }
                _ => self.files.push(FileDiff { path, hunks: Vec::new() }),
            }
        } else if let Some(name) = line.strip_prefix("--- ") {
            let name = name.split('\t').next().unwrap_or(name);
            let path = name.strip_prefix("a/").unwrap_or(name).to_owned();
            self.files.push(FileDiff { path, hunks: Vec::new() });
        } else if let Some((old, new)) = ranges(line) {
            if self.files.is_empty() {
                self.files.push(FileDiff::default());
            }
            self.old = old.0;
            self.new = new.0;
            self.left = (old.1, new.1);
            self.files.last_mut().into_iter().for_each(|file| file.hunks.push(Hunk::default()));
        }
    }

    fn row(&mut self, kind: DiffRowKind, text: &str) {
        let number = match kind {
            DiffRowKind::Removed => self.old,
            _ => self.new,
        };
        if kind != DiffRowKind::Added {
            self.old += 1;
            self.left.0 = self.left.0.saturating_sub(1);
        }
        if kind != DiffRowKind::Removed {
            self.new += 1;
            self.left.1 = self.left.1.saturating_sub(1);
        }
        let returns = text.ends_with('\r');
        let text = text.strip_suffix('\r').unwrap_or(text).to_owned();
        self.rows += 1;
        let hunk = self.files.last_mut().and_then(|file| file.hunks.last_mut());
        hunk.into_iter().for_each(|hunk| {
            hunk.rows.push(Row { kind, number, text: text.clone(), returns, unended: false });
        });
    }
}

/// Start and length of both sides of `@@ -1,3 +1,4 @@`.
fn ranges(line: &str) -> Option<((usize, usize), (usize, usize))> {
    let inner = line.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = inner.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, length.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}
