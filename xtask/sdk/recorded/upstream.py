"""The recordings of one format, and a server that answers a request with the recording that its model names."""

import json
import pathlib
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FORMATS = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "gemini": "/v1beta"}


class Recording:
    """An answer of a provider, with what our own decoder reads in it."""

    def __init__(self, form, meta, body):
        self.form, self.body = form, body
        self.name = meta["body_file"]
        # Some recordings have the reason of the status behind it.
        self.status = int(str(meta.get("status") or 200).split()[0])
        self.is_stream = meta["stream"] is not None
        # The type that the recorder wrote can be missing or wrong.
        self.kind = "text/event-stream" if meta["stream"] == "sse" else "application/json"
        self.own = None


def load(corpora, form):
    """Returns the recordings of a format in the order of their names."""
    recordings = []
    for file in sorted(pathlib.Path(corpora, "streams", form).glob("*.meta.json")):
        meta = json.loads(file.read_bytes())
        body = file.with_name(meta["body_file"])
        if body.exists():
            recordings.append(Recording(form, meta, body.read_bytes()))
    return recordings


def decode(windlass, corpora, form, recordings):
    """Lets `windlass parse` decode the recordings. `own` stays None where it refuses the bytes."""
    by_name = {recording.name: recording for recording in recordings}
    for start in range(0, len(recordings), 100):
        part = [str(pathlib.Path(corpora, "streams", form, it.name)) for it in recordings[start : start + 100]]
        # One file alone is printed without its name.
        command = [windlass, "parse", "--wire", form, "--stage", "message", *part, part[0]]
        output = subprocess.run(command, capture_output=True, check=False, timeout=300).stdout
        for line in output.decode().splitlines():
            answer = json.loads(line)
            by_name[pathlib.Path(answer["file"]).name].own = answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        in_path = re.search(r"/models/([^:?]+):", self.path)
        model = in_path.group(1) if in_path else json.loads(body)["model"]
        recording = self.server.recordings[model]
        self.send_response(recording.status)
        self.send_header("content-type", recording.kind)
        self.send_header("content-length", str(len(recording.body)))
        self.end_headers()
        self.wfile.write(recording.body)

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def serve(recordings):
    """Serves the recordings. Returns the address and the name of the model for each recording."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.recordings = {f"recorded-{at}": recording for at, recording in enumerate(recordings)}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", server.recordings


class Gateway:
    """A `windlass proxy` before an address."""

    def __init__(self, windlass, form, address):
        command = [windlass, "proxy", "--base-url", address + FORMATS[form], "--wire", form]
        command += ["--listen", "127.0.0.1:0", "--json", "--retries", "0", "--retry-for", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.url = json.loads(self.process.stdout.readline())["base_url"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
