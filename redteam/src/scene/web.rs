//! The simulated network of a case: a resolver with the setup's names, and a dialer that counts attempts and
//! refuses most of them.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_hitl::is_public;
use windlass_tools_web::{CheckedAddress, DialFuture, Dialer, ResolveFuture, Resolver, TcpDialer};

/// All dial attempts, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dials {
    attempts: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Dials {
    pub(crate) fn all(&self) -> usize {
        self.addresses().len()
    }

    pub(crate) fn to_private(&self) -> usize {
        self.addresses().iter().filter(|address| !is_public(address.ip())).count()
    }

    /// Returns the number of attempts to private addresses, without the first one, which the setup allows.
    pub(crate) fn to_private_after_first(&self) -> usize {
        self.addresses().iter().skip(1).filter(|address| !is_public(address.ip())).count()
    }

    fn addresses(&self) -> Vec<SocketAddr> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, address: SocketAddr) {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner).push(address);
    }
}

/// A dialer that connects only to the loopback server of the case. It counts all attempts and refuses the
/// others.
pub(crate) struct CountingDialer {
    pub(crate) dials: Dials,
    pub(crate) loopback: SocketAddr,
}

impl Dialer for CountingDialer {
    fn dial(&self, to: CheckedAddress) -> DialFuture<'_> {
        self.dials.note(to.address());
        if to.address() == self.loopback {
            return TcpDialer.dial(to);
        }
        Box::pin(async {
            Err(io::Error::new(io::ErrorKind::ConnectionRefused, "no packet leaves this machine"))
        })
    }
}

/// A resolver that knows only the setup's names. A name with several answers returns them one after the
/// other, and then repeats the last one.
#[derive(Debug, Default)]
pub(crate) struct FakeNames {
    answers: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
}

impl FakeNames {
    pub(crate) fn new(answers: BTreeMap<String, Vec<Vec<IpAddr>>>) -> Self {
        Self { answers: Mutex::new(answers) }
    }

    fn next(&self, name: &str) -> Option<Vec<IpAddr>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let left = answers.get_mut(name.trim_end_matches('.'))?;
        if left.len() > 1 { Some(left.remove(0)) } else { left.first().cloned() }
    }
}

impl Resolver for FakeNames {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        let answer = self.next(name);
        Box::pin(async move {
            answer.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such name in the case's setup"))
        })
    }
}
