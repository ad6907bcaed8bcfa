//! What kind of file it is, by its first bytes.

use crate::text::Charset;

/// How many bytes of a file decide.
pub const HEAD: usize = 8 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
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
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', rest @ ..] if !are_words(rest) => Some(Self::Gif),
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

/// Do letters follow where a picture has its size? Somebody may write about such files.
fn are_words(rest: &[u8]) -> bool {
    const SIZE: usize = 7;
    rest.get(..SIZE)
        .is_some_and(|size| size.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')))
}

/// Text has hardly any control characters; of data that is packed or encrypted they are a tenth.
const CONTROLS_IN_A_THOUSAND: usize = 30;

/// Names for what people are likely to meet.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"PK\x05\x06", "empty ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh11AY&SY", "bzip2 archive"),
    (b"BZh21AY&SY", "bzip2 archive"),
    (b"BZh31AY&SY", "bzip2 archive"),
    (b"BZh41AY&SY", "bzip2 archive"),
    (b"BZh51AY&SY", "bzip2 archive"),
    (b"BZh61AY&SY", "bzip2 archive"),
    (b"BZh71AY&SY", "bzip2 archive"),
    (b"BZh81AY&SY", "bzip2 archive"),
    (b"BZh91AY&SY", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (b"\x04\x22\x4d\x18", "LZ4 archive"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"8BPS\0", "Photoshop image"),
    (b"\0\0\x01\0", "icon"),
    (b"\xff\x0a", "JPEG XL image"),
    (b"\0\0\0\x0cJXL ", "JPEG XL image"),
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
pub fn kind(head: &[u8]) -> FileKind {
    if let Some(image) = ImageKind::detect(head) {
        return FileKind::Image(image);
    }
    if head.starts_with(b"SQLite format 3\0") {
        return FileKind::Sqlite;
    }
    if let Some(name) = certain(head) {
        return FileKind::Binary(name);
    }
    let charset = Charset::detect(head);
    let is_data = match charset {
        Charset::Utf8 => memchr::memchr(0, head).is_some() || is_packed(head),
        Charset::Legacy(_) => is_packed(head),
        _ => false,
    };
    if is_data { FileKind::Binary(binary_name(head)) } else { FileKind::Text(charset) }
}

/// The name of what no text can begin with. A short file of such a kind may have no byte that gives it away.
fn certain(head: &[u8]) -> Option<&'static str> {
    let unlike_text = |magic: &[u8]| {
        magic.iter().any(|byte| !matches!(byte, b' '..=b'~' | b'\n')) || magic.starts_with(b"BZh")
    };
    let (magic, name) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic))?;
    (unlike_text(magic) || *magic == b"%PDF-").then_some(name)
}

/// Not UTF-8, and more control characters than anybody writes.
fn is_packed(head: &[u8]) -> bool {
    if std::str::from_utf8(head).is_ok() {
        return false;
    }
    let written = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1a | 0x1b);
    let controls = head.iter().filter(|byte| **byte < b' ' && !written(byte)).count();
    controls * 1000 > head.len() * CONTROLS_IN_A_THOUSAND
}

fn binary_name(head: &[u8]) -> &'static str {
    if head.get(257..262) == Some(b"ustar") {
        return "tar archive";
    }
    if head.get(4..8) == Some(b"ftyp") {
        return match head.get(8..12) {
            Some(b"heic" | b"heix" | b"hevc" | b"heim" | b"heis" | b"mif1" | b"msf1") => "HEIC image",
            Some(b"avif" | b"avis") => "AVIF image",
            _ => "MP4 media",
        };
    }
    MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map_or("unknown type", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_its_encodings() {
        assert_eq!(kind(b""), FileKind::Text(Charset::Utf8));
        assert_eq!(kind(b"plain\n"), FileKind::Text(Charset::Utf8));
        assert_eq!(kind(b"caf\xe9\n"), FileKind::Text(Charset::Legacy(encoding_rs::WINDOWS_1252)));
        assert_eq!(kind(b"\xef\xbb\xbfx"), FileKind::Text(Charset::Utf8Bom));
        assert_eq!(kind(b"\xff\xfea\0"), FileKind::Text(Charset::Utf16Le));
        assert_eq!(kind(b"\xfe\xff\0a"), FileKind::Text(Charset::Utf16Be));
    }

    #[test]
    fn binary_with_and_without_a_name() {
        assert_eq!(kind(b"a\0b"), FileKind::Binary("unknown type"));
        assert_eq!(kind(b"\x7fELF\x02\x01\x01\0"), FileKind::Binary("ELF executable"));
        assert_eq!(kind(b"%PDF-1.7\n"), FileKind::Binary("PDF document"));
        assert_eq!(kind(b"SQLite format 3\0\x10"), FileKind::Sqlite);
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(kind(&tar), FileKind::Binary("tar archive"));
    }

    #[test]
    fn short_data_without_a_zero_is_data() {
        assert_eq!(kind(b"BZh91AY&SY\xa1\xb2\xc3"), FileKind::Binary("bzip2 archive"));
        assert_eq!(kind(b"\x1f\x8b\x08\x08\xa1\xb2\xc3\xd4"), FileKind::Binary("gzip archive"));
        assert_eq!(kind(b"\x28\xb5\x2f\xfd\x24\x05\x29"), FileKind::Binary("Zstandard archive"));
        let packed: Vec<u8> = (1..=255).cycle().take(2000).collect();
        assert_eq!(kind(&packed), FileKind::Binary("unknown type"));
        // Words, escape codes and a form feed are still words.
        assert_eq!(kind(b"BZh is how such files begin"), FileKind::Text(Charset::Utf8));
        assert!(matches!(
            kind(b"\x1b[31mrouge\x1b[0m\x0c d\xe9j\xe0 vu\n"),
            FileKind::Text(Charset::Legacy(_))
        ));
    }

    #[test]
    fn pictures_that_cannot_be_loaded_are_named() {
        let media = |brand: &[u8]| kind(&[b"\0\0\0\x18ftyp", brand, b"\0\0\0\0"].concat());
        assert_eq!(media(b"heic"), FileKind::Binary("HEIC image"));
        assert_eq!(media(b"avif"), FileKind::Binary("AVIF image"));
        assert_eq!(media(b"isom"), FileKind::Binary("MP4 media"));
        assert_eq!(kind(b"II*\0\x08\0\0\0"), FileKind::Binary("TIFF image"));
    }

    #[test]
    fn a_sentence_that_begins_with_bm_is_no_picture() {
        assert_eq!(kind(b"BM25 ranks documents by terms"), FileKind::Text(Charset::Utf8));
    }
}
