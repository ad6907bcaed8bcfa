//! Line ends of a terminal as line ends of a text.

/// Turns CR LF and lone CR into LF. The result does not depend on how the bytes were cut into chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Normalizer {
    /// A carriage return has come, and it is not known yet what follows it.
    returned: bool,
}

impl Normalizer {
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 1);
        for byte in bytes {
            match byte {
                b'\r' => self.returned = true, // Several of them are one: the terminal adds its own.
                b'\n' => {
                    self.returned = false;
                    out.push(b'\n');
                }
                byte => {
                    if std::mem::take(&mut self.returned) {
                        out.push(b'\n');
                    }
                    out.push(*byte);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Normalizer;

    #[test]
    fn every_line_end_becomes_one_newline() {
        let text = b"a\r\nb\rc\r\r\nd\n\ne\r";
        let whole = Normalizer::default().push(text);
        assert_eq!(String::from_utf8(whole.clone()).unwrap(), "a\nb\nc\nd\n\ne");
        for size in 1..text.len() {
            let mut normalizer = Normalizer::default();
            let pieces: Vec<u8> = text.chunks(size).flat_map(|chunk| normalizer.push(chunk)).collect();
            assert_eq!(pieces, whole, "in pieces of {size}");
        }
    }
}
