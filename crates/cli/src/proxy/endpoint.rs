//! The socket of the gateway, and its certificate.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Context as _;
use windlass_gateway::{Listener, ServerTls};

use super::file::{ProxyFile, TlsEntry};

/// A bound socket, its address for clients and its certificate.
pub(super) struct Endpoint {
    pub(super) listener: Listener,
    pub(super) url: String,
    pub(super) tls: Option<ServerTls>,
}

/// Binds the socket that the file names in the file system, or otherwise the address.
pub(super) fn bind(file: &ProxyFile, address: SocketAddr) -> anyhow::Result<Endpoint> {
    if let Some(path) = &file.socket {
        return bind_in_file_system(path);
    }
    let tls = file.tls.as_ref().map(read_certificate).transpose()?;
    let (mut listener, address) = bind_address(address)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    if let Some(tls) = &tls {
        listener = listener.with_tls(tls.clone());
    }
    Ok(Endpoint { listener, url, tls })
}

/// Binds an address without a certificate. Returns the address with the port that the system chose.
pub(super) fn bind_address(address: SocketAddr) -> anyhow::Result<(Listener, SocketAddr)> {
    let listener = Listener::bind(address).with_context(|| format!("{address} cannot be bound"))?;
    let bound = listener.local_addr().unwrap_or(address);
    Ok((listener, bound))
}

/// Reads a certificate and its key.
pub(super) fn read_certificate(entry: &TlsEntry) -> anyhow::Result<ServerTls> {
    let (chain, key) = read_files(entry)?;
    ServerTls::from_pem(&chain, &key).with_context(|| format!("{} is refused", entry.certificate.display()))
}

/// Reads a certificate again, for later connections.
#[cfg(unix)]
pub(super) fn renew_certificate(tls: &ServerTls, entry: &TlsEntry) -> anyhow::Result<()> {
    let (chain, key) = read_files(entry)?;
    tls.replace(&chain, &key).with_context(|| format!("{} is refused", entry.certificate.display()))
}

fn read_files(entry: &TlsEntry) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
    let read =
        |path: &Path| std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
    Ok((read(&entry.certificate)?, read(&entry.key)?))
}

#[cfg(unix)]
fn bind_in_file_system(path: &Path) -> anyhow::Result<Endpoint> {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    // A socket of an earlier process stays in the file system. Nothing else is removed.
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
        let is_used = std::os::unix::net::UnixStream::connect(path).is_ok();
        anyhow::ensure!(!is_used, "another process serves {}", path.display());
        std::fs::remove_file(path).with_context(|| format!("{} cannot be removed", path.display()))?;
    }
    let failure = || format!("{} cannot be bound", path.display());
    let listener = tokio::net::UnixListener::bind(path).with_context(failure)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).with_context(failure)?;
    Ok(Endpoint { listener: listener.into(), url: format!("unix:{}", path.display()), tls: None })
}

#[cfg(not(unix))]
fn bind_in_file_system(_: &Path) -> anyhow::Result<Endpoint> {
    anyhow::bail!("`socket` needs a Unix system")
}
