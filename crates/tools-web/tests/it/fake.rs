//! A closed web of names and addresses: the resolver answers from a list, and the dialer counts and reaches
//! loopback only.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use windlass_hitl::is_public;
use windlass_tools_web::{Checked, DialFuture, Dialer, Fetch, ResolveFuture, Resolver, TcpDialer};

/// A public address without a server in these tests.
pub(crate) const PUBLIC: [u8; 4] = [93, 184, 216, 34];

/// The fake web, shared by the fetch and the test that looks at it.
#[derive(Clone, Default)]
pub(crate) struct FakeWeb(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    /// The answers for a name in order; the last one is repeated.
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Vec<String>,
    dialed: Vec<SocketAddr>,
    /// The real address behind each fake address.
    behind: HashMap<IpAddr, SocketAddr>,
}

impl FakeWeb {
    pub(crate) fn with_name(self, name: &str, answers: &[&[&str]]) -> Self {
        let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        self.0.lock().unwrap().names.insert(name.to_owned(), answers.iter().map(parse).collect());
        self
    }

    /// A name at a public address, behind which a loopback server listens.
    pub(crate) fn with_server(self, name: &str, address: &str, server: SocketAddr) -> Self {
        self.0.lock().unwrap().behind.insert(address.parse().unwrap(), server);
        self.with_name(name, &[&[address]])
    }

    pub(crate) fn fetch(&self) -> Fetch {
        Fetch::new().with_resolver(self.clone()).with_dialer(self.clone())
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }

    pub(crate) fn dialed(&self) -> Vec<SocketAddr> {
        self.0.lock().unwrap().dialed.clone()
    }

    /// Returns the dials to hidden addresses, which must not exist.
    pub(crate) fn dialed_hidden(&self) -> Vec<SocketAddr> {
        self.dialed().into_iter().filter(|address| !is_public(address.ip())).collect()
    }
}

impl Resolver for FakeWeb {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        let mut inner = self.0.lock().unwrap();
        inner.asked.push(name.to_owned());
        let found = match inner.names.get_mut(name) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers.first().cloned().unwrap_or_default(),
            None => vec![PUBLIC.into()],
        };
        Box::pin(async move { Ok(found) })
    }
}

impl Dialer for FakeWeb {
    fn dial(&self, to: Checked) -> DialFuture<'_> {
        let address = to.address();
        let behind = {
            let mut inner = self.0.lock().unwrap();
            inner.dialed.push(address);
            inner.behind.get(&address.ip()).copied()
        };
        Box::pin(async move {
            match behind {
                Some(server) => tokio::net::TcpStream::connect(server).await?.into_std(),
                None if address.ip().is_loopback() => TcpDialer.dial(to).await,
                None => Err(io::Error::new(io::ErrorKind::ConnectionRefused, "nobody is there")),
            }
        })
    }
}
