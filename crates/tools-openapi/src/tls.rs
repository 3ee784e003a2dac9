//! TLS configuration: rustls with ring, and the roots that browsers trust.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::OpenApiError;

/// Returns the roots that browsers trust.
pub(crate) fn roots() -> RootCertStore {
    let mut store = RootCertStore::empty();
    store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    store
}

/// Adds the PEM certificates of an authority.
pub(crate) fn add(store: &mut RootCertStore, pem: &[u8]) -> Result<(), OpenApiError> {
    let fail = |problem: String| OpenApiError::Root { problem };
    let mut count = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| fail(error.to_string()))?;
        store.add(certificate).map_err(|error| fail(error.to_string()))?;
        count = count.saturating_add(1);
    }
    if count == 0 { Err(fail("it contains no certificate".to_owned())) } else { Ok(()) }
}

/// Builds a configuration that neither reads nor sets the process's default crypto provider.
pub(crate) fn config(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}
