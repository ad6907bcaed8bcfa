//! Certificates that the environment names: authorities to trust, and our own for a gateway.

use std::path::Path;

use omp_llm::registry::is_gateway;
use omp_llm::{PemSource, TlsOptions};
use omp_workspace::open::{OpenedPath, open};

use crate::environment::Environment;

const AUTHORITIES: &str = "NODE_EXTRA_CA_CERTS";
const CERTIFICATE: &str = "CLAUDE_CODE_CLIENT_CERT";
const KEY: &str = "CLAUDE_CODE_CLIENT_KEY";
/// The authorities of the whole world are a quarter of it.
const LARGEST: u64 = 1024 * 1024;

/// What the environment says. Files are read at the first handshake that needs them. A certificate of our own is shown
/// only while there is a gateway.
pub(crate) fn options(environment: &dyn Environment) -> TlsOptions {
    let source = |name: &'static str| {
        let value = set(environment, name)?;
        Some(PemSource::new(name, move || pem(&value)))
    };
    let identity = source(CERTIFICATE).zip(source(KEY)).filter(|_| has_gateway(environment));
    TlsOptions { authorities: source(AUTHORITIES), identity }
}

/// What the user should know about the certificate for the gateway before it is shown.
pub(crate) fn problem(environment: &dyn Environment) -> Option<String> {
    if !has_gateway(environment) {
        return None;
    }
    match (set(environment, CERTIFICATE), set(environment, KEY)) {
        (None, None) => None,
        (Some(_), None) => Some(format!("{CERTIFICATE} is set, but {KEY} is not; no certificate is shown.")),
        (None, Some(_)) => Some(format!("{KEY} is set, but {CERTIFICATE} is not; no certificate is shown.")),
        (Some(certificate), Some(key)) => {
            [(CERTIFICATE, certificate), (KEY, key)].iter().find_map(|(name, value)| {
                let cause = pem(value).err()?;
                Some(format!("{name}: {cause}; no certificate is shown."))
            })
        }
    }
}

fn has_gateway(environment: &dyn Environment) -> bool {
    is_gateway(|name| environment.var(name))
}

fn set(environment: &dyn Environment, name: &str) -> Option<String> {
    environment.var(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The text itself, with its line breaks written out or as `\n`, or the path of a file that holds it.
fn pem(value: &str) -> Result<String, String> {
    if value.contains("-----BEGIN ") {
        return Ok(value.replace("\\n", "\n"));
    }
    let unreadable = |cause: String| format!("{value} cannot be read ({cause})");
    match open(Path::new(value)) {
        Ok(OpenedPath::File(file, metadata)) if metadata.len() <= LARGEST => {
            std::io::read_to_string(file).map_err(|error| unreadable(error.to_string()))
        }
        Ok(OpenedPath::File(..)) => Err(unreadable("it is larger than 1 MiB".to_owned())),
        Ok(OpenedPath::Directory) => Err(unreadable("it is a directory".to_owned())),
        Ok(OpenedPath::Special(kind)) => Err(unreadable(format!("it is {}", kind.name()))),
        Err(error) => Err(unreadable(error.to_string())),
    }
}
