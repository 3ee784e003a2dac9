//! The list of a server's tools.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::connection::Connection;
use super::pages::{Extent, ListError, Listing};
use super::param_headers::ParamHeaders;
use crate::definition::{Definition, RefusedTool};
use crate::{McpLimits, McpServer};

/// The tools of one listing, sorted by name.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) tools: BTreeMap<String, Arc<Definition>>,
    pub(crate) refused: Vec<RefusedTool>,
    /// The server's time to live of the list.
    pub(crate) ttl: Option<Duration>,
    bytes: usize,
    /// True if the server's version sends arguments as headers.
    has_headers: bool,
}

impl Catalogue {
    /// Requests all pages. If a limit cut the list, `refused` has an entry for the rest.
    pub(crate) async fn list(connection: &Connection, server: &McpServer) -> Result<Self, ListError> {
        let limits = server.limits();
        let origin = server.origin();
        let mut catalogue = Self { has_headers: connection.ledger().is_stateless(), ..Self::default() };
        let mut take = |raw: &str| {
            if !catalogue.has_room(limits) {
                return ControlFlow::Break(());
            }
            catalogue.take(raw, server.id(), &origin, limits);
            ControlFlow::Continue(())
        };
        let listed = Listing::Tools.read(connection, limits, &mut take).await?;
        catalogue.ttl = listed.ttl;
        if listed.extent == Extent::Cut {
            let why =
                format!("more than {} tools or {} bytes are not accepted", limits.tools, limits.list_bytes);
            catalogue.refused.push(RefusedTool::new("the rest of the list", why));
        }
        Ok(catalogue)
    }

    fn has_room(&self, limits: &McpLimits) -> bool {
        self.tools.len().saturating_add(self.refused.len()) < limits.tools && self.bytes < limits.list_bytes
    }

    fn take(&mut self, raw: &str, server: &str, origin: &str, limits: &McpLimits) {
        self.bytes = self.bytes.saturating_add(raw.len());
        match Definition::read(raw, server, origin, limits) {
            Ok(definition) if self.tools.contains_key(&definition.name) => {
                self.refused.push(RefusedTool::new(&definition.name, "it is listed twice".to_owned()));
            }
            Ok(definition) => {
                if self.has_headers
                    && let Err(why) = ParamHeaders::read(definition.input_schema.as_str())
                {
                    self.refused.push(RefusedTool::new(&definition.name, why.to_owned()));
                    return;
                }
                self.tools.insert(definition.name.clone(), Arc::new(definition));
            }
            Err(refused) => self.refused.push(refused),
        }
    }
}
