//! A document with every kind of parameter, and helpers to call its tools.

use std::sync::Arc;

use serde_json::Value;
use windlass_protocol::{Arguments, CallId, Payload};
use windlass_tool::{Context, Output, Tool, ToolError};
use windlass_tools_openapi::{OpenApi, OperationTools, OperationToolsBuilder};

use crate::server::Server;

pub(crate) const PETS: &str = r"
openapi: 3.0.3
info: {title: Pets, version: '1'}
servers: [{url: 'https://pets.example/v1'}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      summary: Lists the pets
      parameters:
        - {name: limit, in: query, description: The number of pets., schema: {type: integer, minimum: 0, exclusiveMinimum: true, default: 20}}
        - {name: status, in: query, schema: {type: array, items: {type: string, enum: [free, sold]}}}
        - {name: filter, in: query, style: deepObject, explode: true, schema: {type: object, properties: {kind: {type: string}}}}
        - {name: page, in: query, schema: {type: object, properties: {offset: {type: integer}}}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
    post:
      operationId: addPet
      tags: [pets, write]
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: '#/components/schemas/Pet'}}
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      operationId: getPet
      tags: [pets]
      parameters: [{name: id, in: query, schema: {type: string}}]
    put:
      operationId: renamePet
      requestBody:
        content:
          application/x-www-form-urlencoded: {schema: {type: object, properties: {name: {type: string}, tags: {type: array, items: {type: string}}}}}
    delete: {}
  /pets/{id}/photo:
    post:
      operationId: uploadPhoto
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, nullable: true, example: Rex}
        parent: {$ref: '#/components/schemas/Pet'}
        kind: {type: string, enum: [dog, cat], default: dog}
";

pub(crate) fn pets() -> OpenApi {
    OpenApi::parse(PETS.as_bytes()).unwrap()
}

/// Returns a builder that may reach a server on this machine.
pub(crate) fn at<'a>(api: &'a OpenApi, server: &Server) -> OperationToolsBuilder<'a> {
    let (host, port) = (server.address.ip().to_string(), server.address.port());
    OperationTools::builder(api).base_url(server.base()).reachable(host, port)
}

pub(crate) fn tool(tools: &OperationTools, name: &str) -> Arc<dyn Tool> {
    let found = tools.tools().into_iter().find(|tool| tool.spec().name().as_str() == name);
    found.unwrap_or_else(|| panic!("no tool {name} in {tools:?}"))
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

pub(crate) async fn call(tools: &OperationTools, name: &str, arguments: &Value) -> Result<Output, ToolError> {
    let ctx = Context::new(CallId::new("call_1").unwrap());
    tool(tools, name).call(&ctx, &payload(arguments)).await
}

/// Returns the schema of a tool's arguments.
pub(crate) fn schema(tools: &OperationTools, name: &str) -> Value {
    match tool(tools, name).spec() {
        windlass_protocol::ToolSpec::Function { parameters, .. } => parameters.to_value(),
        other => panic!("{other:?}"),
    }
}
