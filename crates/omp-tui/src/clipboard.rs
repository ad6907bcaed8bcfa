//! Pastes of every kind (OSC 5522): the terminal says what the clipboard holds, we ask for the best of it, and it sends that.
//!
//! A terminal in this mode announces a paste by the kinds of content there are, without the content. A request names one
//! kind, with the password of the announcement, and the content comes in pieces.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The mode in which pastes are announced so.
pub const MODE: u16 = 5522;
/// Turns it on.
pub(crate) const ON: &[u8] = b"\x1b[?5522h";
/// Turns it off.
pub(crate) const OFF: &[u8] = b"\x1b[?5522l";

/// No paste is larger.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// So many kinds are looked at.
const MOST_KINDS: usize = 100;
/// Kinds of pictures, the best first.
const PICTURES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"];
/// What such a request is called, where the terminal asks its user.
const REASON: &str = "Paste event";

/// What was pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pasted {
    /// Text.
    Text(String),
    /// A picture, as a file.
    Picture(Vec<u8>),
}

/// What follows from a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet.
    Nothing,
    /// These bytes are to be written.
    Ask(Vec<u8>),
    /// The paste is complete.
    Pasted(Pasted),
}

/// Puts packets together.
#[derive(Debug, Default)]
pub struct Reader {
    /// The kinds that were announced.
    kinds: Vec<String>,
    /// Lets us read what was announced, once.
    password: Option<String>,
    /// The kind that comes, and what has come of it.
    kind: Option<String>,
    content: Vec<u8>,
    /// A request is under way.
    asked: bool,
}

impl Reader {
    /// Takes a packet: what stands behind `5522;`.
    pub fn packet(&mut self, packet: &str) -> Step {
        let (fields, payload) = packet.split_once(';').unwrap_or((packet, ""));
        let field =
            |name: &str| fields.split(':').find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
        if field("type") != Some("read") {
            return Step::Nothing;
        }
        match field("status") {
            Some("OK") => {
                let asked = self.asked;
                *self = Self { asked, password: field("pw").map(str::to_owned), ..Self::default() };
                Step::Nothing
            }
            Some("DATA") => {
                let kind = field("mime").and_then(decoded).and_then(|kind| String::from_utf8(kind).ok());
                self.data(kind.unwrap_or_default(), payload);
                Step::Nothing
            }
            Some("DONE") => self.done(),
            // Refused, or not understood.
            _ => {
                *self = Self::default();
                Step::Nothing
            }
        }
    }

    fn data(&mut self, kind: String, payload: &str) {
        if kind.is_empty() {
            return;
        }
        if payload.is_empty() && !self.asked {
            if self.kinds.len() < MOST_KINDS {
                self.kinds.push(kind);
            }
            return;
        }
        let piece = decoded(payload).unwrap_or_default();
        // The first kind that comes is the one that counts.
        let known = self.kind.get_or_insert_with(|| kind.clone());
        if *known == kind && self.content.len() + piece.len() <= MOST_BYTES {
            self.content.extend(piece);
        }
    }

    fn done(&mut self) -> Step {
        let Self { kinds, password, kind, content, .. } = std::mem::take(self);
        match kind {
            Some(_) if content.is_empty() => Step::Nothing,
            Some(kind) if kind.starts_with("image/") => Step::Pasted(Pasted::Picture(content)),
            Some(_) => Step::Pasted(Pasted::Text(String::from_utf8_lossy(&content).into_owned())),
            None => match best(&kinds) {
                Some(kind) => {
                    self.asked = true;
                    Step::Ask(request(kind, password.as_deref()))
                }
                None => Step::Nothing,
            },
        }
    }
}

/// The kind to ask for: a picture before text.
fn best(kinds: &[String]) -> Option<&str> {
    let picture = PICTURES.into_iter().find(|picture| kinds.iter().any(|kind| kind == picture));
    picture.or_else(|| kinds.iter().map(String::as_str).find(|kind| kind.starts_with("text/plain")))
}

fn request(kind: &str, password: Option<&str>) -> Vec<u8> {
    let allowed = password.map(|password| format!(":pw={password}:name={}", STANDARD.encode(REASON)));
    format!("\x1b]5522;type=read{};{}\x1b\\", allowed.unwrap_or_default(), STANDARD.encode(kind)).into_bytes()
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(kinds: &[&str]) -> (Reader, Step) {
        let mut reader = Reader::default();
        assert_eq!(reader.packet("type=read:status=OK:pw=c2VjcmV0"), Step::Nothing);
        for kind in kinds {
            reader.packet(&format!("type=read:status=DATA:mime={}", STANDARD.encode(kind)));
        }
        let step = reader.packet("type=read:status=DONE");
        (reader, step)
    }

    #[test]
    fn the_best_kind_is_asked_for_and_put_together() {
        let (mut reader, step) = announced(&["text/plain", "image/jpeg", "image/png"]);
        let name = STANDARD.encode(REASON);
        let wanted = format!("\x1b]5522;type=read:pw=c2VjcmV0:name={name};aW1hZ2UvcG5n\x1b\\");
        assert_eq!(step, Step::Ask(wanted.into_bytes()));
        reader.packet("type=read:status=OK");
        for piece in ["one", "two"] {
            reader.packet(&format!("type=read:status=DATA:mime=aW1hZ2UvcG5n;{}", STANDARD.encode(piece)));
        }
        assert_eq!(reader.packet("type=read:status=DONE"), Step::Pasted(Pasted::Picture(b"onetwo".to_vec())));
    }

    #[test]
    fn what_cannot_be_used_is_left_alone() {
        assert_eq!(announced(&["application/x-thing"]).1, Step::Nothing);
        let (mut reader, _) = announced(&["text/plain;charset=utf-8"]);
        assert_eq!(reader.packet("type=read:status=EPERM"), Step::Nothing);
        assert_eq!(reader.packet("type=write:status=DONE"), Step::Nothing);
        for broken in ["", ";", "type=read", "type=read:status=DATA:mime=%%;%%", "type=read:status=DONE"] {
            assert_eq!(reader.packet(broken), Step::Nothing, "{broken:?}");
        }
    }
}
