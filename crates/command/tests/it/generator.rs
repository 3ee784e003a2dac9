//! Strings over what is nasty to a shell reader, from a seed.

/// What strings are made of: many that are accepted, so that bash sees some, and one of everything that is not.
const PIECES: &[&str] = &[
    "a", "b", "ls", "x1", "2", "12", "1", "0", " ", " ", " ", " ", "  ", "''", "\"\"", "'a b'", "\"c d\"",
    "-n", "--", "=", "a=b", "a=", "/", ".", "..", ":", ",", "@", "%", "+", "_", "-", " > f", " 2> g", " < h",
    " 2>&1", ">&2", " >> f", " 1>>g", " 1>&2", ">f2", "< h", "'a;b|c'", "\"d&e\"", "'$x'", "' '", " a",
    " -l", " 7", ";", "|", "&&", "||", "&", "'", "\"", ">", ">>", "<", ">&", "<<", "<>", ">|", "1>&2", "$",
    "`", "\\", "!", "*", "?", "[", "]", "{", "}", "{a,b}", "~", "#", "(", ")", "$(", "$'", "^", "\n", "\r",
    "\t", "\0", "\u{85}", "\u{2028}", "\u{a0}", "\u{200b}", "\u{feff}", "é", "if", "then", "fi", "for", "in",
    "do", "done", "while", "case", "esac", "time", "coproc", "function", "select", "until", "else", "exec",
    "eval", "cd", "set", "export", "declare", "alias", "test", "let", "kill", "exit", "command", "builtin",
    "echo", "printf", "trap", "read", "true", "false", "\u{1b}", "a'b'c", "\"'\"", "'\"'",
];

/// What stands between the commands of a string.
const JOINTS: &[&str] = &[";", "|", "&&", "||", " ; ", " | ", " && ", " || "];

/// Programs of strings; bash would run some of them itself if its builtins were not off.
const NAMES: &[&str] = &["a", "ls", "b2", "kill", "eval", "export", "cd"];

/// How many of the first pieces make up the mild strings.
const MILD: usize = 49;

/// A xorshift generator: the same seed gives the same strings on every system.
pub(crate) struct Generator(u64);

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }

    /// The next string: most begin with a name and hold mild pieces with a nasty one here and there, and a part of
    /// them join several such commands.
    pub(crate) fn string(&mut self) -> String {
        let mut text = String::new();
        let nasty = [0, 0, 10, 100][self.below(4)];
        for command in 0..[1, 1, 2, 3][self.below(4)] {
            if command > 0 {
                text.push_str(JOINTS[self.below(JOINTS.len())]);
            }
            if self.below(10) < 8 {
                text.push_str(NAMES[self.below(NAMES.len())]);
            }
            for _ in 0..self.below(9) {
                let bound = if self.below(100) < nasty { PIECES.len() } else { MILD };
                text.push_str(PIECES[self.below(bound)]);
            }
        }
        text
    }
}
