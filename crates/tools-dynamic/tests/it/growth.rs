//! The cost of files of tools grows with their bytes, up to a limit.

use windlass_testkit::growth::{self, MEGABYTE, Shape};
use windlass_tools_dynamic::FolderOwner;

use crate::{load_from, loaded, write_files};

/// The longest file of a tool, in bytes, and the most files of a folder.
const LONGEST: usize = 64 * 1024;
const FILES: usize = 64;
const TOOL: &str = "description = \"d\"\nargv = [\"x\"]\n";

fn shapes() -> Vec<Shape> {
    let within = |front: &str, part: &str, back: &str| Shape::new(front, part, back);
    let tool = |front: &str, part: &str, back: &str| Shape::new(format!("{TOOL}{front}"), part, back);
    let tools = [
        within("description = \"", "a", "\"\nargv = [\"x\"]\n"),
        within("description = \"d\"\nargv = [\"x\"", ",\"a\"", "]\n"),
        within("description = \"d\"\nargv = [\"x\"", ",\"{a{n}}\"", "]\n"),
        within("description = \"d\"\nargv = [\"x\", \"", "{a}", "\"]\n"),
        within("description = \"d\"\nargv = [\"x\", \"", "{", "\"]\n"),
        within("[process]\nargv = [\"x\"", ",\"a\"", "]\n"),
        tool("[schema.properties]\n", "a{n} = { type = \"string\" }\n", ""),
        tool("", "[schema.properties.a{n}]\ntype = \"string\"\n", ""),
        tool("schema = { enum = [", "0,", "] }\n"),
        tool("schema = '", "[", "'\n"),
        tool("schema = '{\"enum\":[0", ",0", "]}'\n"),
        tool("schema = '{\"properties\":{\"z\":{}", ",\"a{n}\":{}", "}}'\n"),
        tool("schema = ", "{a=", ""),
        Shape::repeat("[process]\n"),
    ];
    [tools.to_vec(), growth::toml_shapes()].concat()
}

#[test]
fn a_file_of_a_tool_is_read_in_linear_time_up_to_its_limit() {
    let test = "growth::a_file_of_a_tool_is_read_in_linear_time_up_to_its_limit";
    let prepare = |text: String| write_files(&[("a.toml", &text)]);
    growth::check_prepared(test, LONGEST, &shapes(), prepare, |folder| {
        let loaded = load_from(folder, FolderOwner::Project);
        assert_eq!(loaded.tools.len() + loaded.processes.len() + loaded.problems.len(), 1);
    });
    let (_folder, loaded) =
        loaded(&[("a.toml", &format!("{TOOL}#{}", "a".repeat(LONGEST)))], FolderOwner::User);
    assert!(
        std::error::Error::source(&loaded.problems[0]).unwrap().to_string().contains("more than 65536 bytes")
    );
}

#[test]
fn a_folder_of_tools_is_read_in_linear_time_up_to_its_limit() {
    let names: Vec<String> = (0..FILES).map(|at| format!("a{at}.toml")).collect();
    let test = "growth::a_folder_of_tools_is_read_in_linear_time_up_to_its_limit";
    let prepare = |text: String| {
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
        write_files(&files)
    };
    growth::check_prepared(test, MEGABYTE / FILES, &shapes(), prepare, |folder| {
        let loaded = load_from(folder, FolderOwner::Project);
        assert_eq!(loaded.tools.len() + loaded.processes.len() + loaded.problems.len(), FILES);
    });
}
