//! Ten thousand servers' tools with names out of all of Unicode: legal, unique, stable, routed back (N1, N2).
//! `WINDLASS_NAMES` sets how many.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_protocol::{Arguments, CallId, ToolCall, ToolName, ToolSpec};
use windlass_tool::{Context, Output};
use windlass_toolbox::{CallbackTool, Identity, NameMap, Preset, ToolConfig, Toolbox};

/// Letters that are normalized to the same letter, that are cut in the middle, that are invisible, and those
/// of other alphabets.
const LETTERS: &[&str] = &[
    "a",
    "A",
    "b",
    "_",
    "-",
    ".",
    " ",
    "__",
    "é",
    "e\u{301}",
    "ß",
    "中",
    "文",
    "🦀",
    "👩‍🔧",
    "\u{202e}",
    "\u{200b}",
    "\0",
    "\n",
    "/",
    "\\",
    "ü",
    "Ω",
    "1",
    "9",
    "mcp__",
    "functions.",
    "\u{feff}",
    "א",
    "\u{1f1e9}",
];

/// Xorshift: the same names each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn name(&mut self) -> String {
        let most = [2, 4, 12, 90][self.roll(4)];
        let letters = 1 + self.roll(most);
        let mut name = String::new();
        for _ in 0..letters {
            match self.roll(5) {
                0 => {
                    let code = u32::try_from(self.roll(0x11_0000)).unwrap();
                    name.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                }
                _ => name.push_str(LETTERS[self.roll(LETTERS.len())]),
            }
        }
        name
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.roll(last + 1));
        }
    }
}

fn pairs() -> Vec<(String, String)> {
    let count = std::env::var("WINDLASS_NAMES").ok().map_or(10_000, |text| text.parse().unwrap());
    let mut dice = Dice(0x77_69_6e_64_6c_61_73_73);
    let servers: Vec<String> = (0..=(count / 20)).map(|_| dice.name()).collect();
    let mut pairs = BTreeSet::new();
    while pairs.len() < count {
        pairs.insert((servers[dice.roll(servers.len())].clone(), dice.name()));
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    dice.shuffle(&mut pairs);
    pairs
}

fn shown(pairs: &[(String, String)]) -> BTreeMap<(String, String), String> {
    let identities: Vec<Identity> = pairs.iter().map(|(server, tool)| Identity::mcp(server, tool)).collect();
    let map = NameMap::new(identities.clone()).unwrap();
    let each = pairs.iter().zip(&identities).map(|(pair, identity)| {
        let shown = map.display_name(identity.name().as_str()).unwrap();
        assert_eq!(map.find(shown.as_str()), Some(identity.name()), "{pair:?} as {shown}");
        (pair.clone(), shown.to_string())
    });
    each.collect()
}

#[test]
fn shown_names_are_legal_unique_and_the_same_in_any_order() {
    let mut pairs = pairs();
    let first = shown(&pairs);
    let legal = |name: &String| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    for (pair, name) in &first {
        assert!(legal(name), "{pair:?} as {name:?}");
    }
    let unique: BTreeSet<&String> = first.values().collect();
    assert_eq!(unique.len(), pairs.len());
    let mut dice = Dice(7);
    for _ in 0..3 {
        dice.shuffle(&mut pairs);
        assert_eq!(shown(&pairs), first, "another order gives other names");
    }
}

#[tokio::test]
async fn each_shown_name_reaches_its_own_tool() {
    let pairs = pairs();
    let mut builder = Toolbox::builder().config(ToolConfig::new(Preset::Full));
    for (server, tool) in &pairs {
        let identity = Identity::mcp(server, tool);
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        let spec = ToolSpec::function(identity.name().clone(), "Says its name.", schema);
        let said = format!("{server:?} {tool:?}");
        let tool = CallbackTool::new(spec, move |_, _| {
            let said = said.clone();
            async move { Ok(Output::text(said)) }
        });
        builder = builder.tool_as(identity, Arc::new(tool));
    }
    let toolbox = builder.build().unwrap();
    let offered = toolbox.tool_specs();
    assert_eq!(offered.len(), pairs.len());
    for ((server, tool), (spec, _)) in pairs.iter().zip(offered) {
        let name = ToolName::new(spec.name().as_str()).unwrap();
        let call = ToolCall::function(CallId::new("c").unwrap(), name, Arguments::default());
        let checked = toolbox.check(&call).unwrap();
        let result = toolbox.run(&checked, &Context::new(call.id.clone())).await.unwrap();
        assert!(result.wire_text().contains(&format!("{server:?} {tool:?}")), "{}", result.wire_text());
    }
}
