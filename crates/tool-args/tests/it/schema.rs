//! The schemas for models, byte by byte.

use expect_test::{Expect, expect};
use windlass_tool_args::ToolArgs;

use crate::shapes::{Nothing, Search, Settings, Tree, WriteFile};

// N6: a schema has the same bytes each time, with its properties in the order of the fields.
#[track_caller]
fn check<T: ToolArgs>(expected: &Expect) {
    let schema = T::schema();
    assert_eq!(schema, T::schema());
    expected.assert_eq(schema.as_str());
}

#[test]
fn properties_are_in_the_order_of_the_fields_with_their_comments() {
    check::<WriteFile>(&expect![[
        r#"{"type":"object","description":"Writes a whole file.","properties":{"path":{"type":"string","description":"The file, relative to the workspace."},"content":{"type":"string","description":"The whole content."}},"required":["path","content"],"additionalProperties":false}"#
    ]]);
    check::<Nothing>(&expect![[r#"{"type":"object","properties":{}}"#]]);
}

#[test]
fn the_schema_of_a_type_is_inline() {
    check::<Search>(&expect![[
        r#"{"type":"object","properties":{"lookFor":{"type":"string","description":"The text to find."},"inPaths":{"type":"array","default":[],"items":{"type":"string"}},"maxResults":{"type":["integer","null"],"minimum":0},"a/b~c":{"type":["string","null"]},"mode":{"type":["string","null"],"enum":["files","lines",null]},"ranges":{"type":["array","null"],"items":{"type":"object","properties":{"from":{"type":"integer","minimum":0},"to":{"type":"integer","default":99,"minimum":0}},"required":["from"]}},"main":{"type":["object","null"],"properties":{"from":{"type":"integer","minimum":0},"to":{"type":"integer","default":99,"minimum":0}},"required":["from"]},"labels":{"type":"object","default":{},"additionalProperties":{"type":"string"}},"counts":{"type":"object","default":{},"additionalProperties":{"type":"integer"}},"ratio":{"type":["number","null"]},"exact":{"type":"boolean","default":false},"extra":true},"required":["lookFor"]}"#
    ]]);
}

#[test]
fn a_default_of_the_struct_makes_its_fields_optional() {
    check::<Settings>(&expect![[
        r#"{"type":"object","properties":{"name":{"type":"string","default":"plain"},"depth":{"type":"integer","default":7,"maximum":255,"minimum":0}}}"#
    ]]);
}

#[test]
fn a_recursive_type_refers_to_itself() {
    check::<Tree>(&expect![[
        r##"{"type":"object","description":"A type that holds itself.","properties":{"type":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}},"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["type"]}"##
    ]]);
}
