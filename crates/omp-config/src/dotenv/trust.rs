//! What a `.env` file may not decide.
//!
//! A project's `.env` may come from a stranger, and it is read before anybody has looked at it. So it can neither
//! choose which files of the user are read, nor where keys and conversations are sent, nor what is run.

use super::Trust;

// Names that begin with OMP_ are also looked up by their older name, and need not be here.

/// Decide which files are read, this one included, so they come from the environment or not at all.
const DIRECTORIES: &[&str] = &["HOME", "PI_CODING_AGENT_DIR", "PI_CONFIG_DIR", "PI_PROFILE", "USERPROFILE"];
const DIRECTORY_PREFIX: &str = "XDG_";

/// Where requests go and whose certificates are believed. `*_BASE_URL` and `*_PROXY` belong here too.
const DESTINATIONS: &[&str] = &[
    "ANTHROPIC_CUSTOM_HEADERS",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_OPENAI_RESOURCE_NAME",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_USE_FOUNDRY",
    "GCE_METADATA_HOST",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "KIMI_CODE_OAUTH_HOST",
    "KIMI_OAUTH_HOST",
    "NODE_EXTRA_CA_CERTS",
    "OLLAMA_HOST",
    "PI_AUTH_BROKER_SNAPSHOT_CACHE",
    "PI_AUTH_BROKER_TOKEN",
    "PI_AUTH_BROKER_URL",
    "PI_AUTH_GATEWAY_URL",
    "SMITHERY_API_URL",
    "SMITHERY_URL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];
const DESTINATION_PREFIXES: &[&str] = &["AWS_ENDPOINT_URL", "OTEL_"];
const DESTINATION_SUFFIXES: &[&str] = &["_BASE_URL", "_PROXY"];

/// What is run, and from where.
const PROGRAMS: &[&str] = &[
    "CLAUDE_CODE_SHELL_PREFIX",
    "EDITOR",
    "PATH",
    "PI_PACKAGE_DIR",
    "PI_SHELL_PREFIX",
    "SHELL",
    "TMPDIR",
    "VISUAL",
];

/// May a file of this trust define the variable?
pub(super) fn may_define(trust: Trust, name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    if is_in(DIRECTORIES) || name.starts_with(DIRECTORY_PREFIX) {
        return false;
    }
    match trust {
        Trust::User => true,
        Trust::Project => {
            !(is_in(DESTINATIONS)
                || begins(DESTINATION_PREFIXES)
                || ends(DESTINATION_SUFFIXES)
                || is_in(PROGRAMS))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_chooses_neither_files_nor_destinations_nor_programs() {
        for name in ["HOME", "PI_CODING_AGENT_DIR", "PI_PROFILE", "XDG_DATA_HOME"] {
            assert!(!may_define(Trust::Project, name) && !may_define(Trust::User, name), "{name}");
        }
        for name in ["ANTHROPIC_BASE_URL", "https_proxy", "OLLAMA_HOST", "OTEL_EXPORTER_OTLP_ENDPOINT"] {
            assert!(!may_define(Trust::Project, name) && may_define(Trust::User, name), "{name}");
        }
        for name in ["PI_SHELL_PREFIX", "EDITOR", "PATH"] {
            assert!(!may_define(Trust::Project, name) && may_define(Trust::User, name), "{name}");
        }
        for name in ["ANTHROPIC_API_KEY", "PI_NO_STRICT", "DATABASE_URL", "PI_PY", "DB_HOST"] {
            assert!(may_define(Trust::Project, name), "{name}");
        }
    }
}
