//! Programs that only read, each with the options for which this is true.
//!
//! The lists omit options that write (`sort -o`, `tree -o`), run another program (`rg --pre`, `rg -z`,
//! `diff -l`, `sort --compress-program`), read names from a file (`wc --files0-from`), change the times of
//! the files that they read (`file -p`), set something (`date -s`), or do not end (`tail -f`).

use super::options::{Numbers, Options};
use super::{DoubtKind, Effects, Recorder, TouchKind, unknown};

/// The meaning of a program's operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Files to read.
    Files,
    /// Files to read; without operands the current folder.
    FilesOrHere,
    /// A pattern, then files. All operands are files if an option has the pattern. Without files, a recursive
    /// search reads the current folder.
    Pattern,
    /// At most one file: the program would write to a second one.
    OneFile,
    /// Words that are not files.
    Texts,
    /// Words that begin with `+`: other words would set the clock.
    Formats,
    None,
}

struct Program {
    name: &'static str,
    operands: Operands,
    known: &'static str,
}

const fn program(name: &'static str, operands: Operands, known: &'static str) -> Program {
    Program { name, operands, known }
}

const GREP: &str = "E F G P i v w x c L l q s b H h n o T u z a I r R U e= f< m= A= B= C= d= D= \
    extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp \
    line-regexp count color? colour? files-without-match files-with-matches max-count= only-matching quiet silent \
    no-messages byte-offset with-filename no-filename line-number initial-tab null after-context= before-context= \
    context= text binary-files= exclude= exclude-dir= include= recursive dereference-recursive null-data \
    line-buffered regexp= file<";

const PROGRAMS: &[Program] = &[
    program(
        "ls",
        Operands::FilesOrHere,
        "a A b B c C d f F g G h H i k l L m n N o p q Q r R s S t u U v x X 1 I= T= w= all almost-all author escape \
         ignore-backups color? directory classify? file-type format= full-time group-directories-first no-group \
         human-readable si dereference-command-line hide= inode ignore= kibibytes dereference numeric-uid-gid literal \
         hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time= \
         time-style= tabsize= width= zero indicator-style=",
    ),
    program(
        "cat",
        Operands::Files,
        "A b e E n s t T u v show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    ),
    program("head", Operands::Files, "q v z n= c= bytes= lines= quiet silent verbose zero-terminated"),
    program("tail", Operands::Files, "q v z n= c= bytes= lines= quiet silent verbose zero-terminated"),
    program("wc", Operands::Files, "c m l L w bytes chars lines words max-line-length total="),
    program("grep", Operands::Pattern, GREP),
    program("egrep", Operands::Pattern, GREP),
    program("fgrep", Operands::Pattern, GREP),
    program(
        "rg",
        Operands::Pattern,
        "i S s v w x c l n N o H I F P U a L u q 0 p . g= t= T= e= f< A= B= C= m= M= d= E= r= j= ignore-case smart-case \
         case-sensitive invert-match word-regexp line-regexp count count-matches files files-with-matches \
         files-without-match line-number no-line-number only-matching with-filename no-filename fixed-strings pcre2 \
         multiline text follow unrestricted quiet null pretty hidden no-hidden no-ignore no-ignore-vcs glob= iglob= \
         type= type-not= type-list regexp= file< after-context= before-context= context= max-count= max-columns= \
         max-depth= encoding= replace= threads= sort= sortr= color= colors= heading no-heading column no-messages \
         stats trim vimgrep json no-config byte-offset max-filesize= passthru",
    ),
    program(
        "sort",
        Operands::Files,
        "b d f g h i M n R r V c C m s u z k= t= S= ignore-leading-blanks dictionary-order ignore-case \
         general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse \
         version-sort check? merge stable unique zero-terminated key= field-separator= buffer-size= parallel=",
    ),
    program(
        "uniq",
        Operands::OneFile,
        "c d D i u z f= s= w= count repeated all-repeated? ignore-case unique zero-terminated skip-fields= skip-chars= \
         check-chars= group?",
    ),
    program(
        "cut",
        Operands::Files,
        "n s z b= c= d= f= bytes= characters= delimiter= fields= only-delimited complement output-delimiter= \
         zero-terminated",
    ),
    program("tr", Operands::Texts, "c C d s t complement delete squeeze-repeats truncate-set1"),
    program("nl", Operands::Files, "p b= d= f= h= i= l= n= s= v= w="),
    program("tac", Operands::Files, "b r s= before regex separator="),
    program("rev", Operands::Files, ""),
    program("paste", Operands::Files, "s z d= serial delimiters="),
    program("comm", Operands::Files, "1 2 3 z check-order nocheck-order output-delimiter= total"),
    program("cmp", Operands::Files, "b l s n= i= print-bytes verbose silent quiet bytes= ignore-initial="),
    program(
        "diff",
        Operands::Files,
        "q s c u e n y a b B d E i N r t T w Z p C= U= W= F= I= x= brief report-identical-files context? unified? \
         side-by-side width= color? recursive new-file ignore-case ignore-all-space ignore-space-change \
         ignore-blank-lines ignore-trailing-space ignore-tab-expansion text minimal exclude= label= strip-trailing-cr \
         suppress-common-lines no-dereference show-c-function ignore-matching-lines=",
    ),
    program("stat", Operands::Files, "L f t c= dereference file-system terse format= printf="),
    program(
        "du",
        Operands::FilesOrHere,
        "0 a b c D h H k l L m P s S t= x d= B= all bytes total human-readable summarize max-depth= one-file-system \
         exclude= si apparent-size threshold= block-size= separate-dirs null time?",
    ),
    program(
        "df",
        Operands::Files,
        "a h H i k l P T t= x= B= all human-readable si inodes local portability print-type type=",
    ),
    program(
        "file",
        Operands::Files,
        "b i k L h n N r v brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad raw",
    ),
    program(
        "tree",
        Operands::FilesOrHere,
        "a d f i l p s u g D h C n r t v x F L= I= P= noreport dirsfirst prune gitignore",
    ),
    program("basename", Operands::Texts, "a z s= multiple suffix= zero"),
    program("dirname", Operands::Texts, "z zero"),
    program(
        "readlink",
        Operands::Files,
        "f e m n q s v z canonicalize canonicalize-existing canonicalize-missing no-newline",
    ),
    program(
        "realpath",
        Operands::Files,
        "e m L P q s z canonicalize-existing canonicalize-missing relative-to= relative-base= no-symlinks",
    ),
    program("md5sum", Operands::Files, "b t z binary text tag zero"),
    program("sha1sum", Operands::Files, "b t z binary text tag zero"),
    program("sha256sum", Operands::Files, "b t z binary text tag zero"),
    program("sha512sum", Operands::Files, "b t z binary text tag zero"),
    program(
        "od",
        Operands::Files,
        "a b c d f i l o s x v A= j= N= t= w? address-radix= skip-bytes= read-bytes= format=",
    ),
    program("seq", Operands::Texts, "w s= f= equal-width separator= format="),
    program("expr", Operands::Texts, ""),
    program("echo", Operands::Texts, "n e E"),
    program("pwd", Operands::None, "L P"),
    program("true", Operands::Texts, ""),
    program("false", Operands::Texts, ""),
    program(
        "date",
        Operands::Formats,
        "u R I? d= r< utc universal date= reference< rfc-3339= iso-8601? rfc-email",
    ),
    program("whoami", Operands::None, ""),
    program("id", Operands::Texts, "g G n r u z a group groups name real user zero"),
    program("groups", Operands::Texts, ""),
    program(
        "uname",
        Operands::None,
        "a s n r v m p i o all kernel-name nodename kernel-release machine processor",
    ),
    program("nproc", Operands::None, "all ignore="),
    program("which", Operands::Texts, "a"),
];

/// The reach of a program beyond its operands.
struct Reach {
    /// Set if everything below the folders among the operands is read.
    below: bool,
    /// Set if links among the files are followed.
    follows: bool,
}

impl Reach {
    fn for_program(name: &str, has: impl Fn(&[&str]) -> bool) -> Self {
        let below = match name {
            "rg" | "tree" | "du" => true,
            "grep" | "egrep" | "fgrep" => has(&["r", "R", "d", "recursive", "dereference-recursive"]),
            "ls" => has(&["R", "recursive"]),
            "diff" => has(&["r", "recursive"]),
            _ => false,
        };
        let follows = match name {
            "grep" | "egrep" | "fgrep" => has(&["R", "dereference-recursive"]),
            "rg" => has(&["L", "follow"]),
            "tree" => has(&["l"]),
            "ls" | "du" => below && has(&["L", "dereference"]),
            _ => false,
        };
        Self { below, follows }
    }
}

/// Assesses the arguments of a program in the list. Returns false if the program is not in it.
pub(super) fn assess(effects: &mut Effects, name: &str, arguments: &[String]) -> bool {
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else { return false };
    let numbers = match name {
        "head" | "tail" | "grep" | "egrep" | "fgrep" | "diff" => Numbers::Options,
        _ => Numbers::Unknown,
    };
    let doubts = effects.doubts.len();
    let given = Options { known: program.known, numbers }.walk(name, arguments, effects);
    if effects.doubts.len() > doubts && matches!(name, "sort" | "tree" | "file") {
        unknown::may_write(effects, arguments);
    }
    let mut operands = given.operands.as_slice();
    let has = |names: &[&str]| given.options.iter().any(|option| names.contains(option));
    match program.operands {
        Operands::FilesOrHere if operands.is_empty() => operands = &["."],
        Operands::Files | Operands::FilesOrHere => {}
        Operands::Pattern => {
            if !has(&["e", "f", "regexp", "file", "files", "type-list"]) {
                operands = operands.split_first().map_or(&[], |(_, files)| files);
            }
            let searches = name == "rg" || has(&["r", "R", "d", "recursive", "dereference-recursive"]);
            if operands.is_empty() && searches {
                operands = &["."];
            }
        }
        Operands::OneFile => {
            let written = operands.get(1..).unwrap_or_default();
            note_operands(effects, name, written);
            for path in written {
                effects.write(path);
            }
            operands = operands.get(..1).unwrap_or_default();
        }
        Operands::Texts => operands = &[],
        Operands::Formats => {
            operands
                .iter()
                .filter(|word| !word.starts_with('+'))
                .for_each(|word| note_operands(effects, name, &[word]));
            operands = &[];
        }
        Operands::None => note_operands(effects, name, std::mem::take(&mut operands)),
    }
    let Reach { below, follows } = Reach::for_program(name, has);
    if follows {
        effects.may_read_all();
    }
    for file in operands {
        if below {
            effects.read_tree(file);
        } else {
            effects.read(file);
        }
        // For two folders, `diff` compares the files in them.
        if name == "diff" {
            effects.may_touch(TouchKind::Read, file);
        }
    }
    true
}

/// Returns the names of the programs in the list.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|program| program.name)
}

fn note_operands(effects: &mut Effects, name: &str, words: &[&str]) {
    for word in words {
        effects.doubt(DoubtKind::Operand, name, word);
    }
}
