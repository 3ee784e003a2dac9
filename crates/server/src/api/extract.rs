//! Bodies and parameters of requests, whose errors have the form of the API's errors.

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query};

use super::error::ApiError;

/// The JSON body of a request. Its errors have the form of the API's errors.
#[derive(FromRequest)]
#[from_request(via(Json), rejection(ApiError))]
pub(crate) struct Body<T>(pub(crate) T);

/// The parameters of a request's address. Their errors have the form of the API's errors.
#[derive(FromRequestParts)]
#[from_request(via(Query), rejection(ApiError))]
pub(crate) struct Parameters<T>(pub(crate) T);
