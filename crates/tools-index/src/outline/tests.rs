//! A text of each language, and the symbols that it declares.

use super::outline;

/// Compares the symbols of a source. A symbol is written as `first-last kind container::name`, followed by complexity
/// and nesting for a function.
#[track_caller]
fn check(name: &str, source: &str, expected: &str) {
    let found = outline(name.as_ref(), source.as_bytes(), &|| false);
    assert_eq!(found.gap, None, "{name}");
    let lines = found.symbols.iter().map(|symbol| {
        let ways = if symbol.kind.runs() {
            format!(" {}/{}", symbol.complexity, symbol.nesting)
        } else {
            String::new()
        };
        format!("{}-{} {} {}{ways}\n", symbol.first, symbol.last, symbol.kind.word(), symbol.full_name())
    });
    assert_eq!(lines.collect::<String>(), expected, "{name}");
}

#[test]
fn rust() {
    let source = "use std::fmt;\n\n/// A stack.\n#[derive(Debug)]\npub struct Stack<T> {\n    items: Vec<T>,\n}\n\n\
        impl<T> Stack<T> {\n    /// Takes one.\n    pub fn pop(&mut self) -> Option<T> {\n        \
        if self.items.is_empty() {\n            return None;\n        } else if self.items.len() > 9 && true {\n            \
        for _ in 0..1 {}\n        }\n        self.items.pop()\n    }\n}\n\
        enum Kind { A, B }\ntrait Named { fn name(&self) -> String; }\ntype Id = u8;\nconst MAX: usize = 1;\n\
        macro_rules! m { () => {} }\nmod inner { fn deep(kind: u8) -> u8 { match kind { 0 => 1, 1 => 2, _ => 3 } } }\n";
    check(
        "a.rs",
        source,
        "5-7 struct Stack\n9-19 impl Stack<T>\n11-18 method Stack<T>::pop 5/2\n20-20 enum Kind\n21-21 trait Named\n\
        21-21 method Named::name 1/0\n22-22 type Id\n23-23 constant MAX\n24-24 macro m\n25-25 module inner\n\
        25-25 function inner::deep 3/1\n",
    );
    let found = outline("a.rs".as_ref(), source.as_bytes(), &|| false);
    assert_eq!(found.imports, [(1, "use std::fmt;".to_owned())]);
    let stack = found.symbols.first().unwrap();
    assert_eq!((stack.doc.as_deref(), stack.start), (Some("A stack."), 3));
    let pop = &found.symbols[2];
    assert_eq!(
        (pop.doc.as_deref(), pop.signature.as_str()),
        (Some("Takes one."), "pub fn pop(&mut self) -> Option<T>")
    );
    let lines = found.lines;
    assert_eq!((lines.total, lines.code, lines.comment, lines.blank), (25, 21, 2, 2));
}

#[test]
fn python() {
    let source = "import os\nfrom a import b\n\nLIMIT = 3\n\n@cached\nclass Tree(Base):\n    \"\"\"A tree.\"\"\"\n\n    \
        def walk(self, x):  # goes on\n        \"\"\"Walks.\"\"\"\n        if x and self:\n            for y in x:\n                \
        pass\n        elif x:\n            pass\n\n\nasync def run():\n    def inner():\n        y = 1\n        return y\n    return inner\n";
    check(
        "a.py",
        source,
        "4-4 variable LIMIT\n6-16 class Tree\n10-16 method Tree::walk 5/2\n19-23 function run 1/0\n\
        20-22 function run::inner 1/0\n",
    );
    let found = outline("a.py".as_ref(), source.as_bytes(), &|| false);
    let docs: Vec<_> = found.symbols.iter().filter_map(|symbol| symbol.doc.as_deref()).collect();
    assert_eq!(docs, ["A tree.", "Walks."]);
    assert_eq!(found.imports.len(), 2);
}

#[test]
fn javascript() {
    let source = "import a from 'a';\n// Adds.\nexport function add(a, b) { return a ? b : a && b; }\n\
        export const twice = (x) => {\n  const y = x;\n  return y * 2;\n};\nclass Box extends Base {\n  open() {\n    \
        switch (1) { case 1: break; default: break; }\n  }\n  close = () => 1;\n}\nconst LIMIT = 1;\n";
    check(
        "a.js",
        source,
        "3-3 function add 3/1\n4-7 function twice 1/1\n8-13 class Box\n9-11 method Box::open 2/1\n12-12 method Box::close 1/1\n\
        14-14 variable LIMIT\n",
    );
    let found = outline("a.js".as_ref(), source.as_bytes(), &|| false);
    assert_eq!(found.symbols.first().unwrap().doc.as_deref(), Some("Adds."));
    assert_eq!(found.symbols[1].signature, "twice = (x) =>");
}

#[test]
fn typescript() {
    let source = "import { a } from 'a';\nexport interface Shape { area(): number; }\nexport type Id = string;\n\
        enum Color { Red }\nnamespace N { export function f(x: Id): void {} }\n\
        export abstract class Base<T> {\n  private size: number = 1;\n  abstract area(): number;\n}\n\
        export const go = async (x: Id): Promise<void> => {};\n";
    let expected = "2-2 interface Shape\n2-2 method Shape::area 1/0\n3-3 type Id\n4-4 enum Color\n5-5 module N\n\
        5-5 function N::f 1/0\n6-9 class Base\n7-7 field Base::size\n8-8 method Base::area 1/0\n10-10 function go 1/1\n";
    check("a.ts", source, expected);
    check("a.tsx", source, expected);
}

#[test]
fn go() {
    let source = "package a\n\nimport (\n\t\"fmt\"\n\tx \"os\"\n)\n\n// Point is a place.\ntype Point struct{ X int }\n\n\
        type Namer interface { Name() string }\n\nconst Max = 1\n\n// Move moves.\nfunc (p *Point) Move(by int) error {\n\t\
        if by > 0 && p != nil {\n\t\treturn nil\n\t} else if by < 0 {\n\t\tfor {\n\t\t}\n\t}\n\treturn nil\n}\n\nfunc main() {}\n";
    check(
        "a.go",
        source,
        "9-9 struct Point\n11-11 interface Namer\n11-11 method Namer::Name 1/0\n13-13 constant Max\n\
        16-24 method Point::Move 5/2\n26-26 function main 1/0\n",
    );
    let found = outline("a.go".as_ref(), source.as_bytes(), &|| false);
    let docs: Vec<_> = found.symbols.iter().filter_map(|symbol| symbol.doc.as_deref()).collect();
    assert_eq!(docs, ["Point is a place.", "Move moves."]);
    assert_eq!(found.imports.len(), 2);
}

#[test]
fn java() {
    let source = "package a;\nimport java.util.List;\n\n/** A box. */\npublic class Box<T> implements Named {\n  \
        private static final int MAX = 1;\n  public Box() {}\n  /** Opens. */\n  @Override\n  public int open(int x) {\n    \
        try {\n      while (x > 0 || x < 9) { x--; }\n    } catch (Exception e) {}\n    return x;\n  }\n  enum Kind { A }\n}\n\
        interface Named { String name(); }\nrecord Pair(int a) {}\n";
    check(
        "A.java",
        source,
        "5-17 class Box\n6-6 field Box::MAX\n7-7 method Box::Box 1/0\n9-15 method Box::open 4/2\n16-16 enum Box::Kind\n\
        18-18 interface Named\n18-18 method Named::name 1/0\n19-19 class Pair\n",
    );
}

#[test]
fn c() {
    let source = "#include <stdio.h>\n#define MAX 3\n#define SQUARE(x) ((x) * (x))\n\n/* A point. */\nstruct point {\n  int x;\n};\n\
        typedef struct point point_t;\nenum kind { A, B };\nint add(int a, int b);\n\nstatic char *name(struct point *p)\n{\n  \
        switch (p->x) {\n  case 1: return \"a\";\n  default: break;\n  }\n  return p ? \"b\" : 0;\n}\n";
    check(
        "a.c",
        source,
        "2-2 constant MAX\n3-3 macro SQUARE\n6-8 struct point\n9-9 type point_t\n10-10 enum kind\n11-11 function add 1/0\n\
        13-20 function name 4/1\n",
    );
    let found = outline("a.c".as_ref(), source.as_bytes(), &|| false);
    assert_eq!(found.symbols[2].doc.as_deref(), Some("A point."));
    assert_eq!(found.symbols.last().unwrap().signature, "static char *name(struct point *p)");
}

#[test]
fn bash() {
    let source = "#!/usr/bin/env bash\nset -e\nsource ./lib.sh\nexport LIMIT=3\n# Says it.\nsay() {\n  local x=1\n  \
        if [ -n \"$1\" ]; then\n    echo \"$1\" || true\n  fi\n}\nfunction go_on {\n  case \"$1\" in\n    a) ;;\n    *) ;;\n  esac\n}\n";
    check("run", source, "4-4 variable LIMIT\n6-11 function say 3/1\n12-17 function go_on 3/1\n");
    let found = outline("run".as_ref(), source.as_bytes(), &|| false);
    assert_eq!(found.imports, [(3, "source ./lib.sh".to_owned())]);
    assert_eq!(found.symbols[1].doc.as_deref(), Some("Says it."));
}
