"""One conversation of one program: its folders, its run, and the proof of what happened."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

from relay import Relay
from script import KNOWN_FOLDER as KNOWN

MODEL = "scripted-1"
KEY = "no-key"
SECONDS = 240
KNOWN_FOLDER = Path(KNOWN)
# A program inherits these variables only, so that no setting and no key of the developer reaches it.
INHERITED = ["PATH", "LANG", "LC_ALL", "TERM", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]


class Cell:
    """A program before one upstream, with a home, a work folder and a relay of its own."""

    def __init__(self, stack, upstream, name, tools):
        self.stack, self.upstream, self.mock, self.tools = stack, upstream, stack["mock"], tools
        self.case = re.sub(r"\W+", "-", f"{name}-{upstream}")
        self.relay = Relay(stack["gateways"][upstream])
        self.root = Path(tempfile.mkdtemp(prefix="windlass-program-"))
        self.home, self.work = self.root / "home", self.root / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.output = ""
        self.lock = None

    def use_known_folder(self):
        """Moves the work folder to the path that the script names, for programs that take absolute paths only."""
        self.lock = KNOWN_FOLDER.with_suffix(".lock").open("w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        shutil.rmtree(KNOWN_FOLDER, ignore_errors=True)
        self.work.rename(KNOWN_FOLDER)
        self.work = KNOWN_FOLDER

    def close(self):
        self.relay.stop()
        shutil.rmtree(self.work, ignore_errors=True)
        if self.lock is not None:
            self.lock.close()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def url(self):
        return self.relay.url

    def ask(self, part, words="do what the script says"):
        """Returns the first message, by which the mock finds its script and the recorder the requests."""
        return f"{part} case={self.case}: {words}"

    def write(self, path, content):
        """Writes a file below the root, as text or JSON."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        file.write_text(text, encoding="utf-8")
        return file

    def probe(self):
        """Returns the command of the MCP server, and the file with its calls."""
        script = Path(__file__).with_name("probe.py")
        return ["python3", str(script), str(self.root / "probe.log")]

    def run(self, command, env=None, expect=0):
        """Runs the program in the work folder, and kills it with its children when the time is over."""
        variables = {name: os.environ[name] for name in INHERITED if name in os.environ}
        variables |= {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"), "NO_COLOR": "1", "CI": "1"}
        variables |= {"XDG_DATA_HOME": str(self.home / ".local/share"), "XDG_CACHE_HOME": str(self.home / ".cache")}
        variables |= {name: str(value) for name, value in (env or {}).items()}
        log = self.root / "output.txt"
        with log.open("wb") as out:
            child = subprocess.Popen(
                [str(word) for word in command],
                cwd=self.work,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                status = child.wait(SECONDS)
            except subprocess.TimeoutExpired:
                status = f"none after {SECONDS} s"
            finally:
                stop_group(child)
        self.output = log.read_text(encoding="utf-8", errors="replace")
        if status != expect:
            raise AssertionError(f"exit status {status}; {self.explain()}")
        return self.output

    def explain(self):
        """Returns the end of the output, and the answers that were not 200."""
        refused = [f"{seen} {seen.answer[:200].decode(errors='replace')}" for seen in self.refused()]
        return f"requests {[str(seen) for seen in self.relay.exchanges][-6:]}; refused {refused[:3]}; output ..{self.output[-500:]!r}"

    def refused(self):
        return [seen for seen in self.relay.exchanges if seen.status >= 400]

    def recorded(self):
        """Returns the requests of this case that reached the upstream."""
        address = f"{self.stack['recorder']}/recorded?case={urllib.parse.quote(self.case)}"
        with urllib.request.urlopen(address) as answer:
            return json.load(answer)

    # Proofs

    def check_file(self, path, content):
        file = self.work / path
        found = file.read_text(encoding="utf-8") if file.exists() else None
        if found is None or found.strip() != content.strip():
            raise AssertionError(f"{path} contains {found!r} and not {content!r}; {self.explain()}")

    def check_output(self, *words):
        for word in words:
            if word not in self.output:
                raise AssertionError(f"{word!r} was not printed; {self.explain()}")

    def check_probe(self, *words):
        """Checks that the MCP server got these calls and no other, in any order: programs send parallel calls at once."""
        log = self.root / "probe.log"
        found = [json.loads(line)["word"] for line in log.read_text().splitlines()] if log.exists() else []
        if sorted(found) != sorted(words):
            raise AssertionError(f"the MCP server was asked for {found}; {self.explain()}")

    def check_upstream(self, *words, offered=()):
        """Checks that the upstream refused nothing, and that its requests contain each text, and offer each tool."""
        recorded = self.recorded()
        if not recorded:
            raise AssertionError(f"no request reached the upstream; {self.explain()}")
        if statuses := [seen["status"] for seen in recorded if seen["status"] != 200]:
            raise AssertionError(f"the upstream refused with {statuses}; {self.explain()}")
        bodies = [json.dumps(json.loads(seen["body"]), ensure_ascii=False) for seen in recorded]
        for word in words:
            if not any(word in body for body in bodies):
                raise AssertionError(f"{word!r} did not reach the upstream; {self.explain()}")
        for name in offered:
            if not any(name in offered_tools(json.loads(seen["body"])) for seen in recorded):
                names = sorted(offered_tools(json.loads(recorded[0]["body"])))
                raise AssertionError(f"the upstream was offered {names} and not {name!r}; {self.explain()}")

    def check_statuses(self):
        """Checks that the gateway refused no request of the program."""
        if self.refused():
            raise AssertionError(f"the gateway refused: {self.explain()}")


def stop_group(child):
    """Kills the children that the program left in its session."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def offered_tools(body):
    """Returns the names of the tools of a request in any of the four formats."""
    names = set()
    for tool in body.get("tools") or []:
        entries = [tool, *(tool.get("tools") or []), *(tool.get("functionDeclarations") or [])]
        entries += [tool[key] for key in ("function", "custom") if isinstance(tool.get(key), dict)]
        prefix = f"{tool['name']}." if tool.get("type") == "namespace" else ""
        names |= {prefix + entry["name"] for entry in entries if entry.get("name")}
    return names
