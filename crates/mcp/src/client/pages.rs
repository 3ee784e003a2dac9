//! Paginated lists of a server (RULES M1).

use std::ops::ControlFlow;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_tool::CancellationToken;

use super::connection::{Connection, Wait};
use crate::McpLimits;
use crate::failure::Failure;
use crate::pieces::Pieces;
use crate::transport::message::object;

/// A kind of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

/// Completeness of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Cut,
}

/// The outcome of a list request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListOutcome {
    pub(crate) extent: Extent,
    /// The shortest of the pages' times to live, or `None` if the server sent none.
    pub(crate) ttl: Option<Duration>,
}

/// Error of a list request.
#[derive(Debug)]
pub(crate) enum ListError {
    Failure(Failure),
    Unfit(String),
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, alias = "resources", alias = "resourceTemplates", alias = "prompts")]
    tools: Pieces<'a>,
    #[serde(default, rename = "nextCursor")]
    next: Option<String>,
    #[serde(borrow, default, rename = "ttlMs")]
    ttl: Option<&'a RawValue>,
}

impl ListError {
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Failure(failure) => failure.describe(),
            Self::Unfit(why) => why.clone(),
        }
    }
}

impl Listing {
    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        match self {
            Self::Tools => ListToolsRequest { params, ..ListToolsRequest::default() }.into(),
            Self::Resources => ListResourcesRequest { params, ..ListResourcesRequest::default() }.into(),
            Self::ResourceTemplates => {
                ListResourceTemplatesRequest { params, ..ListResourceTemplatesRequest::default() }.into()
            }
            Self::Prompts => ListPromptsRequest { params, ..ListPromptsRequest::default() }.into(),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resource templates",
            Self::Prompts => "prompts",
        }
    }

    /// Requests all pages and passes the raw text of each member to `take`. Returns [`Extent::Cut`] if `take`
    /// breaks, if a page has too many members, or after `McpLimits::pages` pages.
    pub(crate) async fn read(
        self,
        connection: &Connection,
        limits: &McpLimits,
        take: &mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
    ) -> Result<ListOutcome, ListError> {
        let stop = CancellationToken::new();
        let wait = Wait { limit: limits.start_request_timeout(), stop: &stop, told: &|_| {} };
        let mut cursor: Option<String> = None;
        let mut ttl: Option<Duration> = None;
        for _ in 0..limits.pages.max(1) {
            let page = connection.request(self.request(cursor.clone()), wait).await;
            let page = page.map_err(ListError::Failure)?;
            let page: Page<'_> = object(page.get()).map_err(|error| {
                ListError::Unfit(format!(
                    "its list of {} is not valid: \
                     {error}",
                    self.word()
                ))
            })?;
            ttl = [ttl, page.ttl()].into_iter().flatten().min();
            for raw in &page.tools.kept {
                if take(raw.get()).is_break() {
                    return Ok(ListOutcome { extent: Extent::Cut, ttl });
                }
            }
            match page.next {
                _ if page.tools.more > 0 => return Ok(ListOutcome { extent: Extent::Cut, ttl }),
                Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
                _ => return Ok(ListOutcome { extent: Extent::Whole, ttl }),
            }
        }
        Ok(ListOutcome { extent: Extent::Cut, ttl })
    }
}

impl Page<'_> {
    /// Returns the page's time to live. A negative number counts as zero, and any other value as none.
    fn ttl(&self) -> Option<Duration> {
        let milliseconds: i128 = self.ttl?.get().parse().ok()?;
        Some(Duration::from_millis(u64::try_from(milliseconds.max(0)).unwrap_or(u64::MAX)))
    }
}
