//! Which way leads to credentials. Nothing is asked of anybody yet.

use std::path::PathBuf;

use omp_llm::{AwsCredentials, Secret};

use super::profiles::Profiles;
use super::{is_plain, region, set};
use crate::environment::Environment;

/// Profiles may refer to profiles, but not for ever.
const DEEPEST: usize = 5;

/// Where credentials begin, and the roles that are put on one after the other.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) base: Base,
    pub(super) roles: Vec<Role>,
    /// Where the services that help are asked.
    pub(super) region: String,
}

/// The first credentials.
#[derive(Debug)]
pub(super) enum Base {
    Keys(AwsCredentials),
    /// A program prints them.
    Process {
        profile: String,
        command: String,
    },
    /// The user logged in with `aws sso login`.
    Sso(SsoAccount),
    /// A workload has a token of its own.
    WebIdentity(WebIdentity),
    Container,
    /// The machine has a role.
    Instance,
}

#[derive(Debug)]
pub(super) struct Role {
    pub(super) arn: String,
    pub(super) session: Option<String>,
    pub(super) external_id: Option<String>,
    pub(super) seconds: Option<String>,
}

#[derive(Debug)]
pub(super) struct WebIdentity {
    pub(super) role: Role,
    pub(super) token_file: PathBuf,
}

#[derive(Debug)]
pub(super) struct SsoAccount {
    pub(super) profile: String,
    /// What the cached token is filed under: the session's name, else the address of the start page.
    pub(super) filed_under: String,
    pub(super) region: String,
    pub(super) account: String,
    pub(super) role: String,
    pub(super) home: Option<PathBuf>,
}

/// `Err` says why there is no way.
pub(super) fn plan(environment: &dyn Environment, profiles: &Profiles) -> Result<Plan, String> {
    let mut roles = Vec::new();
    let base = base(environment, profiles, &mut roles)?;
    let place = profiles.member(&profiles.chosen, "region").filter(|place| is_plain(place));
    let region = place.map_or_else(|| region(environment, profiles), str::to_owned);
    Ok(Plan { base, roles, region })
}

fn base(environment: &dyn Environment, profiles: &Profiles, roles: &mut Vec<Role>) -> Result<Base, String> {
    if set(environment, "AWS_BEDROCK_SKIP_AUTH").is_some_and(|value| value == "1") {
        return Ok(Base::Keys(AwsCredentials::dummy()));
    }
    if let Some(keys) = environment_keys(environment) {
        return Ok(Base::Keys(keys));
    }
    let mut search = Search { environment, profiles, roles, visited: Vec::new() };
    if let Some(base) = search.profile(&profiles.chosen)? {
        return Ok(base);
    }
    if let Some(problem) = &profiles.unreadable {
        return Err(problem.clone());
    }
    if profiles.named {
        return Err(format!("the AWS profile {} has no keys and no way to get them", profiles.chosen));
    }
    surroundings(environment)
}

fn environment_keys(environment: &dyn Environment) -> Option<AwsCredentials> {
    let variable = |name: &str| set(environment, name);
    keys(variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"), variable("AWS_SESSION_TOKEN"))
}

fn keys(id: Option<String>, secret: Option<String>, token: Option<String>) -> Option<AwsCredentials> {
    Some(AwsCredentials {
        access_key_id: id?,
        secret_access_key: Secret::new(secret?),
        session_token: token.map(Secret::new),
        expires_ms: None,
    })
}

/// What the place where we run offers: a workload's token, a container's server, the machine's role.
fn surroundings(environment: &dyn Environment) -> Result<Base, String> {
    if let Some(file) = set(environment, "AWS_WEB_IDENTITY_TOKEN_FILE") {
        let arn = set(environment, "AWS_ROLE_ARN")
            .ok_or_else(|| "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not".to_owned())?;
        let session = set(environment, "AWS_ROLE_SESSION_NAME");
        let role = Role { arn, session, external_id: None, seconds: None };
        return Ok(Base::WebIdentity(WebIdentity { role, token_file: file.into() }));
    }
    let offered = |name: &str| set(environment, name).is_some();
    if offered("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || offered("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
        return Ok(Base::Container);
    }
    match set(environment, "AWS_EC2_METADATA_DISABLED")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    {
        true => Err("there are no AWS credentials".to_owned()),
        false => Ok(Base::Instance),
    }
}

/// The way from profile to profile.
struct Search<'a> {
    environment: &'a dyn Environment,
    profiles: &'a Profiles,
    roles: &'a mut Vec<Role>,
    visited: Vec<String>,
}

impl Search<'_> {
    fn member(&self, profile: &str, name: &str) -> Option<String> {
        self.profiles.member(profile, name).map(str::to_owned)
    }

    /// The credentials of a profile; `None` when it says nothing about them.
    fn profile(&mut self, profile: &str) -> Result<Option<Base>, String> {
        if self.visited.len() >= DEEPEST {
            return Err(format!(
                "the AWS profiles {} refer to each other without end",
                self.visited.join(", ")
            ));
        }
        // A profile may put on a role over its own keys.
        let again = self.visited.iter().any(|visited| visited == profile);
        self.visited.push(profile.to_owned());
        let member = |name: &str| self.member(profile, name);
        let own =
            keys(member("aws_access_key_id"), member("aws_secret_access_key"), member("aws_session_token"));
        match (member("role_arn"), own) {
            (Some(arn), _) if !again => self.role(profile, arn).map(Some),
            (_, Some(keys)) => Ok(Some(Base::Keys(keys))),
            _ if again => Err(format!("the AWS profile {profile} is its own source and has no keys")),
            _ => self.other(profile),
        }
    }

    fn role(&mut self, profile: &str, arn: String) -> Result<Base, String> {
        if self.member(profile, "mfa_serial").is_some() {
            return Err(format!(
                "the AWS profile {profile} asks for a code of a device (mfa_serial), which is not available here; \
                 get temporary keys with `aws sts get-session-token`"
            ));
        }
        let role = Role {
            arn,
            session: self.member(profile, "role_session_name"),
            external_id: self.member(profile, "external_id"),
            seconds: self.member(profile, "duration_seconds"),
        };
        if let Some(file) = self.member(profile, "web_identity_token_file") {
            return Ok(Base::WebIdentity(WebIdentity { role, token_file: file.into() }));
        }
        let missing = |source: &str| {
            format!("the AWS profile {profile} puts a role on {source}, which has no credentials")
        };
        let base = match (self.member(profile, "source_profile"), self.member(profile, "credential_source")) {
            (Some(source), _) => self.profile(&source)?.ok_or_else(|| missing(&source))?,
            (None, Some(source)) => match source.as_str() {
                "Environment" => {
                    environment_keys(self.environment).map(Base::Keys).ok_or_else(|| missing(&source))?
                }
                "EcsContainer" => Base::Container,
                "Ec2InstanceMetadata" => Base::Instance,
                other => {
                    return Err(format!(
                        "the AWS profile {profile} has an unknown credential_source {other}"
                    ));
                }
            },
            (None, None) => {
                return Err(format!("the AWS profile {profile} has a role_arn but no source_profile"));
            }
        };
        self.roles.push(role);
        Ok(base)
    }

    fn other(&self, profile: &str) -> Result<Option<Base>, String> {
        if let Some(command) = self.member(profile, "credential_process") {
            return Ok(Some(Base::Process { profile: profile.to_owned(), command }));
        }
        let session = self.member(profile, "sso_session");
        let start = self.member(profile, "sso_start_url");
        let Some(filed_under) = session.clone().or(start) else { return Ok(None) };
        let of_session =
            |name: &str| self.profiles.session_member(session.as_deref()?, name).map(str::to_owned);
        let needed = |name: &str| {
            let found = self.member(profile, name).or_else(|| of_session(name));
            found.ok_or_else(|| format!("the AWS profile {profile} uses single sign-on, but has no {name}"))
        };
        let region = needed("sso_region")?;
        if !is_plain(&region) {
            return Err(format!("the AWS profile {profile} has an sso_region that is none: {region}"));
        }
        Ok(Some(Base::Sso(SsoAccount {
            profile: profile.to_owned(),
            filed_under,
            region,
            account: needed("sso_account_id")?,
            role: needed("sso_role_name")?,
            home: self.profiles.home.clone(),
        })))
    }
}
