//! The proxies of the options.

use std::sync::Arc;

use http::Uri;
use http::uri::Scheme;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::options::{HttpError, HttpOptions};

/// Chooses the proxy of a URL.
#[derive(Clone)]
pub(super) struct Proxies(Arc<Matcher>);

impl Proxies {
    pub(super) fn new(options: &HttpOptions) -> Result<Self, HttpError> {
        let mut builder = Matcher::builder();
        if let Some(url) = &options.http_proxy {
            check(url, "http")?;
            builder = builder.http(url.clone());
        }
        if let Some(url) = &options.https_proxy {
            check(url, "https")?;
            builder = builder.https(url.clone());
        }
        if let Some(hosts) = &options.no_proxy {
            builder = builder.no(hosts.clone());
        }
        Ok(Self(Arc::new(builder.build())))
    }

    /// Returns the proxy of a URL, if the options name one.
    pub(super) fn find(&self, target: &Uri) -> Option<Intercept> {
        self.0.intercept(target)
    }
}

/// Refuses the URL of a proxy that the matcher would ignore, and other protocols than HTTP.
fn check(url: &str, scheme: &'static str) -> Result<(), HttpError> {
    let refuse = |why: &str| HttpError::Proxy { scheme, source: why.to_owned().into() };
    let matcher = Matcher::builder().http(url.to_owned()).build();
    let proxy = matcher.intercept(&Uri::from_static("http://localhost"));
    match proxy.as_ref().map(|proxy| proxy.uri().scheme()) {
        Some(Some(scheme)) if scheme == &Scheme::HTTP => Ok(()),
        Some(Some(_)) => Err(refuse("the proxy is reached over http; give a URL that begins with http://")),
        _ => Err(refuse("the text is not a URL with a host")),
    }
}
