//! The examples that the kit needs.

use windlass_protocol::Request;

/// A request that the format can encode, and an answer of the provider.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WireExamples<'a> {
    /// A request that ends with a message of the user.
    pub request: &'a Request,
    /// The bytes of a complete streamed answer with several events, best with a call.
    pub stream: &'a [u8],
    /// The same answer as one body, if the provider has this form.
    pub whole: Option<&'a [u8]>,
}

impl<'a> WireExamples<'a> {
    /// Creates examples without a whole body.
    pub fn new(request: &'a Request, stream: &'a [u8]) -> Self {
        Self { request, stream, whole: None }
    }

    /// Sets the answer as one body.
    pub fn with_whole(mut self, body: &'a [u8]) -> Self {
        self.whole = Some(body);
        self
    }
}
