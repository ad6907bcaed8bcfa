//! TLS whose trust store is read at the first handshake.
//!
//! Reading and parsing the machine's certificates takes milliseconds, and many sessions talk to a plain local
//! server. The verifier below puts that work off until a server actually shows a certificate; our own certificate is
//! read when a server asks for it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ResolvesClientCert, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Text in PEM form, from wherever the caller keeps it. It is asked for once, when it is needed.
#[derive(Clone)]
pub struct PemSource {
    /// What the user calls it, for messages.
    name: String,
    load: Arc<dyn Fn() -> Result<String, String> + Send + Sync>,
}

impl PemSource {
    /// `load` says in its error why there is no text.
    pub fn new(
        name: impl Into<String>,
        load: impl Fn() -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), load: Arc::new(load) }
    }

    fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, String> {
        let text = (self.load)().map_err(|cause| format!("{}: {cause}", self.name))?;
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
        let found = found.map_err(|error| format!("{} is not valid PEM: {error}", self.name))?;
        if found.is_empty() {
            return Err(format!("{} contains no PEM certificate", self.name));
        }
        Ok(found)
    }

    fn key(&self) -> Result<PrivateKeyDer<'static>, String> {
        let text = (self.load)().map_err(|cause| format!("{}: {cause}", self.name))?;
        // The library's words could repeat a line of the key.
        PrivateKeyDer::from_pem_slice(text.as_bytes())
            .map_err(|_| format!("{} contains no PEM private key", self.name))
    }
}

impl fmt::Debug for PemSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PemSource({})", self.name)
    }
}

/// Who is trusted beyond the machine's own authorities, and who we are to servers that ask.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// More authorities.
    pub authorities: Option<PemSource>,
    /// Our certificate with its chain, and its key.
    pub identity: Option<(PemSource, PemSource)>,
}

/// A client configuration that costs almost nothing to build.
pub(crate) fn config() -> Result<ClientConfig, Error> {
    config_with(&TlsOptions::default())
}

/// The same, with the user's authorities and certificate.
pub(crate) fn config_with(options: &TlsOptions) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(LazyVerifier {
        provider: Arc::clone(&provider),
        authorities: options.authorities.clone(),
        inner: OnceLock::new(),
    });
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match &options.identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => builder.with_client_cert_resolver(Arc::new(LazyIdentity {
            provider,
            certificate: certificate.clone(),
            key: key.clone(),
            inner: OnceLock::new(),
        })),
    };
    // Nobody else offers HTTP/2 for a configuration made by hand; with it, turns share one connection.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[derive(Debug)]
struct LazyVerifier {
    provider: Arc<CryptoProvider>,
    authorities: Option<PemSource>,
    inner: OnceLock<Result<Trust, String>>,
}

/// Who is trusted.
#[derive(Debug)]
struct Trust {
    verifier: Arc<WebPkiServerVerifier>,
    /// Why the user's own authorities are not among them.
    problem: Option<String>,
}

impl LazyVerifier {
    fn inner(&self) -> Result<&Trust, Error> {
        let loaded = self.inner.get_or_init(|| load(&self.provider, self.authorities.as_ref()));
        loaded.as_ref().map_err(|reason| Error::General(reason.clone()))
    }
}

fn load(provider: &Arc<CryptoProvider>, authorities: Option<&PemSource>) -> Result<Trust, String> {
    let native = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(native.certs);
    // A variable left over from another program must not stop requests that do not need it.
    let problem = match authorities.map(PemSource::certificates) {
        Some(Ok(certificates)) => {
            roots.add_parsable_certificates(certificates);
            None
        }
        Some(Err(problem)) => Some(problem),
        None => None,
    };
    if roots.is_empty() {
        let cause = native.errors.first().map_or_else(String::new, |error| format!(" ({error})"));
        return Err(format!(
            "no trusted certificates found on this machine{cause}; install ca-certificates or set SSL_CERT_FILE"
        ));
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| error.to_string())?;
    Ok(Trust { verifier, problem })
}

/// Our certificate, read when a server asks who we are.
#[derive(Debug)]
struct LazyIdentity {
    provider: Arc<CryptoProvider>,
    certificate: PemSource,
    key: PemSource,
    inner: OnceLock<Option<Arc<CertifiedKey>>>,
}

impl LazyIdentity {
    fn load(&self) -> Result<CertifiedKey, String> {
        let chain = self.certificate.certificates()?;
        let key = self.key.key()?;
        CertifiedKey::from_der(chain, key, &self.provider)
            .map_err(|error| format!("{} and {} do not match: {error}", self.certificate.name, self.key.name))
    }
}

impl ResolvesClientCert for LazyIdentity {
    /// Without a usable certificate the server decides what to do with a stranger.
    fn resolve(&self, _authorities: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.inner.get_or_init(|| self.load().ok().map(Arc::new)).clone()
    }

    fn has_certs(&self) -> bool {
        true
    }
}

impl ServerCertVerifier for LazyVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let trust = self.inner()?;
        let verified =
            trust.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        verified.map_err(|error| match &trust.problem {
            Some(problem) => Error::General(format!("{error} ({problem})")),
            None => error,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http2_is_offered() {
        assert_eq!(config().unwrap().alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
    }

    /// Building a client reads no certificates; the first handshake does.
    #[test]
    fn certificates_are_read_once_and_late() {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = LazyVerifier { provider, authorities: None, inner: OnceLock::new() };
        assert!(verifier.inner.get().is_none());
        let address = |trust: &Trust| Arc::as_ptr(&trust.verifier);
        let first = verifier.inner().map(address).ok();
        assert_eq!(verifier.inner().map(address).ok(), first);
        assert!(verifier.inner.get().is_some());
    }
}
