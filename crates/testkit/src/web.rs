//! `FakeWeb`: names and addresses of a test, of which only loopback can be reached.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_hitl::is_public;
use windlass_web_reach::{CheckedAddress, DialFuture, Dialer, ResolveFuture, Resolver, TcpDialer};

/// A public address without a server.
pub const PUBLIC: [u8; 4] = [93, 184, 216, 34];

/// A resolver that answers from a list, and a dialer that records the dials and reaches loopback only. Clones share
/// their state, so that a test can look at it while a program uses it.
///
/// ```
/// use windlass_testkit::web::FakeWeb;
/// use windlass_web_reach::Resolver;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let web = FakeWeb::default().with_name("a.test", &[&["93.184.216.34"]]);
/// assert_eq!(web.resolve("a.test").await?.len(), 1);
/// assert!(web.resolve("b.test").await?.is_empty());
/// assert_eq!(web.lookups(), ["a.test", "b.test"]);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FakeWeb(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    /// The answers for a name, one after the other; the last one stays.
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    /// The answer for a name without an entry.
    unknown: Vec<IpAddr>,
    lookups: Vec<String>,
    dials: Vec<SocketAddr>,
    /// The servers behind public addresses.
    servers: HashMap<IpAddr, SocketAddr>,
}

impl FakeWeb {
    /// Creates a web in which a name without an entry has the address [`PUBLIC`]. By default, it has no address.
    pub fn open() -> Self {
        let web = Self::default();
        web.inner().unknown = vec![PUBLIC.into()];
        web
    }

    /// Adds a name with its answers, of which each look-up takes the next; the last answer stays.
    ///
    /// # Panics
    /// If an address is not an IP address.
    pub fn with_name(self, name: &str, answers: &[&[&str]]) -> Self {
        let parse = |answer: &&[&str]| answer.iter().map(|address| parse(address)).collect();
        self.inner().names.insert(name.to_owned(), answers.iter().map(parse).collect());
        self
    }

    /// Adds a name at a public address, behind which a server on loopback listens.
    ///
    /// # Panics
    /// If the address is not an IP address.
    pub fn with_server(self, name: &str, address: &str, server: SocketAddr) -> Self {
        self.inner().servers.insert(parse(address), server);
        self.with_name(name, &[&[address]])
    }

    /// Returns the names that were looked up, in order.
    pub fn lookups(&self) -> Vec<String> {
        self.inner().lookups.clone()
    }

    /// Returns the addresses that were dialed, in order.
    pub fn dials(&self) -> Vec<SocketAddr> {
        self.inner().dials.clone()
    }

    /// Returns the dials to addresses that are not public.
    pub fn hidden_dials(&self) -> Vec<SocketAddr> {
        self.dials().into_iter().filter(|address| !is_public(address.ip())).collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse(address: &str) -> IpAddr {
    address.parse().expect("a test names IP addresses")
}

impl Resolver for FakeWeb {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        let mut inner = self.inner();
        inner.lookups.push(name.to_owned());
        let answer = match inner.names.get_mut(name) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers.first().cloned().unwrap_or_default(),
            None => inner.unknown.clone(),
        };
        Box::pin(async move { Ok(answer) })
    }
}

impl Dialer for FakeWeb {
    fn dial(&self, to: CheckedAddress) -> DialFuture<'_> {
        let address = to.address();
        let server = {
            let mut inner = self.inner();
            inner.dials.push(address);
            inner.servers.get(&address.ip()).copied()
        };
        Box::pin(async move {
            match server {
                Some(server) => tokio::net::TcpStream::connect(server).await?.into_std(),
                None if address.ip().is_loopback() => TcpDialer.dial(to).await,
                None => Err(io::Error::new(io::ErrorKind::ConnectionRefused, "no server has the address")),
            }
        })
    }
}
