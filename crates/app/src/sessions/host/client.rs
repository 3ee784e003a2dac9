//! The parts of single sessions that come from their client: MCP servers and the editor.

use std::sync::Arc;

use windlass_sandbox::EditorFiles;

use super::SessionHost;
use crate::mcp::ConfiguredServer;

impl SessionHost {
    /// Sets the MCP servers that the next runs of a session use besides the configured ones. Protocols whose client passes
    /// servers need it. They are kept in memory only, because their variables can contain secrets; an empty list forgets
    /// them. The id may be one of [`reserve_id`](Self::reserve_id).
    pub fn set_servers(&self, session: &str, servers: Vec<ConfiguredServer>) {
        let mut state = self.shared.lock();
        if servers.is_empty() {
            state.servers.remove(session);
        } else {
            state.servers.insert(session.to_owned(), servers);
        }
    }

    /// Sets the editor that has files of a session's folder open. The next runs of the session read and change text files
    /// with their unsaved changes. `None` forgets the editor; a run that works keeps it until its end.
    pub fn set_editor(&self, session: &str, editor: Option<Arc<dyn EditorFiles>>) {
        let mut state = self.shared.lock();
        match editor {
            Some(editor) => state.editors.insert(session.to_owned(), editor),
            None => state.editors.remove(session),
        };
    }

    pub(super) fn editor_of(&self, session: &str) -> Option<Arc<dyn EditorFiles>> {
        self.shared.lock().editors.get(session).cloned()
    }

    pub(super) fn servers_of(&self, session: &str) -> Vec<ConfiguredServer> {
        self.shared.lock().servers.get(session).cloned().unwrap_or_default()
    }
}
