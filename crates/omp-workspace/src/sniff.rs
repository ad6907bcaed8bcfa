//! What kind of file it is, by its first bytes.

use crate::text::Charset;

/// How many bytes of a file decide.
pub const HEAD: usize = 8 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text(Charset),
    Image(ImageKind),
    Sqlite,
    /// Anything else, with a name for people.
    Binary(&'static str),
}

/// Picture formats that can be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    Png,
    Jpeg,
    Gif,
    Webp,
    Bmp,
}

impl ImageKind {
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Bmp => "image/bmp",
        }
    }

    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            // Two letters are a weak sign; the size of the following header makes it one.
            [b'B', b'M', ..]
                if matches!(head.get(14..18), Some([12 | 40 | 52 | 56 | 108 | 124, 0, 0, 0])) =>
            {
                Some(Self::Bmp)
            }
            _ => None,
        }
    }
}

/// Names for what people are likely to meet.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"PK\x05\x06", "empty ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\x7fELF", "ELF executable"),
    (b"MZ", "Windows executable"),
    (b"\xcf\xfa\xed\xfe", "Mach-O executable"),
    (b"\xca\xfe\xba\xbe", "Java class or universal binary"),
    (b"\0asm", "WebAssembly module"),
    (b"!<arch>\n", "static library"),
    (b"\xd0\xcf\x11\xe0", "Microsoft Office document"),
    (b"{\\rtf", "RTF document"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"\x1a\x45\xdf\xa3", "Matroska video"),
    (b"wOFF", "web font"),
    (b"wOF2", "web font"),
];

/// Judges a file by its `head`, the first [`HEAD`] bytes or all of them.
pub fn kind(head: &[u8]) -> Kind {
    if let Some(image) = ImageKind::detect(head) {
        return Kind::Image(image);
    }
    if head.starts_with(b"SQLite format 3\0") {
        return Kind::Sqlite;
    }
    let charset = Charset::detect(head);
    let has_nul = memchr::memchr(0, head).is_some();
    if charset == Charset::Utf8 && (has_nul || head.starts_with(b"%PDF-")) {
        return Kind::Binary(binary_name(head));
    }
    Kind::Text(charset)
}

fn binary_name(head: &[u8]) -> &'static str {
    if head.get(257..262) == Some(b"ustar") {
        return "tar archive";
    }
    if matches!(head.get(4..8), Some(b"ftyp")) {
        return "MP4 or HEIF media";
    }
    MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map_or("unknown type", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_its_encodings() {
        assert_eq!(kind(b""), Kind::Text(Charset::Utf8));
        assert_eq!(kind(b"plain\n"), Kind::Text(Charset::Utf8));
        assert_eq!(kind(b"caf\xe9\n"), Kind::Text(Charset::Legacy(encoding_rs::WINDOWS_1252)));
        assert_eq!(kind(b"\xef\xbb\xbfx"), Kind::Text(Charset::Utf8Bom));
        assert_eq!(kind(b"\xff\xfea\0"), Kind::Text(Charset::Utf16Le));
        assert_eq!(kind(b"\xfe\xff\0a"), Kind::Text(Charset::Utf16Be));
    }

    #[test]
    fn binary_with_and_without_a_name() {
        assert_eq!(kind(b"a\0b"), Kind::Binary("unknown type"));
        assert_eq!(kind(b"\x7fELF\x02\x01\x01\0"), Kind::Binary("ELF executable"));
        assert_eq!(kind(b"%PDF-1.7\n"), Kind::Binary("PDF document"));
        assert_eq!(kind(b"SQLite format 3\0\x10"), Kind::Sqlite);
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(kind(&tar), Kind::Binary("tar archive"));
    }

    #[test]
    fn a_sentence_that_begins_with_bm_is_no_picture() {
        assert_eq!(kind(b"BM25 ranks documents by terms"), Kind::Text(Charset::Utf8));
    }
}
