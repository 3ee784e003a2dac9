//! Strings that are difficult for a shell parser, from a seed.

/// The pieces of the strings: many that the lexer accepts, so that bash runs some, and one of each kind that
/// it refuses.
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

/// The separators between the commands of a string.
const JOINTS: &[&str] = &[";", "|", "&&", "||", " ; ", " | ", " && ", " || "];

/// Programs of strings; bash would run some of them itself if its builtins were not off.
const NAMES: &[&str] = &["a", "ls", "b2", "kill", "eval", "export", "cd"];

/// Number of first pieces that make up the mild strings.
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

    /// Returns the next string of commands. Most consist of mild pieces; some are joined, and some contain one or
    /// many difficult pieces.
    pub(crate) fn string(&mut self) -> String {
        let (often, once) = [(0, false), (0, true), (0, true), (10, false), (100, false)][self.below(5)];
        let commands = [1, 1, 2, 3][self.below(4)];
        let spot = self.below(commands * 6);
        let (mut text, mut at) = (String::new(), 0);
        for command in 0..commands {
            if command > 0 {
                text.push_str(JOINTS[self.below(JOINTS.len())]);
            }
            if once && spot == command * 6 {
                text.push_str(PIECES[MILD + self.below(PIECES.len() - MILD)]);
                text.push_str(["", " "][self.below(2)]);
            }
            if self.below(10) < 8 {
                text.push_str(NAMES[self.below(NAMES.len())]);
            }
            for _ in 0..self.below(9) {
                at += 1;
                let nasty = (once && at == spot) || self.below(100) < often;
                let (from, to) = if nasty { (MILD, PIECES.len()) } else { (0, MILD) };
                text.push_str(PIECES[from + self.below(to - from)]);
            }
        }
        text
    }
}
