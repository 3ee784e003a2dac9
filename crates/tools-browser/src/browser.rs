//! `Browser`: which Chromium is used, and what its pages may reach.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_web_reach::{Reach, Scope};

use crate::sight::MayFollow;
use crate::{Dialer, Limits, Resolver, SystemResolver, TcpDialer, UrlRefusal, program};

/// A Chromium, and what its pages may reach: the public web, and what the program names.
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
    pub(crate) limits: Limits,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) dialer: Arc<dyn Dialer>,
    pub(crate) may_follow: MayFollow,
}

impl Browser {
    /// The first Chromium in a list of fixed places; none is looked for in a workspace or along the search path.
    pub fn find() -> Option<Self> {
        program::find().map(Self::at)
    }

    /// The Chromium at this path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            reach: Reach::default(),
            limits: Limits::default(),
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(TcpDialer),
            may_follow: Arc::new(|_| false),
        }
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The same with one more host and port that may be reached wherever they lead, private addresses included: for
    /// what the program itself owns. Only pages that were launched at such a place reach it.
    ///
    /// # Errors
    /// If the host is none.
    pub fn with_reachable(mut self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.reach = self.reach.with(host, port, Scope::Any)?;
        Ok(self)
    }

    /// The same with one more port of a host, at public addresses.
    ///
    /// # Errors
    /// If the host is none.
    pub fn with_port(mut self, host: &str, port: u16) -> Result<Self, UrlRefusal> {
        self.reach = self.reach.with(host, port, Scope::Public)?;
        Ok(self)
    }

    /// The same with somebody who judges whether a page may go by itself to a URL at another host, port or scheme.
    /// The checks of addresses come all the same. By default it may not, and the model is told.
    pub fn with_may_follow(mut self, judge: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.may_follow = Arc::new(judge);
        self
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with another resolver.
    pub fn with_resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// The same with another way out.
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
