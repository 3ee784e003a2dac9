//! The parts of a request that determine how it is handled. They are read once.

use std::sync::Arc;

use windlass_wire::{Outline, Server};

use crate::embeddings::Embeddings;
use crate::{ClientRequest, compact};

/// Kind of a request for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Answer,
    Embeddings(Embeddings),
    Compaction,
}

impl RequestKind {
    /// Finds the kind by the path of a request.
    pub(crate) fn find(request: &ClientRequest) -> Self {
        match Embeddings::find(request) {
            Some(api) => Self::Embeddings(api),
            None if compact::is_compaction(request) => Self::Compaction,
            None => Self::Answer,
        }
    }

    /// Returns the format of a request of this kind.
    pub(crate) fn server<'a>(
        self,
        servers: &'a [Arc<dyn Server>],
        request: &ClientRequest,
    ) -> Option<&'a dyn Server> {
        let mut servers = servers.iter().map(AsRef::as_ref);
        match self {
            Self::Answer => servers.find(|server| server.serves(&request.path)),
            Self::Embeddings(api) => servers.find(|server| server.embeddings_api() == Some(api.api())),
            Self::Compaction => servers.find(|server| server.stores_responses()),
        }
    }

    fn outline(self, server: Option<&dyn Server>, request: &ClientRequest) -> Option<Outline> {
        match self {
            Self::Answer => server?.outline(&request.path, &request.body).ok(),
            Self::Embeddings(api) => api.outline(request).ok(),
            Self::Compaction => compact::outline(server?, request).ok(),
        }
    }
}

/// The parts of a request that are read before a gateway answers it.
#[derive(Clone)]
pub(crate) struct RequestSummary {
    pub(crate) kind: RequestKind,
    /// The model and the framing; `None` if they were not read or cannot be read.
    pub(crate) outline: Option<Outline>,
}

impl RequestSummary {
    /// Reads the path of a request.
    pub(crate) fn read(request: &ClientRequest) -> Self {
        Self { kind: RequestKind::find(request), outline: None }
    }

    /// Reads the model and the framing, too. The format is that of the request.
    pub(crate) fn with_outline(mut self, server: Option<&dyn Server>, request: &ClientRequest) -> Self {
        self.outline = self.kind.outline(server, request);
        self
    }
}
