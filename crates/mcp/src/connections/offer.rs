//! The selection of tools that a model sees: all of them, or those that it found by a search.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use windlass_toolbox::{DynamicTools, ToolVisibility};

use super::Shared;
use super::search::ToolSearch;
use crate::McpClient;

/// The list of dynamic tools, and the number of tools above which most of them are deferred.
pub(crate) struct Offers {
    dynamic: Option<DynamicTools>,
    defer_over: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The tools that a search found, by server and name.
    found: BTreeSet<(String, String)>,
    /// The tools of each server as they were offered last.
    offered: BTreeMap<String, Vec<OfferedTools>>,
    is_deferring: bool,
}

#[derive(PartialEq, Eq)]
struct OfferedTools {
    name: String,
    fingerprint: String,
    offer: ToolVisibility,
}

impl Offers {
    pub(crate) fn new(dynamic: Option<DynamicTools>, defer_over: usize) -> Self {
        Self { dynamic, defer_over, state: Mutex::default() }
    }

    /// Offers the current tools from the next turn on (RULES M1). Servers whose tools did not change are left
    /// alone. Returns true if the offer changed.
    pub(crate) fn renew(&self, clients: &BTreeMap<String, McpClient>, shared: &Weak<Shared>) -> bool {
        let Some(dynamic) = &self.dynamic else { return false };
        let mut is_changed = false;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count: usize = clients.values().map(|client| client.list_enabled().len()).sum();
        let is_deferring = count > self.defer_over;
        for (id, client) in clients {
            let offer = |name: &str| {
                let is_found = state.found.contains(&(id.clone(), name.to_owned()));
                if is_deferring && !is_found { ToolVisibility::Deferred } else { ToolVisibility::Shown }
            };
            let now: Vec<OfferedTools> = client
                .list_enabled()
                .iter()
                .map(|definition| OfferedTools {
                    name: definition.name.clone(),
                    fingerprint: definition.fingerprint.clone(),
                    offer: offer(&definition.name),
                })
                .collect();
            if state.offered.get(id).map(Vec::as_slice).unwrap_or_default() == now.as_slice() {
                continue;
            }
            let tools = client.tools_with_identities().into_iter().map(|(identity, tool)| {
                let offer = offer(identity.remote().map_or("", |(_, name)| name));
                (identity, tool, offer)
            });
            dynamic.set_server(id, tools);
            state.offered.insert(id.clone(), now);
            is_changed = true;
        }
        if is_deferring && !state.is_deferring {
            // A program's own tool with this name has precedence; then the search is not offered.
            let _ = dynamic.add(Arc::new(ToolSearch::new(shared.clone())));
        } else if !is_deferring && state.is_deferring {
            dynamic.remove(ToolSearch::NAME);
        }
        state.is_deferring = is_deferring;
        is_changed
    }

    /// Withdraws all tools.
    pub(crate) fn clear(&self) {
        let Some(dynamic) = &self.dynamic else { return };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for id in std::mem::take(&mut state.offered).into_keys() {
            dynamic.set_server(&id, []);
        }
        if std::mem::take(&mut state.is_deferring) {
            dynamic.remove(ToolSearch::NAME);
        }
    }

    /// Records tools that a search found.
    pub(crate) fn record_found(&self, tools: impl Iterator<Item = (String, String)>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).found.extend(tools);
    }
}
