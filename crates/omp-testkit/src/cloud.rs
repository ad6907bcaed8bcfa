//! Amazon's servers that give credentials, for tests: roles, single sign-on, a container's server, a machine's metadata.
//!
//! All of them are on one port, told apart by their paths. What a client gets wrong is refused and remembered.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

use ring::{digest, hmac};

use crate::acceptor::{Acceptor, Stopping, listen};
use crate::server::{Framing, HttpRequest, Reader, response_head};

/// The keys that every way leads to.
pub const ACCESS_KEY_ID: &str = "CLOUDID";
/// See [`ACCESS_KEY_ID`].
pub const SECRET_ACCESS_KEY: &str = "cloud/secret+1";
/// See [`ACCESS_KEY_ID`].
pub const SESSION_TOKEN: &str = "cloud-session";
/// What single sign-on, containers and workloads must show.
pub const TOKEN: &str = "cloud-token";
/// The account and role that single sign-on knows.
pub const ACCOUNT: &str = "123456789012";
/// See [`ACCOUNT`].
pub const ROLE: &str = "Reader";

const END: &str = "2099-01-01T00:00:00Z";
const METADATA: &str = "/latest/meta-data/iam/security-credentials/";

/// Listens on `127.0.0.1` until dropped.
pub struct AwsServer {
    shared: Arc<Shared>,
    acceptor: Acceptor,
}

#[derive(Default)]
struct Shared {
    stopping: Stopping,
    asked: Mutex<Vec<String>>,
    violations: Mutex<Vec<String>>,
}

impl AwsServer {
    /// # Panics
    /// When the system has no free port.
    pub fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let acceptor = Acceptor::start(listen(), &shared.stopping, &shared, serve);
        Self { shared, acceptor }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.acceptor.address())
    }

    /// What was asked, in order: method and path, and the action of the role service.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// # Panics
    /// When a rule was broken.
    pub fn assert_clean(&self) {
        let violations = self.shared.violations.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(*violations, Vec::<String>::new());
    }
}

fn serve(mut stream: &TcpStream, shared: &Shared) {
    let Ok(incoming) = stream.try_clone() else { return };
    let mut reader = Reader::new(incoming);
    while let Ok(Some(request)) = reader.next() {
        let (status, kind, body) = match respond(&request, shared) {
            Ok((kind, body)) => (200, kind, body),
            Err((status, words)) => {
                shared.violations.lock().unwrap_or_else(PoisonError::into_inner).push(words.clone());
                let body =
                    format!("<ErrorResponse><Error><Message>{words}</Message></Error></ErrorResponse>");
                (status, "text/xml", body)
            }
        };
        let mut response = response_head(status, &[], kind, Framing::Length(body.len()), request.keep_alive);
        response.extend_from_slice(body.as_bytes());
        if stream.write_all(&response).is_err() || !request.keep_alive {
            return;
        }
    }
}

/// Content type and body, or status and reason.
type Answer = Result<(&'static str, String), (u16, String)>;

fn respond(request: &HttpRequest, shared: &Shared) -> Answer {
    let form = form(&request.body);
    let action = form.get("Action").map(|action| format!(" {action}")).unwrap_or_default();
    let asked = format!("{} {}{action}", request.method, request.path);
    shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/") => role(request, &form),
        ("PUT", "/latest/api/token") => {
            expect(request, "x-aws-ec2-metadata-token-ttl-seconds", "21600")?;
            Ok(("text/plain", TOKEN.to_owned()))
        }
        ("GET", METADATA) => {
            expect(request, "x-aws-ec2-metadata-token", TOKEN)?;
            Ok(("text/plain", "machine-role\nother".to_owned()))
        }
        ("GET", path) if path == format!("{METADATA}machine-role") => {
            expect(request, "x-aws-ec2-metadata-token", TOKEN)?;
            Ok(("application/json", keys_json("Token")))
        }
        ("GET", "/container") => {
            expect(request, "authorization", TOKEN)?;
            Ok(("application/json", keys_json("Token")))
        }
        ("GET", "/federation/credentials") => sso(request),
        _ => Err((404, format!("nothing at {} {}", request.method, request.path))),
    }
}

fn sso(request: &HttpRequest) -> Answer {
    expect(request, "x-amz-sso_bearer_token", TOKEN)?;
    let query = form_of(&request.query);
    let get = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    if (get("account_id"), get("role_name")) != (ACCOUNT, ROLE) {
        return Err((403, "single sign-on: no such role".to_owned()));
    }
    let keys = format!(
        r#"{{"roleCredentials":{{"accessKeyId":"{ACCESS_KEY_ID}","secretAccessKey":"{SECRET_ACCESS_KEY}","sessionToken":"{SESSION_TOKEN}","expiration":4070908800000}}}}"#
    );
    Ok(("application/json", keys))
}

/// The role service. A role over keys must be signed with `BASEID`; one over a token must not be signed.
fn role(request: &HttpRequest, form: &BTreeMap<String, String>) -> Answer {
    let get = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    if get("Version") != "2011-06-15" || get("RoleArn").is_empty() || get("RoleSessionName").is_empty() {
        return Err((400, "roles: Version, RoleArn or RoleSessionName is missing".to_owned()));
    }
    match get("Action") {
        "AssumeRole" => check_signature(request).map_err(|words| (403, words))?,
        "AssumeRoleWithWebIdentity" if header(request, "authorization").is_some() => {
            return Err((400, "roles: a web identity is not signed".to_owned()));
        }
        "AssumeRoleWithWebIdentity" if get("WebIdentityToken") == TOKEN => {}
        _ => return Err((400, "roles: wrong action or token".to_owned())),
    }
    let action = get("Action");
    let body = format!(
        "<{action}Response><{action}Result><Credentials><AccessKeyId>{ACCESS_KEY_ID}</AccessKeyId>\
         <SecretAccessKey>{SECRET_ACCESS_KEY}</SecretAccessKey><SessionToken>{SESSION_TOKEN}</SessionToken>\
         <Expiration>{END}</Expiration></Credentials></{action}Result></{action}Response>"
    );
    Ok(("text/xml", body))
}

fn keys_json(token: &str) -> String {
    format!(
        r#"{{"AccessKeyId":"{ACCESS_KEY_ID}","SecretAccessKey":"{SECRET_ACCESS_KEY}","{token}":"{SESSION_TOKEN}","Expiration":"{END}"}}"#
    )
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn expect(request: &HttpRequest, name: &str, value: &str) -> Result<(), (u16, String)> {
    match header(request, name) == Some(value) {
        true => Ok(()),
        false => Err((401, format!("{}: the header {name} is missing or wrong", request.path))),
    }
}

/// Recomputes the signature of `BASEID` with the secret `base/secret`, from what arrived.
fn check_signature(request: &HttpRequest) -> Result<(), String> {
    let given = header(request, "authorization").unwrap_or_default();
    let part = |name: &str| given.split(&format!("{name}=")).nth(1).and_then(|rest| rest.split(',').next());
    let (scope, names, signature) = match (part("Credential"), part("SignedHeaders"), part("Signature")) {
        (Some(scope), Some(names), Some(signature)) => (scope, names, signature),
        _ => return Err("roles: the request is not signed".to_owned()),
    };
    let (who, scope) = scope.split_once('/').unwrap_or_default();
    if who != "BASEID" || !scope.ends_with("/sts/aws4_request") {
        return Err(format!("roles: signed by {who} for {scope}"));
    }
    let headers: String = names
        .split(';')
        .map(|name| format!("{name}:{}\n", header(request, name).unwrap_or_default()))
        .collect();
    let canonical = format!("POST\n/\n\n{headers}\n{names}\n{}", hexadecimal(hash(&request.body).as_ref()));
    let time = header(request, "x-amz-date").unwrap_or_default();
    let text =
        format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hexadecimal(hash(canonical.as_bytes()).as_ref()));
    let key = scope.split('/').fold(b"AWS4base/secret".to_vec(), |key, part| sign(&key, part));
    match hexadecimal(&sign(&key, &text)) == signature {
        true => Ok(()),
        false => Err("roles: the signature does not match".to_owned()),
    }
}

fn sign(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hash(bytes: &[u8]) -> digest::Digest {
    digest::digest(&digest::SHA256, bytes)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn form(bytes: &[u8]) -> BTreeMap<String, String> {
    crate::oauth::form(bytes)
}

fn form_of(text: &str) -> BTreeMap<String, String> {
    form(text.as_bytes())
}
