//! The closed vocabularies: each is an enum whose words the table, the help and the completions share.

/// Declares an enum with the word of each variant, so that neither can be added without the other.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every word, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            pub fn from_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// `--mode`.
    OutputMode {
        Text = "text",
        Json = "json",
        Rpc = "rpc",
        RpcUi = "rpc-ui",
        Acp = "acp",
    }
}

impl OutputMode {
    /// The part of the program this mode needs, if that part is not built yet.
    pub const fn waits_for(self) -> Option<&'static str> {
        match self {
            OutputMode::Text | OutputMode::Json => None,
            OutputMode::Rpc | OutputMode::RpcUi => Some("rpc"),
            OutputMode::Acp => Some("acp"),
        }
    }
}

words! {
    /// `--thinking`.
    ThinkingArg {
        Off = "off",
        Minimal = "minimal",
        Low = "low",
        Medium = "medium",
        High = "high",
        Xhigh = "xhigh",
        Max = "max",
        Auto = "auto",
    }
}

words! {
    /// `--service-tier`.
    ServiceTier {
        None = "none",
        Auto = "auto",
        Default = "default",
        Flex = "flex",
        Scale = "scale",
        Priority = "priority",
        OpenaiOnly = "openai-only",
        ClaudeOnly = "claude-only",
    }
}

words! {
    /// `--approval-mode`.
    ApprovalMode {
        AlwaysAsk = "always-ask",
        Write = "write",
        Auto = "auto",
        Yolo = "yolo",
    }
}

words! {
    /// `--log-level`.
    LogLevel {
        Error = "error",
        Warn = "warn",
        Info = "info",
        Debug = "debug",
        Trace = "trace",
    }
}

words! {
    /// `omp completions`.
    Shell {
        Bash = "bash",
        Zsh = "zsh",
        Fish = "fish",
    }
}

words! {
    /// What `omp __complete` lists.
    CompletionSource {
        Models = "models",
        Sessions = "sessions",
        Settings = "settings",
        Tools = "tools",
    }
}

words! {
    /// `omp models`.
    ModelsAction {
        List = "list",
        Find = "find",
        Canonical = "canonical",
        Profiles = "profiles",
        Refresh = "refresh",
    }
}
