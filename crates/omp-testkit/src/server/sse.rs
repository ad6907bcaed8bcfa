//! Writing an event stream into one buffer.

/// A rendered body: its bytes and where each event ends in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) bytes: Vec<u8>,
    pub(crate) event_ends: Vec<usize>,
}

impl Rendered {
    /// Bytes made by hand; events are found by their blank lines.
    pub(crate) fn from_raw(bytes: Vec<u8>) -> Self {
        let mut event_ends = Vec::new();
        for offset in 1..=bytes.len() {
            let seen = &bytes[..offset];
            if seen.ends_with(b"\n\n") || seen.ends_with(b"\r\n\r\n") {
                event_ends.push(offset);
            }
        }
        Self { bytes, event_ends }
    }
}

/// Appends events. The hot path (one delta) is a few copies and one JSON escape, no allocation.
pub(crate) struct Sse {
    out: Rendered,
    end_of_line: &'static str,
    comments: bool,
}

impl Sse {
    pub(crate) fn new(crlf: bool, comments: bool) -> Self {
        Self { out: Rendered::default(), end_of_line: if crlf { "\r\n" } else { "\n" }, comments }
    }

    /// Makes room for `count` events like a delta around `bytes` bytes of text.
    pub(crate) fn reserve(&mut self, count: usize, bytes: usize) {
        self.out.bytes.reserve(count.saturating_mul(bytes));
        self.out.event_ends.reserve(count);
    }

    /// An event without a name.
    pub(crate) fn data(&mut self, data: &impl serde::Serialize) {
        self.open(None);
        serde_json::to_writer(&mut self.out.bytes, data).expect("JSON values can be written");
        self.close();
    }

    /// An event with a name.
    pub(crate) fn event(&mut self, name: &str, data: &impl serde::Serialize) {
        self.open(Some(name));
        serde_json::to_writer(&mut self.out.bytes, data).expect("JSON values can be written");
        self.close();
    }

    /// An event whose data is `before`, `text` as a JSON string, `after`.
    pub(crate) fn delta(&mut self, name: Option<&str>, before: &str, text: &str, after: &str) {
        self.open(name);
        self.out.bytes.extend_from_slice(before.as_bytes());
        serde_json::to_writer(&mut self.out.bytes, text).expect("strings can be written");
        self.out.bytes.extend_from_slice(after.as_bytes());
        self.close();
    }

    /// An event whose data is not JSON.
    pub(crate) fn literal(&mut self, data: &str) {
        self.open(None);
        self.out.bytes.extend_from_slice(data.as_bytes());
        self.close();
    }

    pub(crate) fn wants_comments(&self) -> bool {
        self.comments
    }

    pub(crate) fn finish(self) -> Rendered {
        self.out
    }

    fn open(&mut self, name: Option<&str>) {
        if self.comments {
            self.line(": ping");
            self.line("");
        }
        if let Some(name) = name {
            self.out.bytes.extend_from_slice(b"event: ");
            self.line(name);
        }
        self.out.bytes.extend_from_slice(b"data: ");
    }

    fn close(&mut self) {
        self.line("");
        self.line("");
        self.out.event_ends.push(self.out.bytes.len());
    }

    fn line(&mut self, text: &str) {
        self.out.bytes.extend_from_slice(text.as_bytes());
        self.out.bytes.extend_from_slice(self.end_of_line.as_bytes());
    }
}
