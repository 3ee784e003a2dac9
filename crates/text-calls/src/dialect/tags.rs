//! Forms with one tag per parameter.

use crate::form::Place::{Anywhere, Line};
use crate::form::Step::{Inside, Key, Lit, Name, One, Opt, SnakeName, Space, Until};
use crate::form::{Body, CloseRule, Form, Step, Tags, Trim};

/// A tag named after the tool that contains one tag per parameter, named after it.
pub(super) const ROO: &[Form] = &[Form {
    place: Anywhere,
    steps: &[Lit("<"), Name(">"), Lit(">"), Step::Body, Space, Inside],
    body: Body::Tags(ROO_TAGS),
    closers: &[],
}];

/// The variant of [`ROO`] for unknown dialect and unknown tools: accepts only names with an underscore, which
/// HTML tags do not have.
pub(super) const ROO_BY_NAME: &[Form] = &[Form {
    place: Line,
    steps: &[Lit("<"), SnakeName(">"), Lit(">"), Step::Body, Space, Inside],
    body: Body::Tags(ROO_TAGS),
    closers: &[],
}];

const ROO_TAGS: &Tags = &Tags {
    parameter: &[Lit("<"), Key("> /"), Lit(">")],
    close: "</{}>",
    call_close: &["</{tool}>"],
    trim: Trim::Each,
    rule: CloseRule::Own,
    nested: None,
    cdata: false,
};

/// `invoke` tags with a prefix, with and without a wrapper tag.
macro_rules! invoke {
    ($prefix:literal, $($wrapper:literal),+) => {
        &[
            $(Form {
                place: Anywhere,
                steps: &[
                    Lit(concat!("<", $wrapper, ">")),
                    Space,
                    Lit(concat!("<", $prefix, "invoke name=\"")),
                    Name("\""),
                    Lit("\">"),
                    Step::Body,
                    Space,
                    One(&[concat!("<", $prefix, "parameter name=\""), concat!("</", $prefix, "invoke>")]),
                ],
                body: Body::Tags(invoke!(tags $prefix)),
                closers: &[concat!("</", $wrapper, ">")],
            },)+
            Form {
                place: Anywhere,
                steps: &[
                    Lit(concat!("<", $prefix, "invoke name=\"")),
                    Name("\""),
                    Lit("\">"),
                    Step::Body,
                    Space,
                    One(&[concat!("<", $prefix, "parameter name=\""), concat!("</", $prefix, "invoke>")]),
                ],
                body: Body::Tags(invoke!(tags $prefix)),
                closers: &[$(concat!("</", $wrapper, ">")),+],
            },
        ]
    };
    (tags $prefix:literal) => {
        &Tags {
            parameter: &[Lit(concat!("<", $prefix, "parameter name=\"")), Key("\""), Lit("\""), Until(">")],
            close: concat!("</", $prefix, "parameter>"),
            call_close: &[concat!("</", $prefix, "invoke>")],
            trim: Trim::Paired,
            rule: CloseRule::Followed,
            nested: None,
        cdata: false,
        }
    };
}

pub(super) const INVOKE: &[Form] = invoke!("", "function_calls");
pub(super) const ANTML: &[Form] = invoke!("antml:", "antml:function_calls");
pub(super) const DSML: &[Form] = invoke!("｜DSML｜", "｜DSML｜function_calls", "｜DSML｜tool_calls");
pub(super) const MINIMAX: &[Form] = invoke!("", "minimax:tool_call");

macro_rules! function_tags {
    ($wrapper:literal, $trim:expr) => {
        &[
            Form {
                place: Anywhere,
                steps: &[
                    Lit(concat!("<", $wrapper, ">")),
                    Space,
                    Lit("<function="),
                    Name(">"),
                    Lit(">"),
                    Step::Body,
                    Space,
                    One(&["<parameter=", "</function>"]),
                ],
                body: Body::Tags(function_tags!(tags $wrapper, $trim)),
                closers: &[concat!("</", $wrapper, ">")],
            },
            Form {
                place: Anywhere,
                steps: &[
                    Lit("<function="),
                    Name(">"),
                    Lit(">"),
                    Step::Body,
                    Space,
                    One(&["<parameter=", "</function>"]),
                ],
                body: Body::Tags(function_tags!(tags $wrapper, $trim)),
                closers: &[concat!("</", $wrapper, ">")],
            },
        ]
    };
    (tags $wrapper:literal, $trim:expr) => {
        &Tags {
            parameter: &[Lit("<parameter="), Key(">"), Lit(">")],
            close: "</parameter>",
            // Some models omit the inner closing tag.
            call_close: &["</function>", concat!("</", $wrapper, ">")],
            trim: $trim,
            rule: CloseRule::Followed,
            nested: None,
        cdata: false,
        }
    };
}

pub(super) const QWEN: &[Form] = function_tags!("tool_call", Trim::Each);
// The Seed template writes values without surrounding newlines, so a newline belongs to the value.
pub(super) const SEED: &[Form] = function_tags!("seed:tool_call", Trim::Never);

pub(super) const GLM: &[Form] = &[Form {
    place: Anywhere,
    steps: &[
        Lit("<tool_call>"),
        Opt("\n"),
        Name("\n<"),
        Step::Body,
        Space,
        One(&["<arg_key>", "</tool_call>"]),
    ],
    body: Body::Tags(&Tags {
        parameter: &[Lit("<arg_key>"), Key("<"), Lit("</arg_key>"), Space, Lit("<arg_value>")],
        close: "</arg_value>",
        call_close: &["</tool_call>"],
        trim: Trim::Paired,
        rule: CloseRule::Followed,
        nested: None,
        cdata: false,
    }),
    closers: &[],
}];

pub(super) const GLM_FRAME: &[Form] =
    &[Form { place: Anywhere, steps: &[Lit("<|role_end|>")], body: Body::Drop, closers: &[] }];

pub(super) const KIMI: &[Form] = &[Form {
    place: Anywhere,
    steps: &[
        Opt("<|open|>tools<|sep|>"),
        Space,
        Lit("<|open|>call tool=\""),
        Name("\""),
        Lit("\""),
        Until("<|sep|>"),
        Step::Body,
        Space,
        One(&["<|open|>argument key=\"", "<|close|>call<|sep|>"]),
    ],
    body: Body::Tags(&Tags {
        parameter: &[Lit("<|open|>argument key=\""), Key("\""), Lit("\""), Until("<|sep|>")],
        close: "<|close|>argument<|sep|>",
        call_close: &["<|close|>call<|sep|>"],
        trim: Trim::Never,
        rule: CloseRule::Followed,
        nested: None,
        cdata: false,
    }),
    closers: &["<|close|>tools<|sep|>", "<|close|>message<|sep|>"],
}];

pub(super) const KIMI_FRAME: &[Form] = &[Form {
    place: Anywhere,
    steps: &[One(&[
        "<|open|>response<|sep|>",
        "<|close|>response<|sep|>",
        "<|close|>message<|sep|>",
        "<|close|>tools<|sep|>",
    ])],
    body: Body::Drop,
    closers: &[],
}];

const MARK: &str = "]<]minimax[>[";

pub(super) const MINIMAX_NESTED: &[Form] = &[
    Form {
        place: Anywhere,
        steps: &[
            Lit("]<]minimax[>[<tool_call>"),
            Space,
            Lit("]<]minimax[>[<invoke name=\""),
            Name("\""),
            Lit("\">"),
            Step::Body,
            Space,
            Lit("]<]minimax[>[<"),
        ],
        body: Body::Tags(NESTED),
        closers: &["]<]minimax[>[</tool_call>"],
    },
    Form {
        place: Anywhere,
        steps: &[
            Lit("]<]minimax[>[<invoke name=\""),
            Name("\""),
            Lit("\">"),
            Step::Body,
            Space,
            Lit("]<]minimax[>[<"),
        ],
        body: Body::Tags(NESTED),
        closers: &["]<]minimax[>[</tool_call>"],
    },
];

const NESTED: &Tags = &Tags {
    parameter: &[Lit("]<]minimax[>[<"), Key("> /"), Lit(">")],
    close: "]<]minimax[>[</{}>",
    call_close: &["]<]minimax[>[</invoke>"],
    trim: Trim::Never,
    rule: CloseRule::First,
    nested: Some(MARK),
    cdata: false,
};

pub(super) const MINICPM: &[Form] = &[Form {
    place: Anywhere,
    steps: &[
        Lit("<function name=\""),
        Name("\""),
        Lit("\">"),
        Step::Body,
        Space,
        One(&["<param name=\"", "</function>"]),
    ],
    body: Body::Tags(&Tags {
        parameter: &[Lit("<param name=\""), Key("\""), Lit("\""), Until(">")],
        close: "</param>",
        call_close: &["</function>"],
        trim: Trim::Paired,
        rule: CloseRule::Followed,
        nested: None,
        cdata: true,
    }),
    closers: &[],
}];
