//! A route of the API: its handler, and its description for the OpenAPI document.

use std::sync::Arc;

use axum::routing::MethodRouter;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::state::Shared;

type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// The content of a successful response.
pub(super) enum Content {
    None,
    Json(MakeSchema),
    /// Text of this media type.
    Text(&'static str),
    /// Server-sent events whose data have this schema.
    Events(MakeSchema),
}

/// A route of the API.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// True if the route needs no token.
    pub(super) is_open: bool,
    /// True if the body may contain files.
    pub(super) takes_files: bool,
    pub(super) status: u16,
    pub(super) body: Option<MakeSchema>,
    /// Parameters of the address after the question mark, with their descriptions.
    pub(super) parameters: &'static [(&'static str, &'static str)],
    pub(super) content: Content,
    pub(super) handler: MethodRouter<Arc<Shared>>,
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Route {
    pub(super) fn new(
        (method, path): (&'static str, &'static str),
        summary: &'static str,
        handler: MethodRouter<Arc<Shared>>,
    ) -> Self {
        Self {
            method,
            path,
            summary,
            is_open: false,
            takes_files: false,
            status: 200,
            body: None,
            parameters: &[],
            content: Content::None,
            handler,
        }
    }

    pub(super) fn open(self) -> Self {
        Self { is_open: true, ..self }
    }

    pub(super) fn takes_files(self) -> Self {
        Self { takes_files: true, ..self }
    }

    pub(super) fn takes<T: JsonSchema>(self) -> Self {
        Self { body: Some(schema::<T>), ..self }
    }

    pub(super) fn with_parameters(self, parameters: &'static [(&'static str, &'static str)]) -> Self {
        Self { parameters, ..self }
    }

    pub(super) fn returns<T: JsonSchema>(self, status: u16) -> Self {
        Self { status, content: Content::Json(schema::<T>), ..self }
    }

    pub(super) fn returns_text(self, media_type: &'static str) -> Self {
        Self { content: Content::Text(media_type), ..self }
    }

    pub(super) fn returns_events<T: JsonSchema>(self) -> Self {
        Self { content: Content::Events(schema::<T>), ..self }
    }

    pub(super) fn returns_nothing(self, status: u16) -> Self {
        Self { status, ..self }
    }
}
