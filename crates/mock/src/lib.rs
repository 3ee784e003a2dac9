#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod mock_model;
mod provider;
mod render;
pub mod script;
mod scripted_model;
#[cfg(feature = "server")]
mod server;
mod spoken;

pub use mock_model::{Fault, MockModel, SeenRequest};
pub use render::Format;
pub use script::Script;
pub use scripted_model::ScriptedModel;
#[cfg(feature = "server")]
pub use server::{RecordedRequest, ScriptedProvider, StoredFile};
