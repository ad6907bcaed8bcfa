//! Plans as bytes: written by the parent, read without allocating by the child.

/// Writes the operands of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_ne_bytes());
    }

    /// Bytes with their length before them.
    pub(crate) fn block(&mut self, block: &[u8]) {
        self.number(block.len() as u64);
        self.0.extend_from_slice(block);
    }

    /// A text that system calls can be given: it ends in NUL.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64 + 1);
        self.0.extend_from_slice(text);
        self.byte(0);
    }
}

/// Reads them. Every step says whether there was something left.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'p>(pub(crate) &'p [u8]);

impl<'p> Reader<'p> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*bytes))
    }

    pub(crate) fn block(&mut self) -> Option<&'p [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (block, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(block)
    }

    /// A text that ends in NUL, with it.
    pub(crate) fn text(&mut self) -> Option<&'p std::ffi::CStr> {
        std::ffi::CStr::from_bytes_with_nul(self.block()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        writer.byte(7);
        writer.number(u64::MAX);
        writer.text(b"/a b");
        writer.block(b"\0\x01");
        let mut reader = Reader(&writer.0);
        assert_eq!((reader.byte(), reader.number()), (Some(7), Some(u64::MAX)));
        assert_eq!((reader.text(), reader.block()), (Some(c"/a b"), Some(b"\0\x01".as_slice())));
        assert_eq!(reader.byte(), None);
        let cut = &writer.0[..writer.0.len() - 1];
        let mut reader = Reader(cut);
        reader.byte();
        reader.number();
        reader.text();
        assert_eq!(reader.block(), None, "a cut plan is noticed");
    }
}
