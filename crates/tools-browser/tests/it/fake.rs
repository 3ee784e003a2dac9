//! A browser in a fake web, and the tool as a model calls it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use windlass_protocol::{Arguments, CallId, Content, ImageSource, Payload};
use windlass_tool::{Context, Tool, ToolError};
use windlass_tools_browser::{Browser, BrowserAction};

pub(crate) use windlass_testkit::web::FakeWeb;

pub(crate) trait BrowseWeb {
    /// Returns the browser of this machine, which resolves names and connects in this web.
    fn browser(&self) -> Option<Browser>;
}

impl BrowseWeb for FakeWeb {
    fn browser(&self) -> Option<Browser> {
        Browser::find().map(|browser| browser.with_resolver(self.clone()).with_dialer(self.clone()))
    }
}

/// The result of a call.
pub(crate) struct Shown {
    pub(crate) text: String,
    /// The picture's type and bytes.
    pub(crate) picture: Option<(String, Vec<u8>)>,
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

pub(crate) fn context() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

/// One action, as a model requests it.
pub(crate) async fn act(tool: &BrowserAction, arguments: Value) -> Result<Shown, String> {
    match tool.call(&context(), &payload(&arguments)).await {
        Ok(output) => {
            let mut shown = Shown { text: String::new(), picture: None };
            for content in output.content {
                match content {
                    Content::Image(image) => {
                        let ImageSource::Base64(data) = image.source else { panic!("a picture elsewhere") };
                        shown.picture = Some((image.media_type, STANDARD.decode(data).unwrap()));
                    }
                    Content::Text { text, .. } => shown.text.push_str(&text),
                    other => panic!("{other:?}"),
                }
            }
            Ok(shown)
        }
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(error) => panic!("{error}"),
    }
}
