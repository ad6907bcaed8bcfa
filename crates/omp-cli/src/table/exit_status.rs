//! How a run of omp ends, for whoever started it.

/// Declares [`ExitStatus`]: name, code, and when it is returned. `--help` and the list in README.md read the rows.
macro_rules! exit_statuses {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $when:literal;)*) => {
        /// The exit code of a run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ExitStatus {
            $($(#[doc = $doc])* $name = $code,)*
        }

        impl ExitStatus {
            /// All of them, by number.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// When it is returned.
            pub const fn when(self) -> &'static str {
                match self {
                    $(Self::$name => $when,)*
                }
            }
        }
    };
}

exit_statuses! {
    /// Everything went well.
    Success = 0, "success";
    /// Something failed, or was missing.
    Failure = 1, "the turn failed, or something required was missing (a model, a file, a feature that is not available yet)";
    /// The command line could not be understood.
    Usage = 2, "an unknown flag or invalid value; nothing was started (subcommands exit with 1)";
    /// Nobody could approve tool calls.
    CallsRefused = 3, "the turn finished, but tool calls were refused because nobody could approve them; standard error lists them";
    /// The terminal went away.
    HungUp = 129, "ended by SIGHUP; the partial answer is printed";
    /// The user stopped it.
    Interrupted = 130, "ended by Ctrl+C; the partial answer is printed";
    /// The system stopped it.
    Terminated = 143, "ended by SIGTERM; the partial answer is printed";
}

impl ExitStatus {
    /// The number that the program ends with.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// The table of README.md.
pub fn exit_codes_table() -> String {
    let row = |status: &ExitStatus| format!("| {} | {} |\n", status.code(), status.when());
    let rows: String = ExitStatus::ALL.iter().map(row).collect();
    format!("| code | meaning |\n|---|---|\n{rows}")
}
