//! The features of a request, each set on a request without it.

use windlass_protocol::{
    Arguments, CallId, CodeExecution, ComputerEnvironment, ComputerUse, Content, Delivery, EarlierPreamble,
    Effort, File, FileSearch, Grammar, HostedTool, Image, ImageGeneration, McpServer, Message, OutputFormat,
    OutputSchema, ParallelCalls, Part, Payload, ProgrammaticCalling, PromptCache, Reasoning, Request,
    ResultStatus, Role, Strictness, ToolCall, ToolChoice, ToolMatching, ToolName, ToolResult, ToolSearch,
    ToolSpec, Unknown, UserLocation, Verbosity, WebFetch, WebSearch,
};

/// A feature of a request.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    /// A word that the error of a refusal contains.
    pub(crate) word: &'static str,
    pub(crate) put: fn(&mut Request),
    /// The addition to the request without the feature.
    pub(crate) base: Option<fn(&mut Request)>,
    /// The formats that do without the feature.
    pub(crate) silent_at: &'static [&'static str],
    /// The only format that has the row.
    pub(crate) only: Option<&'static str>,
    pub(crate) model: Option<&'static str>,
}

const fn feature(name: &'static str, word: &'static str, put: fn(&mut Request)) -> Feature {
    Feature { name, word, put, base: None, silent_at: &[], only: None, model: None }
}

impl Feature {
    const fn silent(self) -> Self {
        self.silent_at(&["openai-chat", "openai-responses", "gemini"])
    }

    const fn never_sent(self) -> Self {
        self.silent_at(&["openai-chat", "openai-responses", "anthropic", "gemini"])
    }

    const fn silent_at(mut self, formats: &'static [&'static str]) -> Self {
        self.silent_at = formats;
        self
    }

    const fn with_base(mut self, base: fn(&mut Request)) -> Self {
        self.base = Some(base);
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

/// Adds a call with this payload, and a result with this status and content.
fn answer(request: &mut Request, name: &str, payload: Payload, status: ResultStatus, content: Vec<Content>) {
    let id = CallId::new(format!("call_{}", request.messages.len())).unwrap();
    let call = ToolCall::new(id.clone(), ToolName::new(name).unwrap(), payload);
    request.messages.push(Message::assistant(vec![Part::Call(call)]));
    request.messages.push(Message::results([ToolResult::new(id, status, content)]));
}

fn call(request: &mut Request, name: &str, payload: Payload) {
    answer(request, name, payload, ResultStatus::Ok, vec![Content::text("seen")]);
}

fn arguments() -> Arguments {
    Arguments::parse(r#"{"at":"sky"}"#).unwrap()
}

/// Adds a call of the function, and a result with a text.
fn call_function(request: &mut Request) {
    call(request, "look", Payload::Function { arguments: arguments() });
}

/// Adds a content to the last result.
fn add_content(request: &mut Request, content: Content) {
    let last = request.messages.len() - 1;
    let Some(Part::Result(result)) = request.messages[last].parts.last_mut() else { return };
    result.content.push(content);
}

fn set_strict(request: &mut Request, enforcement: Strictness) {
    for tool in &mut request.tools {
        let ToolSpec::Function { parameters, strict, .. } = tool else { continue };
        *parameters = SCHEMA.parse().unwrap();
        *strict = enforcement;
    }
}

fn describe_results(request: &mut Request) {
    let with_schema = |tool: ToolSpec| tool.with_output_schema(SCHEMA.parse().unwrap());
    request.tools = request.tools.drain(..).map(with_schema).collect();
}

const SCHEMA: &str = r#"{"type":"object","properties":{"sky":{"type":"string"}},"required":["sky"],"additionalProperties":false}"#;

fn schema(strict: Strictness) -> OutputFormat {
    OutputFormat::Schema(OutputSchema::new("weather", SCHEMA.parse().unwrap()).with_strict(strict))
}

fn patch(request: &mut Request, grammar: Option<Grammar>) {
    let (name, description) = (ToolName::new("patch").unwrap(), "Patches.".to_owned());
    request.tools.push(ToolSpec::Freeform { name, description, grammar });
}

fn place() -> UserLocation {
    UserLocation::default()
        .with_city("Graz")
        .with_region("Styria")
        .with_country("AT")
        .with_timezone("Europe/Vienna")
}

fn programs() -> ProgrammaticCalling {
    ProgrammaticCalling::new([ToolName::new("look").unwrap()])
}

fn server() -> McpServer {
    McpServer::new("issues", "https://mcp.example.org/mcp")
}

pub(crate) const GROUPS: &[(&str, &[Feature])] = &[
    ("Caching", CACHING),
    ("Options", OPTIONS),
    ("Tools", TOOLS),
    ("Parts", PARTS),
    ("Calls and results", CALLS),
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
    feature("`reasoning`, off", "reasoning", |request| request.options.reasoning = Some(Effort::Off))
        .silent_at(&["anthropic"]),
    feature("`reasoning`, minimal", "reasoning", |request| {
        request.options.reasoning = Some(Effort::Minimal);
    }),
    feature("`reasoning`, medium", "reasoning", |request| request.options.reasoning = Some(Effort::Medium)),
    feature("`reasoning`, high", "reasoning", |request| request.options.reasoning = Some(Effort::High)),
    feature("`reasoning`, max", "reasoning", |request| request.options.reasoning = Some(Effort::Max)),
    feature("`reasoning`, a number of tokens", "reasoning", |request| {
        request.options.reasoning = Some(Effort::Budget(3000));
    }),
    feature("`verbosity`", "verbosity", |request| request.options.verbosity = Some(Verbosity::Low)),
    feature("`verbosity`, medium", "verbosity", |request| {
        request.options.verbosity = Some(Verbosity::Medium);
    }),
    feature("`verbosity`, high", "verbosity", |request| request.options.verbosity = Some(Verbosity::High)),
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
    feature("several calls, said", "several calls", |request| {
        request.options.parallel_calls = ParallelCalls::Allow;
    })
    .silent(),
    feature("a schema that the provider enforces", "strict", |request| set_strict(request, Strictness::On))
        .with_base(|request| set_strict(request, Strictness::Unsaid)),
    feature("a schema that the provider does not enforce", "strict", |request| {
        set_strict(request, Strictness::Off);
    })
    .with_base(|request| set_strict(request, Strictness::Unsaid))
    .silent_at(&["gemini", "openai-responses"]),
    feature("arguments as the model writes them", "eager", |request| {
        request.tools = request.tools.drain(..).map(ToolSpec::with_eager_arguments).collect();
    })
    .silent(),
    feature("the schema of a function's results", "output_schema", describe_results).never_sent(),
    feature("the schema of a function's results, called by programs", "output_schema", |request| {
        host(request, programs());
        describe_results(request);
    })
    .with_base(|request| host(request, programs()))
    .only("openai-responses", "gpt-5.1"),
    feature("a tool with free text", "the form of the tool", |request| patch(request, None)),
    feature("a tool with free text and a grammar", "the form of the tool", |request| {
        patch(request, Some(Grammar::Lark("start: \"a\"".to_owned())));
    }),
    feature("a tool with free text and a regular expression", "the form of the tool", |request| {
        patch(request, Some(Grammar::Regex("a+".to_owned())));
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
    feature("image, id of an upload", "upload", |request| {
        say(request, File::from_upload("image/png", "file-1"));
    }),
    feature("text file, bytes", "document", |request| {
        say(request, File::base64("text/plain", "YSB0ZXh0").with_name(Some("a.txt".to_owned())));
    }),
    feature("recording, bytes", "audio", |request| say(request, File::base64("audio/wav", "d2F2"))),
    feature("reasoning of another format", "reasoning", |request| {
        let thoughts = Part::Reasoning(Reasoning::new("perhaps", None));
        request.messages.push(Message::assistant(vec![thoughts, Part::text("yes")]));
        request.messages.push(Message::user("more"));
    })
    .with_base(|request| {
        request.messages.push(Message::assistant(vec![Part::text("yes")]));
        request.messages.push(Message::user("more"));
    })
    .never_sent(),
    feature("a part of another format", "part", |request| {
        say(request, Part::Unknown(Unknown::new("other", serde_json::json!({ "type": "fly" }))));
    })
    .never_sent(),
];

const CALLS: &[Feature] = &[
    feature("a function, and a result with a text", "call", call_function),
    feature("a call with free text", "call", |request| {
        call(request, "patch", Payload::Custom { input: "***".to_owned() });
    }),
    feature("a call of an MCP server's tool", "call", |request| {
        let (server, tool) = ("issues".to_owned(), "search".to_owned());
        call(request, "issues_search", Payload::Mcp { server, tool, arguments: arguments() });
    }),
    feature("a call of the local shell", "call", |request| {
        let command = vec!["ls".to_owned()];
        let working_directory = Some("src".to_owned());
        call(request, "shell", Payload::LocalShell { command, working_directory, timeout_ms: Some(1000) });
    }),
    feature("a result with a picture", "image", |request| {
        call_function(request);
        add_content(request, Content::Image(Image::base64("image/png", "cG5n")));
    })
    .with_base(call_function),
    feature("a result with a document", "document", |request| {
        call_function(request);
        let (uri, text) = ("note://1".to_owned(), "a note".to_owned());
        add_content(request, Content::Resource { uri, media_type: Some("text/plain".to_owned()), text });
    })
    .with_base(call_function),
    feature("a result with a value", "value", |request| {
        call_function(request);
        add_content(request, Content::Structured { value: serde_json::json!({ "sky": "blue" }) });
    })
    .with_base(call_function),
    feature("a result of a call that failed", "status", |request| {
        let payload = Payload::Function { arguments: arguments() };
        answer(request, "look", payload, ResultStatus::Error, vec![Content::text("seen")]);
    })
    .with_base(call_function),
    feature("results of all further statuses", "status", |request| {
        for status in STATUSES {
            let payload = Payload::Function { arguments: arguments() };
            answer(request, "look", payload, status, vec![Content::text("seen")]);
        }
    })
    .with_base(|request| STATUSES.iter().for_each(|_| call_function(request))),
];

/// The statuses besides success and failure.
const STATUSES: [ResultStatus; 8] = [
    ResultStatus::Denied,
    ResultStatus::NotStarted,
    ResultStatus::Cancelled,
    ResultStatus::EffectsUnknown,
    ResultStatus::TimedOut,
    ResultStatus::TruncatedArguments,
    ResultStatus::InvalidArguments,
    ResultStatus::UnknownTool,
];

const OUTPUT: &[Feature] = &[
    feature("any JSON object", "JSON", |request| {
        request.output = OutputFormat::Json;
        say(request, "Answer as JSON.");
    }),
    feature("a JSON Schema", "schema", |request| request.output = schema(Strictness::Unsaid)),
    feature("a JSON Schema with a description", "schema", |request| {
        let schema = OutputSchema::new("weather", SCHEMA.parse().unwrap());
        request.output = OutputFormat::Schema(schema.with_description(Some("The weather.".to_owned())));
    }),
    feature("a JSON Schema, not enforced", "schema", |request| request.output = schema(Strictness::Off)),
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
    feature("`web_fetch`, blocked domains", "web_fetch", |request| {
        host(request, WebFetch::default().with_blocked_domains(["example.org"]));
    }),
    feature("`web_fetch`, number of uses", "web_fetch", |request| {
        host(request, WebFetch::default().with_max_uses(3));
    }),
    feature("`web_fetch`, length of a page", "web_fetch", |request| {
        host(request, WebFetch::default().with_max_content_tokens(5000));
    }),
    feature("`code_execution`", "code_execution", |request| host(request, CodeExecution::default())),
    feature("`code_execution`, files", "code_execution", |request| {
        host(request, CodeExecution::default().with_files(["file-1"]));
    }),
    feature("`file_search`", "file_search", |request| {
        host(request, FileSearch::new(["store-1"]).with_max_results(5));
    }),
    feature("`computer_use`", "computer_use", |request| host(request, ComputerUse::new(1280, 800))),
    feature("`computer_use` of Linux", "computer_use", |request| {
        host(request, ComputerUse::new(1280, 800).with_environment(ComputerEnvironment::Linux));
    }),
    feature("`computer_use` of macOS", "computer_use", |request| {
        host(request, ComputerUse::new(1280, 800).with_environment(ComputerEnvironment::Mac));
    }),
    feature("`computer_use` of Windows", "computer_use", |request| {
        host(request, ComputerUse::new(1280, 800).with_environment(ComputerEnvironment::Windows));
    }),
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
        let image = ImageGeneration::default().with_size("1024x1024").with_quality("high");
        host(request, image.with_format("png"));
    }),
    feature("`programmatic_calling`", "programmatic_calling", |request| host(request, programs())),
    feature("`programmatic_calling`, calls of the model, too", "programmatic_calling", |request| {
        host(request, programs().with_direct_calls());
    }),
    feature("a definition of another format", "fly", |request| {
        host(request, HostedTool::native("other", serde_json::json!({ "type": "fly" })));
    }),
];
