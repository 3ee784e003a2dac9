//! The certificate authorities, and the TLS configuration that trusts them.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::RootError;

/// Returns the roots that browsers trust.
pub(super) fn browser_roots() -> RootCertStore {
    let mut store = RootCertStore::empty();
    store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    store
}

/// Adds the PEM certificates of an authority.
pub(super) fn add(store: &mut RootCertStore, pem: &[u8]) -> Result<(), RootError> {
    let malformed = |problem: String| RootError::Malformed { problem };
    let mut count = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| malformed(error.to_string()))?;
        store.add(certificate).map_err(|error| malformed(error.to_string()))?;
        count = count.saturating_add(1);
    }
    if count == 0 { Err(RootError::Empty) } else { Ok(()) }
}

/// Builds a configuration that neither reads nor sets the process's default crypto provider.
pub(super) fn to_config(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}
