//! The path and the headers of requests that are forwarded.

use std::sync::{Arc, Mutex, PoisonError};

use windlass_protocol::{Delivery, Message, Request};
use windlass_wire::{EncodeError, Framing, HttpRequest, Wire};

/// Maximum number of addresses that are held. Clients choose the names of models.
const MOST_ADDRESSES: usize = 64;

/// The path and the headers of a format for one model.
#[derive(Debug)]
pub(crate) struct Address {
    /// The path, without a query.
    pub(crate) path: String,
    /// The headers, with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
}

/// The addresses of one upstream, by model and framing. A format gives an address only with an encoded request, so each is
/// read once and not for every request.
#[derive(Debug, Default)]
pub(crate) struct AddressCache(Mutex<Vec<CachedAddress>>);

#[derive(Debug)]
struct CachedAddress {
    model: String,
    framing: Framing,
    address: Arc<Address>,
}

impl AddressCache {
    /// Returns the address of the format for a model.
    ///
    /// # Errors
    /// The format lacks a path for the model.
    pub(crate) fn find(
        &self,
        wire: &dyn Wire,
        model: &str,
        framing: Framing,
    ) -> Result<Arc<Address>, EncodeError> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cached.iter().find(|known| known.framing == framing && known.model == model) {
            return Ok(Arc::clone(&known.address));
        }
        let address = Arc::new(read_address(wire, model, framing)?);
        if cached.len() >= MOST_ADDRESSES {
            cached.clear();
        }
        cached.push(CachedAddress { model: model.to_owned(), framing, address: Arc::clone(&address) });
        Ok(address)
    }
}

fn read_address(wire: &dyn Wire, model: &str, framing: Framing) -> Result<Address, EncodeError> {
    let delivery = if framing == Framing::Whole { Delivery::Whole } else { Delivery::Stream };
    let request = Request::new(model, vec![Message::user("-")]).with_delivery(delivery);
    let HttpRequest { path, headers, .. } = wire.encode(&request)?;
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let headers = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    Ok(Address { path, headers })
}

#[cfg(test)]
mod tests;
