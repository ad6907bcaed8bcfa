//! What a shell is asked, in the syntax of each kind of shell.
//!
//! A system shell reads the request as shell text. The command itself is one quoted word for `eval`, so nothing in
//! it (unbalanced quotes, here-documents, `return`, `break`) can end the request. The embedded shell reads the same
//! fields as data.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Where bash has the line to us. Far above what scripts use.
const BASH_LINE: &str = "250";
/// The same for shells that know one digit only.
const POSIX_LINE: &str = "9";

/// One command for a shell.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The file that standard output and error go to.
    pub output: PathBuf,
    pub command: String,
    /// Variables of this command only.
    pub env: Vec<(String, String)>,
    /// Where to go first.
    pub enter: Option<PathBuf>,
    /// Where to go afterwards.
    pub leave_to: Option<PathBuf>,
    /// The file that bash writes its variables and functions to before the command.
    pub save: Option<PathBuf>,
}

/// Commands and variables may hold secrets.
impl fmt::Debug for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Request").field("output", &self.output).finish_non_exhaustive()
    }
}

/// How a command ended in a shell that lives on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub status: i32,
    /// Where the shell is now.
    pub cwd: PathBuf,
}

/// What makes bash read requests for ever. It is the loop of a builtin and not one of the language, so `break` does
/// not end it, lines are counted from one in every request, and variables that a command declares are global.
pub(super) const BASH_BOOT: &str =
    r#"exec 250<&0 </dev/null >/dev/null 2>&1; mapfile -u 250 -d "" -c 1 -C "\command eval :" __omp"#;

/// The first line for other shells, which read requests as their script.
pub(super) const POSIX_BOOT: &str = "exec 9>&1 >/dev/null 2>&1\n";

/// The strict modes of a script hold for its own call: they would end the shell at the first failure of the next.
const BASH_RESET: &str = r"\builtin trap - DEBUG; \builtin set +euvx +o pipefail";
const POSIX_RESET: &str = r"\set +euvx";

/// A script that cleans up at its exit expects that at the end of its call. Bash tells what was set in a form it
/// reads again.
const BASH_EXIT_TRAP: &str = concat!(
    r#"{ __omp_t=$(\builtin trap -p EXIT); if [[ $__omp_t ]]; then \builtin trap - EXIT; "#,
    r#"\builtin eval "__omp_t=(${__omp_t#trap})"; (\builtin exit "$__omp_s"); \builtin eval "${__omp_t[1]}"; fi; "#,
    r#"\builtin trap - RETURN ERR; \builtin unset __omp_t; } 250>&-; "#,
);

/// Everything that another shell needs to continue: its own words say it in a form that bash reads.
const BASH_SAVE: &str = r"{ \builtin declare -p; \builtin declare -f; \builtin alias -p; } 250>&- >";

impl Request {
    /// As text for bash, which [`BASH_BOOT`] has made ready. `keep` are options that hold for every call.
    pub(super) fn for_bash(&self, keep: &str) -> Vec<u8> {
        let mut text = Text(b"; __omp=(); \\exec </dev/null >".to_vec());
        text.quoted(self.output.as_os_str());
        text.push(" 2>&1; ");
        if let Some(file) = &self.save {
            text.push(BASH_SAVE);
            text.quoted(file.as_os_str());
            text.push(" 2>/dev/null; ");
        }
        text.push("{ ");
        self.body(&mut text);
        text.push(&format!("}} {BASH_LINE}>&-; {{ __omp_s=$?; {BASH_RESET}{keep}; }} >/dev/null 2>&1; "));
        if self.command.contains("trap") {
            text.push(BASH_EXIT_TRAP);
        }
        self.ending(&mut text, BASH_LINE);
        text.push("\0");
        text.0
    }

    /// As a line of the script that a POSIX shell reads.
    pub(super) fn for_posix(&self) -> Vec<u8> {
        let mut text = Text(b"\\exec >".to_vec());
        text.quoted(self.output.as_os_str());
        text.push(" 2>&1; { ");
        self.body(&mut text);
        text.push(&format!(
            "}} </dev/null {POSIX_LINE}>&-; {{ __omp_s=$?; {POSIX_RESET}; }} >/dev/null 2>&1; "
        ));
        self.ending(&mut text, POSIX_LINE);
        text.push("\n");
        text.0
    }

    fn body(&self, text: &mut Text) {
        if let Some(directory) = &self.enter {
            text.push("\\command cd -- ");
            text.quoted(directory.as_os_str());
            text.push("; ");
        }
        for (name, value) in &self.env {
            text.push(name);
            text.push("=");
            text.quoted(OsStr::new(value));
            text.push(" ");
        }
        text.push("\\command eval ");
        text.quoted(OsStr::new(&self.command));
        text.push("; ");
    }

    fn ending(&self, text: &mut Text, line: &str) {
        if let Some(directory) = &self.leave_to {
            text.push("\\command cd -- ");
            text.quoted(directory.as_os_str());
            text.push("; ");
        }
        // A shell that cannot report any more ends, which tells as much.
        text.push(&format!(
            "\\exec >/dev/null 2>&1; \\command printf '%s\\0%s\\0' \"$__omp_s\" \"$PWD\" >&{line} || \\exit \"$__omp_s\""
        ));
    }

    /// As data: the length of what follows, then fields that each end in NUL.
    pub(super) fn for_embedded(&self) -> Vec<u8> {
        let directory = |path: &Option<PathBuf>| path.clone().unwrap_or_default().into_os_string().into_vec();
        let mut fields = vec![
            self.output.as_os_str().as_bytes().to_vec(),
            directory(&self.enter),
            directory(&self.leave_to),
            self.command.clone().into_bytes(),
        ];
        fields.extend(self.env.iter().flat_map(|(name, value)| [name.clone().into(), value.clone().into()]));
        let body: Vec<u8> = fields.into_iter().flat_map(|field| field.into_iter().chain([0])).collect();
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        [length.to_le_bytes().as_slice(), &body].concat()
    }

    /// Reads what follows the length.
    pub fn decode(body: &[u8]) -> Option<Self> {
        let mut fields = body.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let mut path = || Some(PathBuf::from(OsString::from_vec(fields.next()?.to_vec())));
        let (output, enter, leave_to) = (path()?, path()?, path()?);
        let some = |path: PathBuf| (path != Path::new("")).then_some(path);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let command = text(fields.next()?)?;
        let mut env = Vec::new();
        while let Some(name) = fields.next() {
            env.push((text(name)?, text(fields.next()?)?));
        }
        Some(Self { output, command, env, enter: some(enter), leave_to: some(leave_to), save: None })
    }
}

impl Report {
    /// As every shell sends it.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = format!("{}\0", self.status).into_bytes();
        bytes.extend_from_slice(self.cwd.as_os_str().as_bytes());
        bytes.push(0);
        bytes
    }

    /// `None` while something is missing.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let (status, cwd) = (fields.next()?, fields.next()?);
        let status = std::str::from_utf8(status).ok()?.parse().ok()?;
        Some(Self { status, cwd: PathBuf::from(OsString::from_vec(cwd.to_vec())) })
    }
}

struct Text(Vec<u8>);

impl Text {
    fn push(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// One word that the shell takes literally.
    fn quoted(&mut self, word: &OsStr) {
        self.0.push(b'\'');
        for byte in word.as_bytes() {
            match byte {
                b'\'' => self.push(r"'\''"),
                byte => self.0.push(*byte),
            }
        }
        self.0.push(b'\'');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_the_way() {
        let full = Request {
            output: "/o".into(),
            command: "echo 'a\nb'".into(),
            env: vec![("A".into(), String::new()), ("B".into(), "x y".into())],
            enter: Some("/in".into()),
            leave_to: Some("/back".into()),
            save: None,
        };
        for request in [full, Request { command: "x".into(), ..Request::default() }] {
            let encoded = request.for_embedded();
            let (length, body) = encoded.split_first_chunk::<4>().unwrap();
            assert_eq!(u32::from_le_bytes(*length) as usize, body.len());
            assert_eq!(Request::decode(body), Some(request));
        }
        assert_eq!(Request::decode(b""), None);
        assert_eq!(Request::decode(b"a\0b\0"), None);
    }

    #[test]
    fn a_report_is_complete_or_nothing() {
        let report = Report { status: 3, cwd: "/a b".into() };
        let encoded = report.encode();
        assert_eq!(Report::decode(&encoded), Some(report));
        for length in 0..encoded.len() {
            assert_eq!(Report::decode(&encoded[..length]), None);
        }
    }
}
