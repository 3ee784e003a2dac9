//! A fetch in a fake web.

use windlass_tools_web::Fetch;

pub(crate) use windlass_testkit::web::{FakeWeb, PUBLIC};

pub(crate) trait FetchWeb {
    /// Returns a fetch that resolves names and connects in this web.
    fn fetch(&self) -> Fetch;
}

impl FetchWeb for FakeWeb {
    fn fetch(&self) -> Fetch {
        Fetch::new().with_resolver(self.clone()).with_dialer(self.clone())
    }
}
