//! The machinery that enforces a policy, and what it cannot do.

use std::fmt;

/// How a policy is enforced, from the strongest down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rung {
    /// User, mount, network and IPC namespaces, Landlock where the kernel has it, seccomp.
    Namespaces { landlock: u32 },
    /// The program `bwrap`, and seccomp.
    Bubblewrap,
    /// Landlock of this version, and seccomp.
    Landlock { abi: u32 },
    /// Nothing is enforced.
    None,
}

/// Something that a rung lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// Everything.
    Nothing,
    /// Paths inside a writable root cannot be protected.
    ProtectedPaths,
    /// Only all hosts or none.
    Hosts,
    /// Signals can be sent to processes outside.
    Signals,
    /// Files can be truncated anywhere the user may write.
    Truncation,
}

impl Weakness {
    pub fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing is enforced",
            Self::ProtectedPaths => {
                "protected paths inside the workspace (.git/hooks, .omp, …) can be written"
            }
            Self::Hosts => "hosts cannot be told apart: the network is either open or closed",
            Self::Signals => "signals can reach processes outside the sandbox",
            Self::Truncation => "files outside the workspace can be truncated",
        }
    }
}

impl Rung {
    /// Does it hold everything that a policy can say about files and processes?
    pub fn is_full(self) -> bool {
        matches!(self, Self::Namespaces { .. } | Self::Bubblewrap)
    }

    /// What it does not hold.
    pub fn weaknesses(self) -> Vec<Weakness> {
        match self {
            Self::Namespaces { landlock } if landlock >= 6 => Vec::new(),
            Self::Namespaces { .. } => vec![Weakness::Signals],
            Self::Bubblewrap => vec![Weakness::Hosts],
            Self::Landlock { abi } => {
                let mut found = vec![Weakness::ProtectedPaths, Weakness::Hosts];
                found.extend((abi < 6).then_some(Weakness::Signals));
                found.extend((abi < 3).then_some(Weakness::Truncation));
                found
            }
            Self::None => vec![Weakness::Nothing],
        }
    }

    /// The word for settings, tests and the file that remembers it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Namespaces { .. } => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock { .. } => "landlock",
            Self::None => "none",
        }
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespaces { landlock: 0 } => f.write_str("namespaces"),
            Self::Namespaces { landlock } => write!(f, "Landlock {landlock} + namespaces"),
            Self::Bubblewrap => f.write_str("bubblewrap"),
            Self::Landlock { abi } => write!(f, "Landlock {abi}"),
            Self::None => f.write_str("nothing"),
        }
    }
}
