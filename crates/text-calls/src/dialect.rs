//! The dialects: their names, and the forms that each one consists of.

mod code;
mod envelope;
mod marker;
mod tags;
mod thoughts;

use std::fmt;
use std::str::FromStr;

use crate::form::{Form, Place, Step};

macro_rules! dialects {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// A syntax in which models write tool calls as text.
        ///
        /// ```
        /// use windlass_text_calls::Dialect;
        /// let dialect: Dialect = "qwen3-coder".parse()?;
        /// assert_eq!(dialect.name(), "qwen3-coder");
        /// assert!(Dialect::ALL.contains(&dialect));
        /// # Ok::<(), windlass_text_calls::UnknownDialect>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Dialect {
            /// Any other dialect, recognised by its markers.
            #[default]
            Auto,
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Dialect {
            /// All dialects, starting with `Auto`.
            pub const ALL: &'static [Self] = &[Self::Auto, $(Self::$variant,)+];

            /// Returns the name used on command lines and in files.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

dialects! {
    /// Roo Code and Cline: a tag named after the tool, with one tag per parameter inside.
    Roo = "roo",
    /// Anthropic: `invoke` and `parameter` tags with name attributes, or a JSON list, in `function_calls`.
    Invoke = "invoke",
    /// Hermes, Qwen, Granite 4, Reka: JSON in `<tool_call>`.
    Hermes = "hermes",
    /// Qwen3-Coder, Nemotron 3, `StepFun`: `<function=name>` and `<parameter=key>`.
    Qwen3Coder = "qwen3-coder",
    /// Llama 3: bare JSON, or JSON or code after `<|python_tag|>`.
    Llama3 = "llama3",
    /// Llama 4 and others: a list of calls in Python syntax.
    Pythonic = "pythonic",
    /// Liquid LFM2: a list of calls in Python syntax between marks.
    Lfm2 = "lfm2",
    /// Mistral: `[TOOL_CALLS]` followed by a JSON list, or by a name and arguments.
    Mistral = "mistral",
    /// `DeepSeek` R1, V3 and V3.1: marks written with full-width bars.
    DeepSeek = "deepseek",
    /// `DeepSeek` V3.2 and V4: `invoke` tags with the `｜DSML｜` prefix.
    Dsml = "dsml",
    /// Kimi K2: marks, and names such as `functions.name:0`.
    KimiK2 = "kimi-k2",
    /// Kimi K3: marks with attributes.
    KimiK3 = "kimi-k3",
    /// GLM 4.5 and later, Spark, Ling: a name and key-value pairs in `<tool_call>`.
    Glm = "glm",
    /// `MiniMax` M2: `invoke` tags in `<minimax:tool_call>`.
    MinimaxM2 = "minimax-m2",
    /// `MiniMax` M3: marked tags that nest like the arguments.
    MinimaxM3 = "minimax-m3",
    /// `ByteDance` Seed-OSS: like Qwen3-Coder, in `<seed:tool_call>`.
    SeedOss = "seed-oss",
    /// `MiniCPM`: `function` and `param` tags with name attributes.
    MiniCpm = "minicpm",
    /// Functionary: `<function=name>{…}</function>`, or `>>>name` with the arguments on the next line.
    Functionary = "functionary",
    /// Cohere Command: a JSON list between marks, or after `Action:`.
    CommandR = "command-r",
    /// gpt-oss: messages to the recipient `functions.name` on channels.
    Harmony = "harmony",
    /// Gemma 4: `call:name{…}` with strings between `<|"|>` marks.
    Gemma = "gemma",
    /// Granite 3, Phi 4 mini: a JSON list after `<|tool_call|>`.
    Granite = "granite",
    /// Nemotron Nano 2: a JSON list in `<TOOLCALL>`.
    Nemotron = "nemotron",
    /// Apertus: a list of one-member objects between marks.
    Apertus = "apertus",
    /// Apriel, Hunyuan: a JSON list in `<tool_calls>`.
    Apriel = "apriel",
    /// Firefunction: a JSON list after `functools`.
    FireFunction = "firefunction",
    /// `GigaChat`: JSON after `<|function_call|>` or a header.
    GigaChat = "gigachat",
    /// `InternLM`: JSON after `<|action_start|>`.
    InternLm = "internlm",
    /// `LongCat`: JSON in `<longcat_tool_call>`.
    LongCat = "longcat",
    /// JSON in a fence or bare, for models that were not given another syntax.
    Json = "json",
    /// The whole answer is one JSON object: `{toolCalls, content, needsMoreWork}`.
    Structured = "structured",
}

/// The error for a name that is not the name of a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect; known dialects: {}", names())]
#[non_exhaustive]
pub struct UnknownDialect;

fn names() -> String {
    Dialect::ALL.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL.iter().copied().find(|dialect| dialect.name() == name).ok_or(UnknownDialect)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Dialect {
    /// Returns the groups of forms of this dialect, in the order in which they are tried.
    fn parts(self) -> &'static [&'static [Form]] {
        match self {
            Self::Auto => &[],
            Self::Roo => &[tags::ROO],
            Self::Invoke => &[tags::INVOKE, tags::ANTML, envelope::FUNCTION_CALLS],
            Self::Hermes => &[envelope::TOOL_CALL],
            Self::Qwen3Coder => &[tags::QWEN],
            Self::Llama3 => &[envelope::PYTHON_TAG, code::PYTHON_TAG, marker::FUNCTION, envelope::BARE],
            Self::Pythonic => &[code::LIST],
            Self::Lfm2 => &[code::LFM2],
            Self::Mistral => &[envelope::TOOL_CALLS_MARK, marker::TOOL_CALLS],
            Self::DeepSeek => &[marker::DEEPSEEK],
            Self::Dsml => &[tags::DSML],
            Self::KimiK2 => &[marker::KIMI],
            Self::KimiK3 => &[tags::KIMI, tags::KIMI_FRAME],
            Self::Glm => &[tags::GLM, tags::GLM_FRAME],
            Self::MinimaxM2 => &[tags::MINIMAX],
            Self::MinimaxM3 => &[tags::MINIMAX_NESTED],
            Self::SeedOss => &[tags::SEED],
            Self::MiniCpm => &[tags::MINICPM],
            Self::Functionary => &[marker::FUNCTION, marker::FUNCTIONARY, marker::FUNCTIONARY_FRAME],
            Self::CommandR => &[envelope::COMMAND, envelope::COMMAND_ACTION, envelope::COMMAND_FRAME],
            Self::Harmony => &[marker::HARMONY, marker::HARMONY_FRAME],
            Self::Gemma => &[code::GEMMA, code::GEMMA_FRAME],
            Self::Granite => &[envelope::GRANITE, envelope::GRANITE_FRAME],
            Self::Nemotron => &[envelope::NEMOTRON],
            Self::Apertus => &[envelope::APERTUS],
            Self::Apriel => &[envelope::TOOL_CALLS],
            Self::FireFunction => &[envelope::FUNCTOOLS],
            Self::GigaChat => &[envelope::GIGACHAT],
            Self::InternLm => &[envelope::ACTION],
            Self::LongCat => &[envelope::LONGCAT],
            Self::Json => &[envelope::FENCE, envelope::BARE],
            Self::Structured => &[envelope::STRUCTURED],
        }
    }

    /// Returns the forms of this dialect that start calls or template marks. `any_tool` means that every tool
    /// name is accepted.
    pub(crate) fn forms(self, any_tool: bool) -> Vec<&'static Form> {
        let mut forms: Vec<&'static Form> = Vec::new();
        if self == Self::Auto {
            let all = Self::ALL.iter().flat_map(|dialect| dialect.parts_in_auto(any_tool));
            for form in all.flat_map(|part| part.iter()) {
                // If every name is accepted, a form that starts with a bare name would turn prose into calls.
                let nameless = matches!(form.steps.first(), Some(Step::Name(_)));
                let known = forms.iter().any(|known| std::ptr::eq(*known, form));
                if known || (any_tool && nameless) {
                    continue;
                }
                forms.push(form);
            }
        } else {
            forms.extend(self.parts().iter().flat_map(|part| part.iter()));
        }
        forms
    }

    /// Returns the groups of forms that identify their dialect. Template marks that a dialect only drops stay
    /// text while the dialect is unknown (RULES X1).
    fn parts_in_auto(self, any_tool: bool) -> Vec<&'static [Form]> {
        match self {
            Self::Structured | Self::Auto => Vec::new(),
            Self::Roo if any_tool => vec![tags::ROO_BY_NAME],
            Self::Json => vec![envelope::FENCE_AT_START],
            Self::Harmony => vec![marker::HARMONY],
            _ => self.parts().iter().copied().filter(|part| !is_frame(part)).collect(),
        }
    }

    /// Returns the forms in which this dialect writes thoughts.
    pub(crate) fn thoughts(self) -> &'static [Form] {
        match self {
            Self::Harmony => thoughts::HARMONY,
            Self::Gemma => thoughts::GEMMA,
            Self::CommandR => thoughts::COMMAND,
            Self::Mistral => thoughts::MISTRAL,
            Self::SeedOss => thoughts::SEED,
            Self::MinimaxM3 => thoughts::MINIMAX,
            Self::KimiK3 => thoughts::KIMI,
            Self::Apriel => thoughts::APRIEL,
            Self::Auto => thoughts::ALL,
            _ => thoughts::THINK,
        }
    }
}

fn is_frame(part: &[Form]) -> bool {
    part.iter().all(|form| matches!(form.body, crate::form::Body::Drop))
}

/// Calls `add` with each byte with which a form can begin. Skips forms that begin only at the start of the
/// answer.
pub(crate) fn first_bytes(form: &Form, mut add: impl FnMut(u8)) {
    if form.place == Place::Start {
        return;
    }
    for step in form.steps {
        match step {
            Step::Opt(literal) => literal.bytes().take(1).for_each(&mut add),
            Step::Lit(literal) => return literal.bytes().take(1).for_each(add),
            Step::One(literals) => return literals.iter().flat_map(|one| one.bytes().take(1)).for_each(add),
            _ => {}
        }
    }
}
