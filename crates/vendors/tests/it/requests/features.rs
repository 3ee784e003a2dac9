//! The features of a request, each set on a request without it.

use windlass_protocol::{
    CodeExecution, ComputerUse, Delivery, EarlierPreamble, Effort, File, FileSearch, Grammar, HostedTool,
    Image, ImageGeneration, McpServer, Message, OutputFormat, OutputSchema, ParallelCalls, Part, PromptCache,
    Request, Role, Strictness, ToolChoice, ToolMatching, ToolName, ToolSearch, ToolSpec, UserLocation,
    Verbosity, WebFetch, WebSearch,
};

/// A feature of a request.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    /// A word that the error of a refusal contains.
    pub(crate) word: &'static str,
    pub(crate) put: fn(&mut Request),
    /// True if formats other than Anthropic's do without the feature.
    pub(crate) silent: bool,
    /// The only format that has the row.
    pub(crate) only: Option<&'static str>,
    pub(crate) model: Option<&'static str>,
}

const fn feature(name: &'static str, word: &'static str, put: fn(&mut Request)) -> Feature {
    Feature { name, word, put, silent: false, only: None, model: None }
}

impl Feature {
    const fn silent(mut self) -> Self {
        self.silent = true;
        self
    }

    const fn only(mut self, format: &'static str, model: &'static str) -> Self {
        (self.only, self.model) = (Some(format), Some(model));
        self
    }
}

fn host(request: &mut Request, tool: impl Into<HostedTool>) {
    request.options.hosted_tools.push(tool.into());
}

fn say(request: &mut Request, part: impl Into<Part>) {
    request.messages[0].parts.push(part.into());
}

fn schema(strict: Strictness) -> OutputFormat {
    let schema = r#"{"type":"object","properties":{"sky":{"type":"string"}},"required":["sky"],"additionalProperties":false}"#;
    OutputFormat::Schema(OutputSchema::new("weather", schema.parse().unwrap()).with_strict(strict))
}

fn place() -> UserLocation {
    UserLocation::default().with_city("Graz").with_country("AT").with_timezone("Europe/Vienna")
}

fn server() -> McpServer {
    McpServer::new("issues", "https://mcp.example.org/mcp")
}

pub(crate) const GROUPS: &[(&str, &[Feature])] = &[
    ("Caching", CACHING),
    ("Options", OPTIONS),
    ("Tools", TOOLS),
    ("Parts", PARTS),
    ("Structured output", OUTPUT),
    ("Hosted tools", HOSTED),
];

const CACHING: &[Feature] = &[
    feature("marks of the format (`PromptCache::Default`)", "cache", |request| {
        request.options.prompt_cache = PromptCache::Default;
    })
    .silent(),
    feature("a cache that the provider stores (`stored_cache`)", "stored_cache", |request| {
        request.options.stored_cache = Some("cachedContents/1".to_owned());
    }),
    feature("a change of the tools (`earlier_preambles`), Opus 5", "tools", |request| {
        let name = ToolName::new("plan").unwrap();
        let plan = ToolSpec::function(name, "Plans.", r#"{"type":"object"}"#.parse().unwrap());
        let earlier = std::mem::replace(&mut request.tools, vec![plan]);
        let messages = request.messages.len();
        request.earlier_preambles.push(EarlierPreamble::new(messages, request.system.clone(), earlier));
    })
    .only("anthropic", "claude-opus-5"),
];

const OPTIONS: &[Feature] = &[
    feature("`max_output_tokens`", "max_output_tokens", |request| {
        request.options.max_output_tokens = Some(4000);
    }),
    feature("`temperature`", "temperature", |request| request.options.temperature = Some(0.5)),
    feature("`top_p`", "top_p", |request| request.options.top_p = Some(0.9)),
    feature("`stop_sequences`", "stop_sequences", |request| {
        request.options.stop_sequences = vec!["END".to_owned()];
    }),
    feature("`seed`", "seed", |request| request.options.seed = Some(7)),
    feature("`reasoning`", "reasoning", |request| request.options.reasoning = Some(Effort::Low)),
    feature("`verbosity`", "verbosity", |request| request.options.verbosity = Some(Verbosity::Low)),
    feature("`service_tier`", "service_tier", |request| {
        request.options.service_tier = Some("flex".to_owned());
    }),
    feature("`metadata`, label `user_id`", "metadata", |request| {
        request.options.metadata.insert("user_id".to_owned(), "u1".to_owned());
    }),
    feature("`metadata`, another label", "metadata", |request| {
        request.options.metadata.insert("team".to_owned(), "a".to_owned());
    }),
    feature("`extra`, field `own`", "extra", |request| {
        request.options.extra.insert("own".to_owned(), 1.into());
    }),
    feature("a message of the developer inside the conversation", "developer", |request| {
        request.messages.push(Message::new(Role::System, vec![Part::text("Answer in German.")]));
    }),
    feature("an answer in one body", "delivery", |request| request.delivery = Delivery::Whole).silent(),
];

const TOOLS: &[Feature] = &[
    feature("choice: no call", "choice", |request| request.options.tool_choice = ToolChoice::None),
    feature("choice: any call", "choice", |request| request.options.tool_choice = ToolChoice::Required),
    feature("choice: a call of one tool", "choice", |request| {
        request.options.tool_choice = ToolChoice::Named(ToolName::new("look").unwrap());
    }),
    feature("at most one call", "limit of one call", |request| {
        request.options.parallel_calls = ParallelCalls::Forbid;
    }),
    feature("arguments as the model writes them", "eager", |request| {
        request.tools = request.tools.drain(..).map(ToolSpec::with_eager_arguments).collect();
    })
    .silent(),
    feature("a tool with free text and a grammar", "the form of the tool", |request| {
        request.tools.push(ToolSpec::Freeform {
            name: ToolName::new("patch").unwrap(),
            description: "Patches.".to_owned(),
            grammar: Some(Grammar::Lark("start: \"a\"".to_owned())),
        });
    }),
];

const PARTS: &[Feature] = &[
    feature("text", "text", |request| say(request, "three")),
    feature("image, bytes", "image", |request| say(request, Image::base64("image/png", "cG5n"))),
    feature("image, URL", "image", |request| {
        say(request, Image::url("image/png", "https://example.org/a.png"));
    }),
    feature("PDF, bytes", "document", |request| {
        say(request, File::base64("application/pdf", "cGRm").with_name(Some("a.pdf".to_owned())));
    }),
    feature("PDF, URL", "URL", |request| {
        say(request, File::url("application/pdf", "https://example.org/a.pdf"));
    }),
    feature("PDF, id of an upload", "upload", |request| {
        say(request, File::from_upload("application/pdf", "file-1"));
    }),
];

const OUTPUT: &[Feature] = &[
    feature("any JSON object", "JSON", |request| {
        request.output = OutputFormat::Json;
        say(request, "Answer as JSON.");
    }),
    feature("a JSON Schema", "schema", |request| request.output = schema(Strictness::Unsaid)),
    feature("a JSON Schema, enforced", "schema", |request| request.output = schema(Strictness::On)),
];

const HOSTED: &[Feature] = &[
    feature("`web_search`", "web_search", |request| host(request, WebSearch::default())),
    feature("`web_search` of `gpt-5-search-api`", "web_search", |request| {
        host(request, WebSearch::default().with_location(place()));
    })
    .only("openai-chat", "gpt-5-search-api"),
    feature("`web_search`, allowed domains", "web_search", |request| {
        host(request, WebSearch::default().with_allowed_domains(["docs.rs"]));
    }),
    feature("`web_search`, blocked domains", "web_search", |request| {
        host(request, WebSearch::default().with_blocked_domains(["example.org"]));
    }),
    feature("`web_search`, number of uses", "web_search", |request| {
        host(request, WebSearch::default().with_max_uses(3));
    }),
    feature("`web_search`, place of the user", "web_search", |request| {
        host(request, WebSearch::default().with_location(place()));
    }),
    feature("`web_fetch`", "web_fetch", |request| host(request, WebFetch::default())),
    feature("`web_fetch`, allowed domains", "web_fetch", |request| {
        host(request, WebFetch::default().with_allowed_domains(["docs.rs"]));
    }),
    feature("`code_execution`", "code_execution", |request| host(request, CodeExecution::default())),
    feature("`code_execution`, files", "code_execution", |request| {
        host(request, CodeExecution::default().with_files(["file-1"]));
    }),
    feature("`file_search`", "file_search", |request| {
        host(request, FileSearch::new(["store-1"]).with_max_results(5));
    }),
    feature("`computer_use`", "computer_use", |request| host(request, ComputerUse::new(1280, 800))),
    feature("`mcp`", "mcp", |request| host(request, server().with_authorization("token"))),
    feature("`mcp`, some tools", "mcp", |request| host(request, server().with_allowed_tools(["search"]))),
    feature("`mcp`, with approval", "mcp", |request| host(request, server().with_approval())),
    feature("`tool_search`", "tool_search", |request| {
        host(request, ToolSearch::default().with_deferred([ToolName::new("look").unwrap()]));
    }),
    feature("`tool_search`, regular expressions", "tool_search", |request| {
        host(request, ToolSearch::default().with_matching(ToolMatching::Pattern));
    }),
    feature("`image_generation`", "image_generation", |request| {
        host(request, ImageGeneration::default().with_size("1024x1024").with_format("png"));
    }),
    feature("a definition of another format", "fly", |request| {
        host(request, HostedTool::native("other", serde_json::json!({ "type": "fly" })));
    }),
];
