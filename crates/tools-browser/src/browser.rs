//! Configuration of the browser: the Chromium to use, and the network that its pages may reach.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_web_reach::{Reach, Scope};

use crate::sight::MayFollow;
use crate::{BrowserLimits, Dialer, Resolver, SystemResolver, TcpDialer, UrlRefusal, program};

/// A Chromium and the network that its pages may reach: the public web, and addresses that the program
/// allows.
///
/// ```
/// use windlass_tools_browser::Browser;
/// let browser = Browser::at("/usr/bin/chromium").with_reachable("localhost", 5173)?;
/// assert_eq!(browser.program().to_str(), Some("/usr/bin/chromium"));
/// # Ok::<(), windlass_tools_browser::UrlRefusal>(())
/// ```
#[derive(Clone)]
pub struct Browser {
    pub(crate) program: PathBuf,
    pub(crate) reach: Reach,
    pub(crate) limits: BrowserLimits,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) dialer: Arc<dyn Dialer>,
    pub(crate) may_follow: MayFollow,
}

impl Browser {
    /// Returns the first Chromium in a list of fixed places, or `None`. Does not search the workspace or the
    /// search path.
    pub fn find() -> Option<Self> {
        program::find().map(Self::at)
    }

    /// Creates the configuration for the Chromium at this path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            reach: Reach::default(),
            limits: BrowserLimits::default(),
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(TcpDialer),
            may_follow: Arc::new(|_| false),
        }
    }

    /// Returns the path of the Chromium.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Allows one more host and port with any address, also a private one. Use it for servers that the
    /// program itself owns. Only pages that were launched at such a place can reach it.
    ///
    /// # Errors
    /// The host is not valid.
    pub fn with_reachable(mut self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.reach = self.reach.with_host(host, port, Scope::Any)?;
        Ok(self)
    }

    /// Allows one more port of a host, at public addresses only.
    ///
    /// # Errors
    /// The host is not valid.
    pub fn with_port(mut self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.reach = self.reach.with_host(host, port, Scope::Public)?;
        Ok(self)
    }

    /// Sets the callback that decides whether a page may navigate by itself to a URL with another host, port
    /// or scheme. The checks of addresses still apply. By default such navigation is refused, and the result
    /// reports it.
    pub fn with_may_follow(mut self, decide: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.may_follow = Arc::new(decide);
        self
    }

    /// Replaces the limits.
    pub fn with_limits(mut self, limits: BrowserLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces the resolver of host names.
    pub fn with_resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Replaces the dialer of connections.
    pub fn with_dialer(mut self, dialer: impl Dialer + 'static) -> Self {
        self.dialer = Arc::new(dialer);
        self
    }
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser")
            .field("program", &self.program)
            .field("reach", &self.reach)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
