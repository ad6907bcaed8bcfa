//! Amazon's credentials: where they are on this machine.
//!
//! Keys in the environment go first, then those of the chosen profile in the files of Amazon's own tools. What would
//! need a program, a browser or the network (single sign-on, `credential_process`, roles, instance metadata) is
//! named and not followed.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use omp_llm::{AwsCredentials, AwsOptions, Secret};
use omp_workspace::open::{Found, open};

use crate::environment::Environment;

/// Files with hundreds of profiles are still smaller.
const LARGEST: u64 = 1024 * 1024;

/// Variables that promise credentials which only the network can give.
const PROMISES: [&str; 3] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

/// Members of a profile that lead to credentials in ways that are not followed.
const NOT_FOLLOWED: [&str; 7] = [
    "sso_session",
    "sso_start_url",
    "credential_process",
    "role_arn",
    "source_profile",
    "credential_source",
    "web_identity_token_file",
];

/// Region and credentials.
pub(crate) fn options(environment: &dyn Environment) -> AwsOptions {
    let files = Files::load(environment);
    let region = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| set(environment, name));
    let region =
        region.or_else(|| files.member("region").map(str::to_owned)).filter(|region| is_plain(region));
    let (credentials, problem) = match credentials(environment, &files) {
        Ok(credentials) => (Some(credentials), None),
        Err(problem) => (None, Some(problem)),
    };
    AwsOptions {
        region: region.unwrap_or_else(|| AwsOptions::DEFAULT_REGION.to_owned()),
        credentials,
        problem,
    }
}

/// Could requests be signed? Asked for listings, so what only the network can tell counts as yes.
pub(crate) fn is_available(environment: &dyn Environment) -> bool {
    PROMISES.iter().any(|name| set(environment, name).is_some())
        || set(environment, "AWS_PROFILE").is_some()
        || credentials(environment, &Files::load(environment)).is_ok()
}

fn set(environment: &dyn Environment, name: &str) -> Option<String> {
    environment.var(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// A region is part of a host name; what would break out of it is not taken.
fn is_plain(region: &str) -> bool {
    region.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
}

/// `Err` says why there are none.
fn credentials(environment: &dyn Environment, files: &Files) -> Result<AwsCredentials, String> {
    if set(environment, "AWS_BEDROCK_SKIP_AUTH").is_some_and(|value| value == "1") {
        return Ok(AwsCredentials::dummy());
    }
    let from_environment = keys(
        set(environment, "AWS_ACCESS_KEY_ID"),
        set(environment, "AWS_SECRET_ACCESS_KEY"),
        set(environment, "AWS_SESSION_TOKEN"),
    );
    if let Some(credentials) = from_environment {
        return Ok(credentials);
    }
    let member = |name: &str| files.member(name).map(str::to_owned);
    let from_profile =
        keys(member("aws_access_key_id"), member("aws_secret_access_key"), member("aws_session_token"));
    from_profile.ok_or_else(|| files.problem(environment))
}

fn keys(id: Option<String>, secret: Option<String>, token: Option<String>) -> Option<AwsCredentials> {
    Some(AwsCredentials {
        access_key_id: id?,
        secret_access_key: Secret::new(secret?),
        session_token: token.map(Secret::new),
    })
}

/// The chosen profile as the two files describe it. The credentials file goes before the other.
struct Files {
    profile: String,
    members: Vec<HashMap<String, String>>,
    unreadable: Option<String>,
}

impl Files {
    fn load(environment: &dyn Environment) -> Self {
        let profile = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"].iter().find_map(|name| set(environment, name));
        let profile = profile.unwrap_or_else(|| "default".to_owned());
        let home = set(environment, "HOME").map(PathBuf::from);
        let place = |variable: &str, name: &str| {
            let given = set(environment, variable).map(PathBuf::from);
            given.or_else(|| Some(home.as_ref()?.join(".aws").join(name)))
        };
        // The sections of the second file are called by their names and the word, but for the default.
        let long = if profile == "default" { profile.clone() } else { format!("profile {profile}") };
        let mut files = Self { profile: profile.clone(), members: Vec::new(), unreadable: None };
        for (path, section) in [
            (place("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile),
            (place("AWS_CONFIG_FILE", "config"), long),
        ] {
            let Some(path) = path else { continue };
            match read(&path) {
                Ok(Some(text)) => files.members.push(section_of(&text, &section)),
                Ok(None) => {}
                Err(cause) => files.unreadable = Some(format!("{} cannot be read ({cause})", path.display())),
            }
        }
        files
    }

    fn member(&self, name: &str) -> Option<&str> {
        let found = self.members.iter().find_map(|members| members.get(name));
        found.map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Why the profile gives no credentials.
    fn problem(&self, environment: &dyn Environment) -> String {
        if let Some(unreadable) = &self.unreadable {
            return unreadable.clone();
        }
        let profile = &self.profile;
        if let Some(way) = NOT_FOLLOWED.iter().find(|way| self.member(way).is_some()) {
            return format!(
                "the AWS profile {profile} uses {way}, which is not available yet in this release"
            );
        }
        if let Some(promise) = PROMISES.iter().find(|name| set(environment, name).is_some()) {
            return format!(
                "{promise} is set, but credentials over the network are not available yet in this release"
            );
        }
        if set(environment, "AWS_PROFILE").is_some() {
            return format!("the AWS profile {profile} has no keys");
        }
        "there are no AWS credentials".to_owned()
    }
}

/// The text of a file; `None` when there is none.
fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match open(path) {
        Ok(Found::File(file, _)) => file,
        Ok(Found::Directory) => return Err("it is a directory".to_owned()),
        Ok(Found::Special(special)) => return Err(format!("it is {}", special.name())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()))
}

/// The members of one section. Comments take whole lines, or follow a value after a space; an indented line is part
/// of a value that holds no credentials.
fn section_of(text: &str, wanted: &str) -> HashMap<String, String> {
    let mut members = HashMap::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with([' ', '\t', '#', ';']) || line.trim().is_empty() {
            continue;
        }
        let name = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((name, _)) = name {
            inside = name.split_whitespace().collect::<Vec<_>>().join(" ") == wanted;
        } else if let Some((name, value)) = line.split_once('=').filter(|_| inside) {
            let value = value.split(" #").next().and_then(|value| value.split(" ;").next());
            members.insert(name.trim().to_ascii_lowercase(), value.unwrap_or_default().trim().to_owned());
        }
    }
    members
}

#[cfg(test)]
#[path = "aws_tests.rs"]
mod tests;
