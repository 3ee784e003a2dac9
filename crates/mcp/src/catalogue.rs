//! The tools that a server lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::definition::{Definition, RefusedTool};
use crate::message::object;
use crate::pieces::Pieces;
use crate::{Limits, McpServer};

/// The tools of one listing, in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) tools: BTreeMap<String, Arc<Definition>>,
    pub(crate) refused: Vec<RefusedTool>,
    bytes: usize,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Pieces<'a>,
    #[serde(default, rename = "nextCursor")]
    next: Option<String>,
}

impl Catalogue {
    /// Asks for all pages (RULES M1). A list that never ends is cut, and that is said among the refused.
    pub(crate) async fn list(connection: &Connection, server: &McpServer) -> Result<Self, String> {
        let limits = server.limits();
        let stop = CancellationToken::new();
        let origin = server.origin();
        let mut catalogue = Self::default();
        let mut cursor: Option<String> = None;
        for _ in 0..limits.pages.max(1) {
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
            let params = to_raw_value(&params).map_err(|error| error.to_string())?;
            let page = connection.request("tools/list", &params, limits.beyond_start(), &stop).await;
            let page = page.map_err(|failure| failure.told())?;
            let page: Page<'_> =
                object(page.get()).map_err(|error| format!("its list of tools is none: {error}"))?;
            let mut is_cut = page.tools.more > 0;
            for raw in &page.tools.kept {
                if !catalogue.has_room(limits) {
                    is_cut = true;
                    break;
                }
                catalogue.take(raw.get(), server.id(), &origin, limits);
            }
            match page.next {
                _ if is_cut => break,
                Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
                _ => return Ok(catalogue),
            }
        }
        let why = format!("more than {} tools or {} bytes are not taken", limits.tools, limits.list_bytes);
        catalogue.refused.push(RefusedTool::new("the rest of the list", why));
        Ok(catalogue)
    }

    fn has_room(&self, limits: &Limits) -> bool {
        self.tools.len().saturating_add(self.refused.len()) < limits.tools && self.bytes < limits.list_bytes
    }

    fn take(&mut self, raw: &str, server: &str, origin: &str, limits: &Limits) {
        self.bytes = self.bytes.saturating_add(raw.len());
        match Definition::read(raw, server, origin, limits) {
            Ok(definition) if self.tools.contains_key(&definition.name) => {
                self.refused.push(RefusedTool::new(&definition.name, "it is listed twice".to_owned()));
            }
            Ok(definition) => {
                self.tools.insert(definition.name.clone(), Arc::new(definition));
            }
            Err(refused) => self.refused.push(refused),
        }
    }
}
