//! Compilation of tool schemas to the vendor's dialect, and restoration of the arguments (RULES N5).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use windlass_assemble::{AssembleOptions, Normalizer};
use windlass_protocol::{Arguments, OutputFormat, RawJson, Request, Strictness, ToolSpec};
use windlass_schema::{CompileOptions, CompiledSchema, Dialect, Loss, RootUnion};
use windlass_stream::{CallChunk, CallKey, Chunk, ChunkStream, FreeText, ModelError};

/// Maximum number of cached schemas; a run uses a few dozen.
const KEPT: usize = 1024;

/// Cache of compiled schemas, so that each schema is compiled once instead of once per turn.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    kept: Mutex<HashMap<(Dialect, String), Arc<CompiledSchema>>>,
}

/// A request with compiled schemas.
pub(crate) struct CompiledRequest<'a> {
    pub(crate) request: Cow<'a, Request>,
    pub(crate) restorations: Restorations,
}

/// Compiled schemas, by tool name, whose arguments must be mapped back to the author's schema.
pub(crate) struct Restorations(BTreeMap<String, Arc<CompiledSchema>>);

/// Callback for a schema that a dialect cannot express completely: the tool's name and the lost constraints.
type LossReport<'a> = &'a dyn Fn(&str, &[Loss]);

impl Schemas {
    /// Returns the request with its schemas compiled to a dialect. Calls `report` once for each schema with
    /// losses.
    pub(crate) fn compile_request<'a>(
        &self,
        request: &'a Request,
        dialect: Dialect,
        report: LossReport<'_>,
    ) -> CompiledRequest<'a> {
        let (mut shown, mut restorations) = (Cow::Borrowed(request), BTreeMap::new());
        let earlier = request.all_tools().count().saturating_sub(request.tools.len());
        for (at, tool) in request.all_tools().enumerate() {
            let ToolSpec::Function { name, parameters, strict, .. } = tool else { continue };
            let compiled = self.compile(name.as_str(), parameters, strict_dialect(dialect, *strict), report);
            if compiled.schema.as_str() != parameters.as_str()
                && let Some(ToolSpec::Function { parameters, .. }) = shown.to_mut().all_tools_mut().nth(at)
            {
                *parameters = compiled.schema.clone();
            }
            // The model can call only the offered tools.
            if at >= earlier && compiled.has_restoration() {
                restorations.insert(name.as_str().to_owned(), compiled);
            }
        }
        if let OutputFormat::Schema(output) = &request.output {
            let compiled =
                self.compile(&output.name, &output.schema, strict_dialect(dialect, output.strict), report);
            // The output is text and is not mapped back, so a schema that renames or wraps properties stays
            // as it is.
            if !compiled.has_restoration()
                && let OutputFormat::Schema(output) = &mut shown.to_mut().output
            {
                output.schema = compiled.schema.clone();
            }
        }
        CompiledRequest { request: shown, restorations: Restorations(restorations) }
    }

    fn compile(
        &self,
        name: &str,
        schema: &RawJson,
        dialect: Dialect,
        report: LossReport<'_>,
    ) -> Arc<CompiledSchema> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (dialect, schema.as_str().to_owned());
        if let Some(compiled) = kept.get(&key) {
            return compiled.clone();
        }
        // Merges a union at the root instead of wrapping it in a property: wrapped arguments could be neither
        // shown nor checked while they stream. The author's schema still checks which properties go together.
        let options = CompileOptions::default().with_root_union(RootUnion::Merge);
        let compiled = Arc::new(dialect.compile_with(schema, options));
        if !compiled.losses.is_empty() {
            report(name, &compiled.losses);
        }
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, compiled.clone());
        compiled
    }
}

/// Returns the dialect for the strictness of a schema.
fn strict_dialect(dialect: Dialect, strict: Strictness) -> Dialect {
    match (dialect, strict) {
        (Dialect::OpenAi, Strictness::On) => Dialect::OpenAiStrict,
        (dialect, _) => dialect,
    }
}

impl Restorations {
    /// Maps the arguments in an answer back to the authors' schemas, and the calls of tools that were sent as
    /// functions back to free text.
    pub(crate) fn restore(self, chunks: ChunkStream, free_text: FreeText) -> ChunkStream {
        if self.0.is_empty() && free_text.is_empty() {
            return chunks;
        }
        let state = Some((chunks, ArgumentRestorer::new(self.0, free_text)));
        let pieces = stream::unfold(state, |state| async move {
            let (mut chunks, mut restoring) = state?;
            let mut out: Vec<Result<Chunk, ModelError>> = Vec::new();
            let next = match chunks.next().await {
                Some(Ok(chunk)) => {
                    restoring.push(chunk, &mut out);
                    Some((chunks, restoring))
                }
                Some(Err(error)) => {
                    out.push(Err(error));
                    None
                }
                None => {
                    restoring.finish(&mut out);
                    None
                }
            };
            Some((stream::iter(out), next))
        });
        Box::pin(pieces.flatten())
    }
}

/// Buffers the calls of tools that need a restoration until their arguments are complete.
struct ArgumentRestorer {
    normalizer: Normalizer,
    tools: BTreeMap<String, Arc<CompiledSchema>>,
    open: BTreeMap<CallKey, (Arc<CompiledSchema>, String)>,
    free_text: FreeText,
}

impl ArgumentRestorer {
    fn new(tools: BTreeMap<String, Arc<CompiledSchema>>, free_text: FreeText) -> Self {
        let normalizer = Normalizer::new(AssembleOptions::default());
        Self { normalizer, tools, open: BTreeMap::new(), free_text }
    }

    fn push(&mut self, chunk: Chunk, out: &mut Vec<Result<Chunk, ModelError>>) {
        let mut normal = Vec::new();
        self.normalizer.push(chunk, &mut normal);
        self.forward(normal, out);
    }

    fn finish(mut self, out: &mut Vec<Result<Chunk, ModelError>>) {
        let mut normal = Vec::new();
        std::mem::replace(&mut self.normalizer, Normalizer::new(AssembleOptions::default()))
            .finish(&mut normal);
        self.forward(normal, out);
        // Incomplete arguments are emitted unchanged: such a call does not run.
        let mut rest = Vec::new();
        for (key, (_, arguments)) in std::mem::take(&mut self.open) {
            self.free_text.push(Chunk::Call(CallChunk::Delta { key, arguments }), &mut rest);
        }
        self.free_text.finish(&mut rest);
        out.extend(rest.into_iter().map(Ok));
    }

    fn forward(&mut self, normal: Vec<Chunk>, out: &mut Vec<Result<Chunk, ModelError>>) {
        let (mut restored, mut free) = (Vec::new(), Vec::new());
        for chunk in normal {
            self.take(chunk, &mut restored);
        }
        for chunk in restored {
            self.free_text.push(chunk, &mut free);
        }
        out.extend(free.into_iter().map(Ok));
    }

    fn take(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        match chunk {
            Chunk::Call(CallChunk::Start { key, id, name, opaque }) => {
                if let Some(compiled) = self.tools.get(&name) {
                    self.open.insert(key, (compiled.clone(), String::new()));
                }
                out.push(Chunk::Call(CallChunk::Start { key, id, name, opaque }));
            }
            Chunk::Call(CallChunk::Delta { key, arguments }) => match self.open.get_mut(&key) {
                Some((_, held)) => held.push_str(&arguments),
                None => out.push(Chunk::Call(CallChunk::Delta { key, arguments })),
            },
            Chunk::Call(CallChunk::End { key, arguments }) => {
                if let Some((compiled, held)) = self.open.remove(&key) {
                    let arguments = match Arguments::parse(held.as_str()) {
                        Ok(shown) => compiled.restore(&shown).as_str().to_owned(),
                        Err(_) => held,
                    };
                    out.push(Chunk::Call(CallChunk::Delta { key, arguments }));
                }
                out.push(Chunk::Call(CallChunk::End { key, arguments }));
            }
            // Calls that are still open were cut off; emit their arguments before the end.
            finish @ (Chunk::Finish { .. } | Chunk::Error { .. }) => {
                for (key, (_, arguments)) in std::mem::take(&mut self.open) {
                    out.push(Chunk::Call(CallChunk::Delta { key, arguments }));
                }
                out.push(finish);
            }
            other => out.push(other),
        }
    }
}
