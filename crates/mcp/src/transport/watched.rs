//! A transport that closes its ledger when it ends, so that open requests fail.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;

use super::ledger::Ledger;

/// A transport of the engine, and the ledger of its requests.
pub(crate) struct WatchedTransport<T> {
    pub(crate) inner: T,
    pub(crate) ledger: Arc<Ledger>,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.ledger.close();
        }
        message
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.ledger.close();
        self.inner.close().await
    }
}
