//! TLS whose trust store is read at the first handshake.
//!
//! Reading and parsing the machine's certificates takes milliseconds, and many sessions talk to a plain local
//! server. The verifier below puts that work off until a server actually shows a certificate.

use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// A client configuration that costs almost nothing to build.
pub(crate) fn config() -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(LazyVerifier { provider: Arc::clone(&provider), inner: OnceLock::new() });
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    // Nobody else offers HTTP/2 for a configuration made by hand; with it, turns share one connection.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[derive(Debug)]
struct LazyVerifier {
    provider: Arc<CryptoProvider>,
    inner: OnceLock<Result<Arc<WebPkiServerVerifier>, String>>,
}

impl LazyVerifier {
    fn inner(&self) -> Result<&Arc<WebPkiServerVerifier>, Error> {
        let loaded = self.inner.get_or_init(|| load(&self.provider));
        loaded.as_ref().map_err(|reason| Error::General(reason.clone()))
    }
}

fn load(provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, String> {
    let native = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(native.certs);
    if roots.is_empty() {
        let cause = native.errors.first().map_or_else(String::new, |error| format!(" ({error})"));
        return Err(format!(
            "no trusted certificates found on this machine{cause}; install ca-certificates or set SSL_CERT_FILE"
        ));
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| error.to_string())
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
        self.inner()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
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
        let verifier = LazyVerifier { provider, inner: OnceLock::new() };
        assert!(verifier.inner.get().is_none());
        let first = verifier.inner().map(Arc::as_ptr).ok();
        assert_eq!(verifier.inner().map(Arc::as_ptr).ok(), first);
        assert!(verifier.inner.get().is_some());
    }
}
