//! Sockets that a confined child can create: ordinary programs have the ones that they need, and none reaches the
//! host.

use std::os::unix::net::UnixDatagram;
use std::process::Stdio;

use windlass_testkit::{Need, require};

use crate::leashed::scene;
use crate::levels::{confined, helper};

// security 13
#[test]
fn no_socket_pair_sends_to_a_socket_of_the_host() {
    require!(Need::Python, std::path::Path::new("/usr/bin/python3").exists());
    let attack = "
import socket, sys
made = []
for family in (socket.AF_UNIX, socket.AF_INET, 30):
    for kind in list(range(1, 8)) + [2 | socket.SOCK_CLOEXEC, 2 | socket.SOCK_NONBLOCK, 1 | socket.SOCK_CLOEXEC]:
        try:
            one, other = socket.socketpair(family, kind)
        except (OSError, ValueError):
            continue
        made.append((int(family), int(kind)))
        for path in sys.argv[1:]:
            try:
                one.sendto(b'out', path)
            except OSError:
                pass
            try:
                one.connect(path); one.send(b'out')
            except OSError:
                pass
print(made)
";
    for level in confined() {
        let scene = scene();
        let paths = [scene.work.join("log"), scene.work.parent().unwrap().join("log")];
        let logs = paths.each_ref().map(|path| UnixDatagram::bind(path).unwrap());
        let words = ["-c", attack].into_iter().chain(paths.iter().map(|path| path.to_str().unwrap()));
        let mut command = scene.confinement.command(level, &helper(), &scene.work, "/usr/bin/python3", words);
        let output = command.stdin(Stdio::null()).output().unwrap();
        for log in logs {
            log.set_nonblocking(true).unwrap();
            log.recv(&mut [0; 8]).unwrap_err();
        }
        // Shells, `git` and event loops create connected pairs of sockets.
        let made = String::from_utf8_lossy(&output.stdout);
        assert_eq!(made, "[(1, 1), (1, 5), (1, 524289)]\n", "{level}: {output:?}");
    }
}

#[test]
fn programs_that_need_a_pair_of_sockets_work() {
    let scripts = [
        ("/usr/bin/python3", "python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0)); print(1)'", "1\n"),
        (
            "/usr/bin/python3",
            "python3 -c 'import multiprocessing as m; a, b = m.Pipe(); a.send(1); print(b.recv())'",
            "1\n",
        ),
        (
            "/usr/bin/node",
            "node -e 'require(\"child_process\").exec(\"echo 1\", (e, o) => console.log(o.trim()))'",
            "1\n",
        ),
        (
            "/usr/bin/git",
            "export GIT_CONFIG_GLOBAL=/dev/null HOME=/tmp; git init -q a && git clone -q a b 2>/dev/null; git -C b rev-parse --git-dir",
            ".git\n",
        ),
    ];
    for level in confined() {
        let scene = scene();
        for (program, script, expected) in scripts {
            if !std::path::Path::new(program).exists() {
                continue;
            }
            let mut command =
                scene.confinement.command(level, &helper(), &scene.work, "/bin/sh", ["-c", script]);
            let output = command.stdin(Stdio::null()).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{level}: {script}: {output:?}");
        }
    }
}
