//! The tools of the corpus. Its rows only name them; their parameters were inferred from their calls.

use windlass_protocol::ToolSpec;

use crate::scan::tool;

const INTEGER: &str = r#"{"type":"integer"}"#;
const STRING: &str = r#"{"type":"string"}"#;
const NUMBER: &str = r#"{"type":"number"}"#;
const BOOLEAN: &str = r#"{"type":"boolean"}"#;
const OBJECT: &str = r#"{"type":"object"}"#;
const LIST: &str = r#"{"type":"array"}"#;
const MAYBE_STRING: &str = r#"{"type":["string","null"]}"#;
const MAYBE_INTEGER: &str = r#"{"type":["integer","null"]}"#;

/// The row's name, the tool's, its parameters, the one that is required.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const TABLE: &[Row] = &[
    ("special_function_tool", "special_function", &[("arg1", INTEGER)], "arg1"),
    (
        "special_function_tool_with_optional_param",
        "special_function_with_opt",
        &[("arg1", INTEGER), ("arg2", INTEGER)],
        "arg1",
    ),
    ("python_tool", "python", &[("code", STRING)], "code"),
    ("html_tool", "html", &[("markup", STRING)], "markup"),
    ("get_time_tool", "get_time", &[("city", STRING)], "city"),
    ("get_weather_tool", "get_weather", &[("city", STRING)], "city"),
    ("magic_tool", "magic", &[("name", STRING), ("ref", STRING)], "ref"),
    ("magic_int_tool", "magic_int", &[("ref", INTEGER), ("name", STRING)], "ref"),
    ("run_in_terminal_tool", "run_in_terminal", &[("command", STRING)], "command"),
    ("manage_todo_list_tool", "manage_todo_list", &[("todos", LIST)], "todos"),
    ("toggle_tool", "toggle", &[("enabled", BOOLEAN)], "enabled"),
    ("config_tool", "set_config", &[("config", OBJECT)], "config"),
    ("amount_tool", "amount", &[("orig", NUMBER)], "orig"),
    (
        "imaginary_number_tool",
        "imaginary_number",
        &[(
            "number",
            r#"{"type":"object","properties":{"real":{"type":"number"},"imaginary":{"type":"number"}}}"#,
        )],
        "number",
    ),
    ("todo_list", "todo_list", &[("todos", LIST)], "todos"),
    ("nullable_tool", "set_nullable", &[("value", r#"{"type":["integer","null"]}"#)], "value"),
    ("nullable_string_tool", "set_nullable_str", &[("name", MAYBE_STRING)], "name"),
    (
        "nullable_string_null_first_tool",
        "set_nullable_str_nf",
        &[("name", r#"{"type":["null","string"]}"#)],
        "name",
    ),
    ("nullable_int_tool", "set_nullable_int", &[("count", MAYBE_INTEGER)], "count"),
    (
        "string_union_tool",
        "set_union",
        &[
            ("value", r#"{"type":["string","object"]}"#),
            ("amount", r#"{"anyOf":[{"type":"string"},{"type":"number"}]}"#),
        ],
        "value",
    ),
    (
        "union_args_tool",
        "union_args",
        &[
            ("filter", r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}"#),
            (
                "limit",
                r#"{"anyOf":[{"type":"integer"},{"type":"object","properties":{"max":{"type":"integer"}}}]}"#,
            ),
            ("label", STRING),
        ],
        "",
    ),
    (
        "nested_args_tool",
        "nested_args",
        &[
            ("tags", r#"{"type":"array","items":{"type":"string"}}"#),
            (
                "entries",
                r#"{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"label":{"type":"string"}}}}"#,
            ),
        ],
        "",
    ),
    ("enum_no_type_tool", "set_unit", &[("unit", r#"{"enum":["celsius","fahrenheit"]}"#)], "unit"),
    ("edit_tool", "edit", &[("filename", STRING), ("oldString", STRING), ("newString", STRING)], "filename"),
    (
        "tool_2req_4opt",
        "tool_2req_4opt",
        &[
            ("req1", STRING),
            ("req2", INTEGER),
            ("opt1", STRING),
            ("opt2", INTEGER),
            ("opt3", STRING),
            ("opt4", INTEGER),
        ],
        "req1",
    ),
    (
        "tool_2req_5opt",
        "tool_2req_5opt",
        &[
            ("req1", STRING),
            ("req2", INTEGER),
            ("opt1", STRING),
            ("opt2", INTEGER),
            ("opt3", STRING),
            ("opt4", INTEGER),
            ("opt5", STRING),
        ],
        "req1",
    ),
    ("quoted_unquoted_tool", "quoted_unquoted", &[("quoted", STRING), ("unquoted", STRING)], "quoted"),
    ("string_param_tool", "string_param", &[("text", STRING)], ""),
    (
        "calendar_create_event_tool",
        "Calendar.create_event",
        &[("title", STRING), ("participants", LIST), ("metadata", OBJECT)],
        "title",
    ),
    ("empty_args_tool", "empty_args", &[], ""),
    ("empty_args_tool_no_properties", "empty_args_no_props", &[], ""),
    ("no_args_tool", "read_file_diff_md", &[], ""),
];

/// Returns the tool with this name in a row.
pub(crate) fn tool_of(variable: &str) -> ToolSpec {
    let row = TABLE.iter().find(|row| row.0 == variable);
    let (_, name, properties, required) = row.expect("the corpus has these tools only");
    let members: Vec<String> =
        properties.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
    let required: Vec<String> =
        required.split(' ').filter(|name| !name.is_empty()).map(|name| format!("\"{name}\"")).collect();
    let (members, required) = (members.join(","), required.join(","));
    tool(name, &format!(r#"{{"type":"object","properties":{{{members}}},"required":[{required}]}}"#))
}
