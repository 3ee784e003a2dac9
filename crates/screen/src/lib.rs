#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ansi;
mod call;
mod card;
mod code;
mod diff;
mod fold;
mod line;
mod markdown;
mod message;
mod options;
mod palette;
mod rule_name;
mod safe;
mod status;
mod theme;
mod width;

pub use self::ansi::{encode_style, paint_lines, paint_text};
pub use self::call::{CallState, CallView};
pub use self::card::{
    Answer, ApprovalCard, CardChange, CardEffect, CardLimits, CardPath, QueuePosition, RenderedCard, RuleCard,
};
pub use self::code::{Language, highlight};
pub use self::diff::{DiffLimits, render_diff};
pub use self::markdown::{MarkdownStream, render_markdown};
pub use self::message::{render_error, render_notice, render_text, render_thoughts, render_user_message};
pub use self::options::RenderOptions;
pub use self::rule_name::describe_rule;
pub use self::safe::{escape_line, escape_text};
pub use self::status::{StatusLine, format_count, format_duration};
pub use self::theme::{Background, ColorDepth, Role, Theme};
pub use self::width::{cut, cut_start, text_width, wrap_line, wrap_text};
