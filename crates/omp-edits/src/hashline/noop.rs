//! An edit that changes nothing, again and again.

use std::collections::HashMap;

/// From this many on, the model is told to stop.
const LIMIT: usize = 3;

/// Counts edits of a file that changed nothing, with the same text, in a row.
#[derive(Debug, Default)]
pub struct NoopGuard {
    files: HashMap<String, (String, usize)>,
}

impl NoopGuard {
    /// The edit of a file changed nothing: what to answer, and whether it is an error now.
    pub fn unchanged(&mut self, path: &str, payload: &str) -> Result<String, String> {
        let (last, count) = self.files.entry(path.to_owned()).or_default();
        *count = if last == payload { *count + 1 } else { 1 };
        last.clear();
        last.push_str(payload);
        match *count {
            count if count >= LIMIT => Err(format!(
                "STOP. Edits to {path} have been a byte-identical no-op {count} times in a row. The file already \
                 holds this text. Read the lines around the place you mean, and find out what really differs."
            )),
            _ => Ok(format!(
                "Edits to {path} parsed and applied cleanly, but produced no change: the body row(s) are \
                 byte-identical to the file at the targeted lines. The cause is elsewhere: re-read the file before \
                 the next edit. Do NOT widen the payload or add lines; verify the anchor first."
            )),
        }
    }

    /// The edit of a file changed something.
    pub fn changed(&mut self, path: &str) {
        self.files.remove(path);
    }
}
