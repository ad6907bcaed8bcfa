//! A process that outlives us by a moment: when we end without a word, by SIGKILL or a crash, it gives the terminal back.
//!
//! It is our own program, started before the terminal is taken over, with the terminal as its standard output, a pipe as
//! its standard input, and [`SavedModes`] as its argument. Through the pipe it hears what would have to be undone; a pipe
//! that closes without a farewell means that we are gone. The pipe is the only thing the two share.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::str::FromStr;

use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr,
};

use super::restore::write_all;

const FAREWELL: &str = "bye";
/// To a new row below the screen's last.
pub(super) const BELOW: &[u8] = b"\x1b[999B\r\n";
/// The longest line that is listened to.
const LINE: u64 = 4096;

/// The modes of a terminal, as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedModes {
    input: u32,
    output: u32,
    control: u32,
    local: u32,
}

impl SavedModes {
    pub(super) fn of(termios: &Termios) -> Self {
        Self {
            input: termios.input_modes.bits(),
            output: termios.output_modes.bits(),
            control: termios.control_modes.bits(),
            local: termios.local_modes.bits(),
        }
    }

    fn put_into(self, termios: &mut Termios) {
        termios.input_modes = InputModes::from_bits_retain(self.input);
        termios.output_modes = OutputModes::from_bits_retain(self.output);
        termios.control_modes = ControlModes::from_bits_retain(self.control);
        termios.local_modes = LocalModes::from_bits_retain(self.local);
    }
}

impl fmt::Display for SavedModes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}:{:x}:{:x}:{:x}", self.input, self.output, self.control, self.local)
    }
}

/// The argument is not four numbers.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} does not name terminal modes: four hexadecimal numbers separated by colons are expected")]
pub struct BadModes(String);

impl FromStr for SavedModes {
    type Err = BadModes;

    fn from_str(text: &str) -> Result<Self, BadModes> {
        let numbers: Result<Vec<u32>, _> =
            text.split(':').map(|part| u32::from_str_radix(part, 16)).collect();
        match numbers.as_deref() {
            Ok(&[input, output, control, local]) => Ok(Self { input, output, control, local }),
            _ => Err(BadModes(text.to_owned())),
        }
    }
}

/// Our end of the pipe.
#[derive(Debug)]
pub(super) struct Leash(std::fs::File);

impl Leash {
    pub(super) fn new(pipe: OwnedFd) -> Self {
        Self(pipe.into())
    }

    /// Says what would have to be written. A guardian that is gone is no reason to stop.
    pub(super) fn tell(&mut self, undo: &[u8]) {
        let mut line: String = undo.iter().map(|byte| format!("{byte:02x}")).collect();
        line.push('\n');
        let _ = self.0.write_all(line.as_bytes());
    }

    /// All is well: there is nothing to do.
    pub(super) fn release(mut self) {
        let _ = self.0.write_all(format!("{FAREWELL}\n").as_bytes());
    }
}

/// How a guardian's watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// All was well.
    Farewell,
    /// The program is gone without a word.
    Gone,
}

/// The guardian's whole life: waits for the end of `pipe` and, if that came without a farewell, gives the terminal back.
/// Detaches from the session first, so that nothing that ends the user's job ends it as well.
pub fn watch(pipe: impl Read, terminal: impl AsFd, saved: SavedModes) -> Release {
    // It fails if we are the first process of a session already, which is as good.
    let _ = rustix::process::setsid();
    let mut pipe = BufReader::new(pipe);
    let mut undo = None;
    let mut line = String::new();
    loop {
        line.clear();
        match pipe.by_ref().take(LINE).read_line(&mut line) {
            Ok(length) if length > 0 => {}
            _ => break,
        }
        match line.trim_end() {
            FAREWELL => return Release::Farewell,
            bytes => undo = decode(bytes).or(undo),
        }
    }
    let Some(undo) = undo else { return Release::Gone };
    // Whatever comes next stands below what was on the screen.
    let _ = write_all(&terminal, &[&undo, BELOW].concat());
    give_back(&terminal, saved);
    Release::Gone
}

/// Sets the modes back, unless somebody else has set theirs meanwhile: a shell may be faster than we are.
fn give_back(terminal: &impl AsFd, saved: SavedModes) {
    let Ok(mut current) = tcgetattr(terminal) else { return };
    let mut ours = current.clone();
    saved.put_into(&mut ours);
    ours.make_raw();
    if SavedModes::of(&ours) == SavedModes::of(&current) {
        saved.put_into(&mut current);
        let _ = tcsetattr(terminal, OptionalActions::Now, &current);
    }
}

fn decode(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_survive_being_an_argument() {
        let modes = SavedModes { input: 0x500, output: 5, control: 0xbf, local: 0x8a3b };
        assert_eq!(modes.to_string().parse::<SavedModes>().unwrap(), modes);
        for bad in ["", "1:2:3", "1:2:3:4:5", "x:1:2:3"] {
            assert!(bad.parse::<SavedModes>().is_err(), "{bad}");
        }
    }

    #[test]
    fn hexadecimal() {
        assert_eq!(decode("1b5b6d"), Some(b"\x1b[m".to_vec()));
        assert_eq!(decode("1"), None);
        assert_eq!(decode("zz"), None);
    }
}
