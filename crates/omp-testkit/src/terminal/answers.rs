//! What a terminal says when it is asked.

use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

/// How long after the question a late terminal answers: longer than programs wait.
const LATE: Duration = Duration::from_millis(400);
/// The pause between two bytes on a slow line.
const SLOW: Duration = Duration::from_millis(1);

/// What a terminal answers when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Nothing at all.
    None,
    /// What kind of terminal it is (DA1), that it shows whole frames (mode 2026), and no more.
    Kind,
    /// Everything that programs ask for, in this manner: the kitty keyboard, a black background, synchronized output,
    /// notifications, pictures.
    Everything(Manner),
}

/// How answers come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Each at once, in one piece.
    Promptly,
    /// Byte by byte.
    ByteByByte,
    /// When nobody expects them any more.
    Late,
}

/// Finds questions in what a program writes.
#[derive(Debug)]
pub(super) struct Listener {
    answers: Answers,
    heard: Vec<u8>,
}

impl Listener {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, heard: Vec::new() }
    }

    /// Takes what the program wrote, and answers what it asks.
    pub(super) fn hear(&mut self, bytes: &[u8], mut keyboard: &File, typing: &Mutex<()>) {
        self.heard.extend_from_slice(bytes);
        let mut answer = Vec::new();
        while let Some((end, said)) = self.question() {
            self.heard.drain(..end);
            answer.extend(said);
        }
        let kept = self.heard.len().saturating_sub(64);
        self.heard.drain(..kept);
        // Nobody is left to tell when the terminal is gone.
        match self.answers {
            _ if answer.is_empty() => {}
            Answers::Everything(Manner::ByteByByte) => {
                let _typing = typing.lock();
                for byte in answer {
                    let _ = keyboard.write_all(&[byte]);
                    std::thread::sleep(SLOW);
                }
            }
            Answers::Everything(Manner::Late) => {
                let Ok(mut keyboard) = keyboard.try_clone() else { return };
                std::thread::spawn(move || {
                    std::thread::sleep(LATE);
                    let _ = keyboard.write_all(&answer);
                });
            }
            _ => _ = keyboard.write_all(&answer),
        }
    }

    /// The end of the first question in what was heard, and its answer.
    fn question(&self) -> Option<(usize, Vec<u8>)> {
        (0..self.heard.len()).find_map(|at| {
            let (length, answer) = self.answer(&self.heard[at..])?;
            Some((at + length, answer))
        })
    }

    /// The answer to a question that `bytes` begin with, and the length of that.
    fn answer(&self, bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
        let said = |question: &[u8], answer: &str| {
            bytes.starts_with(question).then(|| (question.len(), answer.as_bytes().to_vec()))
        };
        match self.answers {
            Answers::None => None,
            Answers::Kind => {
                said(b"\x1b[c", "\x1b[?62;22c").or_else(|| said(b"\x1b[?2026$p", "\x1b[?2026;2$y"))
            }
            Answers::Everything(_) => said(b"\x1b[c", "\x1b[?62;22c")
                .or_else(|| said(b"\x1b[?u", "\x1b[?0u"))
                .or_else(|| said(b"\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"))
                .or_else(|| said(b"\x1b]99;i=omp:p=?;\x1b\\", "\x1b]99;i=omp:p=?;p=title,body\x1b\\"))
                .or_else(|| said(b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", "\x1b_Gi=31;OK\x1b\\"))
                .or_else(|| mode(bytes)),
        }
    }
}

/// The answer to the question for a private mode: it is there, and off.
fn mode(bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
    let rest = bytes.strip_prefix(b"\x1b[?")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok().filter(|number| !number.is_empty())?;
    rest[digits..].starts_with(b"$p").then(|| (3 + digits + 2, format!("\x1b[?{number};2$y").into_bytes()))
}
