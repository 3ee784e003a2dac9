//! Gate for all connections of a page: checks the endpoint, resolves it once, checks the addresses, and
//! dials.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use windlass_web_reach::{HostPort, Reach, Scope, check_addresses};

use crate::{Dialer, ReachError, Resolver};

/// Maximum number of addresses of a name that are tried.
const MAX_ATTEMPTS: usize = 4;
/// Maximum number of refusals that are stored until the next result.
const MAX_TOLD: usize = 20;

/// The outgoing connections of one browser.
pub(crate) struct Gate {
    reach: Reach,
    /// The scope of the launched page: a place that the program allowed, or the public web.
    home: Scope,
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    connect: Duration,
    refusals: Mutex<VecDeque<(Option<HostPort>, String)>>,
}

impl Gate {
    pub(crate) fn new(
        reach: Reach,
        home: Scope,
        (resolver, dialer): (Arc<dyn Resolver>, Arc<dyn Dialer>),
        connect: Duration,
    ) -> Self {
        Self { reach, home, resolver, dialer, connect, refusals: Mutex::default() }
    }

    /// Opens a connection to an endpoint, if it is allowed. Cancel-safe: a dropped future leaves no
    /// connection.
    pub(crate) async fn open(&self, to: &HostPort) -> Result<TcpStream, ReachError> {
        // Only the browser itself requests such names, so they are not resolved and not reported.
        if to.is_nowhere() {
            let source = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
            return Err(ReachError::Unresolved { host: to.host.clone(), source });
        }
        let opened = self.connect_to(to).await;
        if let Err(refusal) = &opened {
            self.note(Some(to), refusal);
        }
        opened
    }

    /// Stores a refusal for the next result.
    pub(crate) fn note(&self, to: Option<&HostPort>, refusal: &ReachError) {
        let told = (to.cloned(), windlass_tool::describe_error(refusal));
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() < MAX_TOLD && !refusals.contains(&told) {
            refusals.push_back(told);
        }
    }

    /// Returns and removes the stored refusals.
    pub(crate) fn take_refusals(&self) -> Vec<(Option<HostPort>, String)> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }

    async fn connect_to(&self, to: &HostPort) -> Result<TcpStream, ReachError> {
        let scope = self.reach.scope(to, Some(self.home))?;
        let late = || io::Error::from(io::ErrorKind::TimedOut);
        let addresses = timeout(self.connect, check_addresses(to, scope, &*self.resolver))
            .await
            .map_err(|_| ReachError::Unresolved { host: to.host.clone(), source: late() })??;
        let attempts = addresses.len().clamp(1, MAX_ATTEMPTS);
        // An address that never answers must leave time for the others.
        let each = self.connect / u32::try_from(attempts).unwrap_or(1);
        let mut last = late();
        for address in addresses.into_iter().take(attempts) {
            match timeout(each, self.dialer.dial(address)).await {
                Ok(Ok(stream)) => match TcpStream::from_std(stream) {
                    Ok(stream) => return Ok(stream),
                    Err(error) => last = error,
                },
                Ok(Err(error)) => last = error,
                Err(_) => last = late(),
            }
        }
        Err(ReachError::Unreachable { host: to.host.clone(), source: last })
    }
}
