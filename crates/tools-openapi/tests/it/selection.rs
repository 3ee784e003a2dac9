//! The selection of operations, and the names of tools.

use windlass_protocol::{Concurrency, Risk};
use windlass_tools_openapi::{Method, OpenApi, OperationTools, OperationToolsBuilder};

use crate::pets::{pets, tool};

fn names(builder: OperationToolsBuilder<'_>) -> Result<Vec<String>, String> {
    let tools = builder.build().map_err(|error| error.to_string())?;
    Ok(tools.tools().iter().map(|tool| tool.spec().name().to_string()).collect())
}

#[test]
fn only_operations_that_read_are_selected_by_default() {
    let api = pets();
    assert_eq!(names(OperationTools::builder(&api)).unwrap(), ["listPets", "getPet"]);
    let written = names(OperationTools::builder(&api).writes(true).path("/pets").path("/pets/{id}")).unwrap();
    assert_eq!(written, ["listPets", "addPet", "getPet", "renamePet", "delete_pets_id"]);
    assert_eq!(names(OperationTools::builder(&api).writes(true).writes(false)).unwrap().len(), 2);
    assert_eq!(names(OperationTools::builder(&api).methods([Method::Delete])).unwrap(), ["delete_pets_id"]);
}

#[test]
fn tags_ids_and_paths_select_together() {
    let api = pets();
    assert_eq!(names(OperationTools::builder(&api).tag("pets").path("/pets/*")).unwrap(), ["getPet"]);
    assert_eq!(names(OperationTools::builder(&api).operations(["getPet"])).unwrap(), ["getPet"]);
    assert_eq!(
        names(OperationTools::builder(&api).tag("write").writes(true).prefix("my shop")).unwrap(),
        ["my_shop_addPet"]
    );
}

#[test]
fn selection_errors_contain_advice() {
    let api = pets();
    let builder = || OperationTools::builder(&api);
    for (builder, expected) in [
        (builder().operations(["getPets"]), "the document has no operation with the id \"getPets\""),
        (
            builder().operations(["addPet"]),
            "the operation \"addPet\" uses POST, which is not selected; select the method, or all that write with `writes(true)`",
        ),
        (
            builder().tag("none"),
            "no operation is selected; the document has 6, and only GET and HEAD are selected by default",
        ),
        (
            builder().max_operations(1),
            "2 operations are selected, and 1 is the most; select fewer with `operations`, `tag`, `path` or `methods`, or raise `max_operations`",
        ),
        (
            builder().writes(true),
            "the operation POST /pets/{id}/photo (uploadPhoto) cannot become a tool: its body is multipart/form-data, and only JSON and URL-encoded forms are sent",
        ),
    ] {
        assert_eq!(names(builder).unwrap_err(), expected);
    }
    let tools = builder().writes(true).skip_refused(true).build().unwrap();
    assert_eq!((tools.tools().len(), tools.refusals().len()), (5, 1));
    assert_eq!(tools.refusals()[0].operation, "POST /pets/{id}/photo (uploadPhoto)");
}

#[test]
fn names_are_valid_unique_and_stable() {
    let long = "x".repeat(100);
    let document = format!(
        "openapi: 3.1.0\nservers: [{{url: 'https://a.example'}}]\npaths:\n  /a: {{get: {{operationId: 'get a/b'}}}}\n  \
         /b: {{get: {{operationId: get_a_b}}}}\n  /c: {{get: {{operationId: GET.a.b}}}}\n  /d: {{get: {{operationId: {long}}}}}\n  \
         /e: {{get: {{operationId: {long}}}}}\n  /f: {{get: {{operationId: 'ünï\\n'}}}}\n  /: {{get: {{operationId: '日本'}}}}\n"
    );
    let api = OpenApi::parse(document.as_bytes()).unwrap();
    let all = names(OperationTools::builder(&api)).unwrap();
    assert_eq!(all[0], "get_a_b");
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 7);
    for name in &all {
        assert!(
            name.len() <= 64
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)),
            "{name}"
        );
    }
    assert_eq!(names(OperationTools::builder(&api)).unwrap(), all);
    // The digest in a name does not depend on the operations before it.
    let alone = names(OperationTools::builder(&api).path("/d")).unwrap();
    assert_eq!(alone[0], all[3]);
}

#[test]
fn hints_follow_the_method() {
    let api = pets();
    let tools = OperationTools::builder(&api).writes(true).skip_refused(true).build().unwrap();
    let hints = |name| tool(&tools, name).hints();
    assert!(hints("getPet").read_only && hints("getPet").open_world);
    assert_eq!((hints("getPet").risk, hints("getPet").concurrency), (Risk::Medium, Concurrency::Parallel));
    assert_eq!((hints("addPet").risk, hints("addPet").idempotent), (Risk::High, false));
    assert_eq!(
        (hints("renamePet").concurrency, hints("renamePet").idempotent),
        (Concurrency::Exclusive, true)
    );
    assert_eq!(hints("delete_pets_id").risk, Risk::Critical);
}
