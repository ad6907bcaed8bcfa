//! What a server says that it sends, and what the bytes say.

/// The `content-type` of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContentType {
    /// In lower case, without parameters; empty if nothing was said.
    pub(crate) essence: String,
    pub(crate) charset: Option<String>,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Html,
    Json,
    /// Feeds, and XML that may be one.
    Xml,
    Markdown,
    Text,
    Picture,
    Document,
    /// The bytes have to tell.
    Unknown,
}

impl ContentType {
    pub(crate) fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
        });
        Self { essence, charset }
    }

    /// Is it text whose letters take two bytes, one of which is mostly zero?
    pub(crate) fn is_wide(&self) -> bool {
        let says = |charset: &str| charset.get(..6).is_some_and(|name| name.eq_ignore_ascii_case("utf-16"));
        self.charset.as_deref().is_some_and(says)
    }

    pub(crate) fn family(&self) -> Family {
        match self.essence.as_str() {
            "text/html" | "application/xhtml+xml" => Family::Html,
            "text/markdown" | "text/x-markdown" => Family::Markdown,
            "application/json" | "text/json" | "application/x-ndjson" => Family::Json,
            "application/xml" | "text/xml" => Family::Xml,
            "application/javascript"
            | "application/x-javascript"
            | "application/ecmascript"
            | "application/toml"
            | "application/yaml"
            | "application/x-yaml"
            | "application/x-sh"
            | "application/sql"
            | "application/graphql"
            | "image/svg+xml" => Family::Text,
            kind if kind.ends_with("+json") => Family::Json,
            kind if kind.ends_with("+xml") => Family::Xml,
            kind if kind.ends_with("+yaml") => Family::Text,
            kind if kind.starts_with("text/") => Family::Text,
            kind if kind.starts_with("image/") => Family::Picture,
            kind if document_extension(kind).is_some() => Family::Document,
            _ => Family::Unknown,
        }
    }
}

/// Documents by their content type, as the extension that their files have.
const DOCUMENTS: &[(&str, &str)] = &[
    ("application/pdf", "pdf"),
    ("application/x-pdf", "pdf"),
    ("application/msword", "doc"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.ms-powerpoint", "ppt"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/rtf", "rtf"),
    ("application/epub+zip", "epub"),
];

fn document_extension(essence: &str) -> Option<&'static str> {
    DOCUMENTS.iter().find(|(kind, _)| *kind == essence).map(|(_, extension)| *extension)
}

/// The extension of the document that an address names.
pub(crate) fn extension_of_path(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    DOCUMENTS.iter().map(|(_, known)| *known).find(|known| extension.eq_ignore_ascii_case(known))
}

/// Which document it is: by its content type, else by its first bytes and its address.
pub(crate) fn document(kind: &ContentType, path: &str, bytes: &[u8]) -> Option<&'static str> {
    let named = extension_of_path(path);
    let magic = match bytes {
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("pdf"),
        [b'{', b'\\', b'r', b't', b'f', ..] => Some("rtf"),
        // Both are containers of many kinds, so the address has to help.
        [b'P', b'K', 3, 4, ..] => named.filter(|name| matches!(*name, "docx" | "pptx" | "xlsx" | "epub")),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => named.filter(|name| matches!(*name, "doc" | "ppt" | "xls")),
        _ => None,
    };
    document_extension(&kind.essence).or(magic)
}

/// Is it a picture that models can be shown?
pub(crate) fn is_picture(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..]
            | [0xff, 0xd8, 0xff, ..]
            | [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..]
            | [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..]
    )
}

/// Bytes that no text has, but UTF-16 that says so at its start.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(8 * 1024)];
    let marked = matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let odd = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x08);
    !marked && (head.contains(&0) || head.iter().filter(odd).count() * 20 > head.len())
}

/// Does a text without a content type look like a page?
pub(crate) fn looks_like_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(64).collect::<String>().to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body", "<!--"].iter().any(|sign| start.starts_with(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types() {
        let parsed = ContentType::parse("Text/HTML; boundary=x; Charset=\"ISO-8859-1\"");
        assert_eq!((parsed.essence.as_str(), parsed.charset.as_deref()), ("text/html", Some("ISO-8859-1")));
        assert_eq!(ContentType::parse(""), ContentType::default());
        let family = |header| ContentType::parse(header).family();
        assert_eq!(family("application/ld+json"), Family::Json);
        assert_eq!(family("application/atom+xml"), Family::Xml);
        assert_eq!(family("image/svg+xml"), Family::Text);
        assert_eq!(family("image/png"), Family::Picture);
        assert_eq!(family("application/pdf"), Family::Document);
        assert_eq!(family("text/css"), Family::Text);
        assert_eq!(family("application/octet-stream"), Family::Unknown);
        assert_eq!(family(""), Family::Unknown);
    }

    #[test]
    fn documents_by_name_and_bytes() {
        let unknown = ContentType::parse("application/octet-stream");
        assert_eq!(document(&unknown, "/a", b"%PDF-1.7"), Some("pdf"));
        assert_eq!(document(&unknown, "/a.DOCX", b"PK\x03\x04"), Some("docx"));
        assert_eq!(document(&unknown, "/a.jar", b"PK\x03\x04"), None);
        assert_eq!(document(&unknown, "/a.pdf", b"<html>"), None);
        assert_eq!(document(&ContentType::parse("application/msword"), "/x", b""), Some("doc"));
    }

    #[test]
    fn binary_and_text() {
        assert!(is_binary(b"\x7fELF\x02\x01\0"));
        assert!(is_binary(&[1, 2, 3, 4]));
        assert!(!is_binary(b"plain\n\ttext"));
        assert!(!is_binary(b""));
        assert!(!is_binary(b"\xff\xfea\0"));
    }
}
