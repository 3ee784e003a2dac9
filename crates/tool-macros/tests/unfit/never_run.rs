//! Nothing makes runnable arguments of partial ones (RULES J1).
use windlass_tool_args::{PartialReader, ToolArgs};

#[derive(Debug, ToolArgs)]
struct WriteFile {
    path: String,
}

fn main() {
    let reader = PartialReader::<WriteFile>::default();
    let _: &WriteFile = reader.partial();
    let _: WriteFile = PartialWriteFile::default().into();
}
