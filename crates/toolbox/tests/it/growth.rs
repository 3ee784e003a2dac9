//! What a file of modes costs grows with its bytes, up to a limit.

use windlass_testkit::growth::Shape;
use windlass_toolbox::{ModeError, ModeOwner, WorkModes};

const MODE: &str = "[[mode]]\nslug = \"m{n}\"\nname = \"M\"\nrole = \"R\"\n";

fn group(pattern: &str) -> String {
    format!("{{ group = \"read\", file_regex = '{pattern}' }}, ")
}

#[test]
fn modes_that_are_too_many_are_refused_before_their_patterns_are_built() {
    let refused = |text: &str| WorkModes::builtin().with_file(text, ModeOwner::User).unwrap_err();
    let modes = Shape::of(format!("{MODE}groups = [{}]\n", group("a"))).text(10_000);
    assert!(matches!(refused(&modes), ModeError::TooMany));
    let groups = format!("{}groups = [{}]\n", MODE.replace("{n}", ""), group("a").repeat(9));
    assert!(matches!(refused(&groups), ModeError::TooManyGroups { .. }), "{}", refused(&groups));
}
