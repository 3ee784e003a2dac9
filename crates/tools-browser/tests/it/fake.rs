//! A closed web of names and addresses, and the tool as a model calls it.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use windlass_hitl::is_public;
use windlass_protocol::{Arguments, CallId, Content, ImageSource, Payload};
use windlass_tool::{Context, Tool, ToolError};
use windlass_tools_browser::{
    Browser, BrowserAction, Checked, DialFuture, Dialer, ResolveFuture, Resolver, TcpDialer,
};

/// The fake web, shared by the browser and the test that looks at it.
#[derive(Clone, Default)]
pub(crate) struct FakeWeb(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    names: HashMap<String, Vec<IpAddr>>,
    /// Where each address leads in truth.
    behind: HashMap<IpAddr, SocketAddr>,
    dialed: Vec<SocketAddr>,
}

impl FakeWeb {
    pub(crate) fn with_name(self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.0.lock().unwrap().names.insert(name.to_owned(), addresses);
        self
    }

    /// A name at a public address, behind which a loopback server listens.
    pub(crate) fn with_server(self, name: &str, address: &str, server: SocketAddr) -> Self {
        self.0.lock().unwrap().behind.insert(address.parse().unwrap(), server);
        self.with_name(name, &[address])
    }

    pub(crate) fn dialed(&self) -> Vec<SocketAddr> {
        self.0.lock().unwrap().dialed.clone()
    }

    /// The dials that must never be.
    pub(crate) fn dialed_hidden(&self) -> Vec<SocketAddr> {
        self.dialed().into_iter().filter(|address| !is_public(address.ip())).collect()
    }

    /// The browser of this machine in this web.
    pub(crate) fn browser(&self) -> Option<Browser> {
        Browser::find().map(|browser| browser.with_resolver(self.clone()).with_dialer(self.clone()))
    }
}

impl Resolver for FakeWeb {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolveFuture<'a> {
        let found = self.0.lock().unwrap().names.get(name).cloned().unwrap_or_default();
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

/// The result of a call.
pub(crate) struct Shown {
    pub(crate) text: String,
    /// The picture's type and bytes.
    pub(crate) picture: Option<(String, Vec<u8>)>,
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

pub(crate) fn context() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

/// One action, as a model requests it.
pub(crate) async fn act(tool: &BrowserAction, arguments: Value) -> Result<Shown, String> {
    match tool.call(&context(), &payload(&arguments)).await {
        Ok(output) => {
            let mut shown = Shown { text: String::new(), picture: None };
            for content in output.content {
                match content {
                    Content::Image(image) => {
                        let ImageSource::Base64(data) = image.source else { panic!("a picture elsewhere") };
                        shown.picture = Some((image.media_type, STANDARD.decode(data).unwrap()));
                    }
                    Content::Text { text, .. } => shown.text.push_str(&text),
                    other => panic!("{other:?}"),
                }
            }
            Ok(shown)
        }
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(error) => panic!("{error}"),
    }
}
