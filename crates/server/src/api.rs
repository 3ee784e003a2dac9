//! The HTTP API.

mod error;
mod extract;
mod feed;
mod files;
mod login;
mod openapi;
mod overview;
#[cfg(feature = "web-push")]
mod push;
mod route;
mod routes;
mod runs;
mod sessions;
mod values;

pub(crate) use self::error::{ApiError, refuse_method, refuse_path};
pub use self::openapi::openapi_document;
#[cfg(feature = "web-push")]
pub(crate) use self::overview::open_questions;
pub(crate) use self::routes::{device_router, open_router, upload_router};
