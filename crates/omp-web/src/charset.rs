//! Bytes of a page as text: by the byte order mark, by what the server or the page says, or by what they look like.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// Where a page says its encoding, it says it early.
const PRESCAN: usize = 4 * 1024;
/// Letters beyond ASCII that are no accident.
const ENOUGH_LETTERS: usize = 8;

/// A page as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// What was wrong with it.
    pub(crate) note: Option<String>,
}

/// `declared` is what the server said.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>) -> Decoded {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return with(encoding, &bytes[length..]);
    }
    let said = declared.and_then(|label| encoding(label.as_bytes())).or_else(|| in_page(bytes));
    let valid = std::str::from_utf8(bytes);
    match (said, valid) {
        (Some(encoding), Ok(text)) if encoding != UTF_8 && is_plainly_utf8(text, encoding) => Decoded {
            text: text.to_owned(),
            note: Some(format!("The page declares {}, but it is UTF-8", encoding.name())),
        },
        (Some(encoding), _) if encoding != UTF_8 => with(encoding, bytes),
        (_, Ok(text)) => Decoded { text: text.to_owned(), note: None },
        // A character that was cut off at the end is no sign of another encoding.
        (_, Err(error)) if error.error_len().is_none() => {
            Decoded { text: String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(), note: None }
        }
        (_, Err(_)) => guess(bytes),
    }
}

/// Is a text that happens to be valid UTF-8 no text of the encoding that it names? In one of single bytes every byte is a
/// letter, so that it can be wrong without a trace; in one of two bytes a few letters may be letters in both.
fn is_plainly_utf8(text: &str, encoding: &'static Encoding) -> bool {
    let wide = text.chars().filter(|letter| !letter.is_ascii()).take(ENOUGH_LETTERS).count();
    let enough = if encoding.is_single_byte() { 1 } else { ENOUGH_LETTERS };
    encoding.is_ascii_compatible() && wide >= enough
}

/// The encoding of that name. A few names stand for a refusal to decode, which helps nobody.
fn encoding(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label)
}

fn with(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, errors) = encoding.decode_without_bom_handling(bytes);
    let note =
        errors.then(|| format!("Some bytes are not valid {} and are shown as U+FFFD", encoding.name()));
    Decoded { text: text.into_owned(), note }
}

/// Not UTF-8, whatever was said. Mostly broken UTF-8 stays what it is.
fn guess(bytes: &[u8]) -> Decoded {
    let (mut wide, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        wide += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if wide >= broken {
        return with(UTF_8, bytes);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let mut decoded = with(encoding, bytes);
    decoded.note = Some(format!("The page is not UTF-8; decoded as {} (a guess)", encoding.name()));
    decoded
}

/// `<meta charset=…>`, `<meta http-equiv=… content="…; charset=…">` or `<?xml encoding=…?>`.
fn in_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]).to_ascii_lowercase();
    let after = |text: &str, word: &str| {
        let rest = text.split_once(word)?.1.trim_start().strip_prefix('=')?.trim_start();
        let rest = rest.trim_start_matches(['"', '\'']);
        let end = rest.find(|letter: char| letter.is_whitespace() || "\"';>?/".contains(letter));
        encoding(&rest.as_bytes()[..end.unwrap_or(rest.len())])
    };
    let xml =
        head.trim_start().strip_prefix("<?xml").and_then(|rest| after(rest.split("?>").next()?, "encoding"));
    let meta = || {
        head.match_indices("<meta").find_map(|(at, _)| {
            let tag = head[at..].split('>').next()?;
            after(tag, "charset")
        })
    };
    let found = xml.or_else(meta)?;
    // It could not be read if it were.
    let wide = found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE;
    Some(if wide { UTF_8 } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], declared: Option<&str>) -> String {
        decode(bytes, declared).text
    }

    #[test]
    fn what_is_said_counts() {
        assert_eq!(text(b"caf\xe9", Some("iso-8859-1")), "café");
        assert_eq!(text(b"\x93\xfa\x96\x7b", Some("Shift_JIS")), "日本");
        assert_eq!(
            text(b"<meta charset='windows-1251'>\xef\xf0\xe8", None),
            "<meta charset='windows-1251'>при"
        );
        let old = b"<META http-equiv=Content-Type content=\"text/html; charset=koi8-r\">\xd0\xd2\xc9";
        assert!(text(old, None).ends_with("при"));
        assert!(text(b"<?xml version=\"1.0\" encoding=\"iso-8859-15\"?>\xa4", None).ends_with('€'));
    }

    #[test]
    fn marks_count_most() {
        assert_eq!(text(b"\xef\xbb\xbfcaf\xc3\xa9", Some("iso-8859-1")), "café");
        assert_eq!(text(b"\xff\xfea\0\xac\x20", None), "a€");
    }

    #[test]
    fn what_is_said_can_be_wrong() {
        let decoded = decode("naïve café".as_bytes(), Some("iso-8859-1"));
        assert_eq!(decoded.text, "naïve café");
        assert!(decoded.note.unwrap().contains("but it is UTF-8"));
        assert_eq!(text("é".as_bytes(), Some("no-such-charset")), "é");
        let guessed = decode(b"d\xe9j\xe0 vu, caf\xe9, ma\xf1ana, fa\xe7ade", Some("utf-8"));
        assert_eq!(guessed.text, "déjà vu, café, mañana, façade");
        assert!(guessed.note.unwrap().contains("guess"));
        assert_eq!(text(b"abc\xe2\x82", Some("utf-8")), "abc");
        assert_eq!(text("<meta charset=utf-16>é".as_bytes(), None), "<meta charset=utf-16>é");
    }

    #[test]
    fn broken_utf_8_stays_utf_8() {
        let decoded = decode(b"\xc3\xa9\xc3\xa9\xc3\xa9 \xff x", Some("utf-8"));
        assert_eq!(decoded.text, "ééé \u{fffd} x");
        assert!(decoded.note.is_some());
    }

    /// Some old encodings stand for nothing but a refusal.
    #[test]
    fn a_name_without_a_decoder_is_no_reason_to_show_nothing() {
        assert_eq!(text(b"plain words", Some("iso-2022-kr")), "plain words");
        assert_eq!(text("<meta charset=hz-gb-2312>é".as_bytes(), None), "<meta charset=hz-gb-2312>é");
    }

    /// Many pages in UTF-8 still say what their template said before.
    #[test]
    fn old_names_of_two_bytes_can_be_wrong_too() {
        let words = "这是一个很长的中文页面，写的是编码";
        for label in ["gb2312", "shift_jis", "euc-kr", "big5"] {
            let decoded = decode(words.as_bytes(), Some(label));
            assert_eq!(decoded.text, words, "{label}");
            assert!(decoded.note.unwrap().contains("but it is UTF-8"));
        }
        let (encoded, ..) = encoding_rs::GBK.encode(words);
        assert_eq!(decode(&encoded, Some("gb2312")), Decoded { text: words.to_owned(), note: None });
        // A few letters prove nothing: these bytes are letters in both.
        assert_eq!(text(b"\xc3\xa9", Some("gbk")), "茅");
    }
}
