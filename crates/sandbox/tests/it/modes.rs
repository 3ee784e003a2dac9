//! Files that would give privileges to other users: a confined child cannot make them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use windlass_sandbox::Level;
use windlass_testkit::{Need, require};

use crate::leashed::{Scene, scene};
use crate::levels::{confined, helper};

fn run(scene: &Scene, level: Level, program: &str, words: &[&str]) -> Output {
    let mut command = scene.confinement.command(level, &helper(), &scene.work, program, words);
    command.stdin(Stdio::null()).output().unwrap()
}

/// Files below a folder with a setuid or setgid bit.
fn privileged(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut found = Vec::new();
    for entry in entries {
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() {
            found.extend(privileged(&entry.path()));
        } else if metadata.mode() & 0o6000 != 0 && metadata.len() > 0 {
            found.push(format!("{} {:o}", entry.path().display(), metadata.mode()));
        }
    }
    found.sort();
    found
}

/// Every call that sets a mode, by number where the C library has another way.
const CALLS: &str = "
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
at, made = -100, []
def keep(name):
    with open(name, 'wb') as file:
        file.write(open('/bin/true', 'rb').read())
    return name.encode()
for bit in (0o4755, 0o2755, 0o6755, 0o4111):
    for call, words in {
        'chmod': (90, lambda n: (n, bit)),
        'fchmod': (91, lambda n: (os.open(n, os.O_RDONLY), bit)),
        'fchmodat': (268, lambda n: (at, n, bit)),
        'fchmodat2': (452, lambda n: (at, n, bit, 0)),
    }.items():
        name = keep(f'{call}{bit:o}')
        libc.syscall(words[0], *words[1](name))
    for call, words in {
        'open': (2, lambda n: (n, os.O_CREAT | os.O_RDWR, bit)),
        'creat': (85, lambda n: (n, bit)),
        'mknod': (133, lambda n: (n, 0o100000 | bit, 0)),
        'mknodat': (259, lambda n: (at, n, 0o100000 | bit, 0)),
        'openat': (257, lambda n: (at, n, os.O_CREAT | os.O_RDWR, bit)),
        'openat2': (437, lambda n: (at, n, struct.pack('QQQ', os.O_CREAT | os.O_RDWR, bit, 0), 24)),
        'tmpfile': (257, lambda n: (at, b'.', os.O_TMPFILE | os.O_RDWR, bit)),
    }.items():
        name = f'{call}{bit:o}'.encode()
        got = libc.syscall(words[0], *words[1](name))
        try:
            file = os.open(name, os.O_RDWR) if got < 0 or not call.startswith(('op', 'tmp')) else got
        except OSError:
            continue
        os.write(file, open('/bin/true', 'rb').read())
        if call == 'tmpfile':
            libc.linkat(at, f'/proc/self/fd/{file}'.encode(), at, name, 0x400)
try:
    os.setxattr('chmod4755', 'security.capability', bytes.fromhex('0100000280000000000000000000000000000000'))
    made.append('capability')
except OSError:
    pass
print(made)
";

// security 20
#[test]
fn no_file_gives_its_owner_or_group_away() {
    for level in confined() {
        let scene = scene();
        let script =
            "cp /bin/true a; chmod 4755 a; chmod u+s a; chmod g+s a; install -m 6755 /bin/true b; true";
        run(&scene, level, "/bin/sh", &["-c", script]);
        assert!(scene.work.join("a").exists());
        if cfg!(target_arch = "x86_64") && Path::new("/usr/bin/python3").exists() {
            let output = run(&scene, level, "/usr/bin/python3", &["-c", CALLS]);
            assert_eq!(String::from_utf8_lossy(&output.stdout), "[]\n", "{level}: {output:?}");
            assert!(scene.work.join("chmod4755").exists());
        }
        assert_eq!(privileged(&scene.work), [""; 0], "{level}");
    }
}

/// A work folder whose new folders and files have its group.
fn shared() -> Scene {
    let scene = scene();
    fs::set_permissions(&scene.work, fs::Permissions::from_mode(0o2775)).unwrap();
    scene
}

// In a folder that passes its group on, folders must keep the bit, and files lose it when the command has ended.
#[test]
fn files_of_a_shared_folder_lose_the_bit_with_the_end_of_the_command() {
    let script = "cp /bin/true a; mkdir -p c/d; cp a c/d/b; chmod 2755 a c/d/b; chmod 755 c; chmod g+s c/d; chmod 4755 a";
    for level in confined() {
        let scene = shared();
        run_leashed(&scene, level, script, false);
        run_leashed(&scene, level, &format!("{script}; chmod 2755 a; echo ready; sleep 300"), true);
        for folder in ["", "c", "c/d"] {
            assert_ne!(
                fs::metadata(scene.work.join(folder)).unwrap().mode() & 0o2000,
                0,
                "{level}: {folder}"
            );
        }
    }
}

#[track_caller]
fn run_leashed(scene: &Scene, level: Level, script: &str, is_killed: bool) {
    let made = scene.confinement.command_with_leash(level, &helper(), &scene.work, "/bin/sh", ["-c", script]);
    let (mut command, leash) = made.unwrap();
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    if is_killed {
        let mut ready = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        assert_ne!(privileged(&scene.work), [""; 0], "{level}: the bit can be set meanwhile");
        // Dropping the leash has the same effect as the death of the host.
        drop(leash);
    }
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(privileged(&scene.work), [""; 0], "{level}");
}

#[test]
fn programs_that_copy_modes_work() {
    let scripts = [
        "cp /bin/true a; chmod 755 a; cp -p a b; test -x b",
        "mkdir d; cp /bin/true d/a; chmod 755 d d/a; tar cf d.tar d; mkdir e; tar xpf d.tar -C e; test -x e/d/a",
        "mkdir d; cp -rp d f; cp -rp d f; chmod -R u=rwX,go=rX f",
        "install -d -m 755 i; install -m 755 /bin/true i/p; i/p",
        "mkdir -m 1777 t; test -k t",
        "command -v git >/dev/null || exit 0; export HOME=/tmp GIT_CONFIG_GLOBAL=/dev/null; git init -q g; cd g; \
         cp /bin/true x; chmod +x x; git add .; git -c user.name=n -c user.email=e@f.g commit -qm m; rm x; \
         git checkout -q x; test -x x",
        "command -v cc >/dev/null || exit 0; export TMPDIR=$PWD; echo 'int main(void) { return 0; }' >m.c; cc m.c -o m && ./m",
    ];
    for level in confined() {
        for script in scripts {
            for scene in [scene(), shared()] {
                let output = run(&scene, level, "/bin/sh", &["-ec", script]);
                assert!(output.status.success(), "{level}: {script}: {output:?}");
            }
        }
    }
}

// With the toolchain of this test, which links programs and sets their modes.
#[test]
fn a_build_works() {
    let cargo = option_env!("CARGO").map(Path::new).filter(|cargo| cargo.exists());
    let cargo = require!(Need::Compiler, cargo);
    for level in confined() {
        let scene = scene();
        let toolchain = cargo.canonicalize().unwrap().parent().unwrap().parent().unwrap().to_path_buf();
        fs::create_dir(scene.work.join("src")).unwrap();
        fs::write(
            scene.work.join("Cargo.toml"),
            "[package]\nname = \"p\"\nedition = \"2024\"\n[workspace]\n",
        )
        .unwrap();
        fs::write(scene.work.join("src/main.rs"), "fn main() { println!(\"built\"); }\n").unwrap();
        let bin = toolchain.join("bin");
        let script = format!(
            "export PATH={}:/usr/bin:/bin CARGO_HOME=$PWD/h TMPDIR=$PWD; unset RUSTC_WRAPPER; cargo build -q --offline && target/debug/p",
            bin.display()
        );
        let confinement = scene.confinement.clone().with_readable(&toolchain);
        let mut command: Command =
            confinement.command(level, &helper(), &scene.work, "/bin/sh", ["-c", &script]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "built\n", "{level}: {output:?}");
    }
}
