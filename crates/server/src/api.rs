//! The HTTP API.

mod error;
mod extract;
mod feed;
mod files;
mod login;
mod openapi;
mod overview;
mod routes;
mod runs;
mod sessions;
mod values;

pub(crate) use self::error::ApiError;
pub use self::openapi::openapi_document;
pub(crate) use self::routes::{device_router, open_router, upload_router};
