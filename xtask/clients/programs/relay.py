"""Stands between one program and the gateway, forwards every request, and keeps paths, statuses and bodies."""

import http.client
import http.server
import threading
import urllib.parse

HOP_BY_HOP = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host"}


class Exchange:
    """One request of a program, and the answer that it got."""

    def __init__(self, method, path, body):
        self.method, self.path, self.body = method, path, body
        self.status, self.answer = 0, b""

    def __str__(self):
        return f"{self.method} {self.path.split('?')[0]}: {self.status}"


class Relay:
    """A server on a free port for one conversation."""

    def __init__(self, upstream):
        self.exchanges = []
        relay, target = self, urllib.parse.urlsplit(upstream)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def forward(self):
                relay.forward(self, target)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = forward

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, request, target):
        exchange = Exchange(request.command, request.path, read_body(request))
        self.exchanges.append(exchange)
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=120)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        headers["Content-Length"] = str(len(exchange.body))
        if protocol := request.headers.get("Upgrade"):
            headers |= {"Connection": "Upgrade", "Upgrade": protocol}
        try:
            connection.request(request.command, request.path, exchange.body, headers)
            answer = connection.getresponse()
            exchange.status = answer.status
            request.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP_BY_HOP | {"content-length", "date", "server"}:
                    request.send_header(name, value)
            request.send_header("Transfer-Encoding", "chunked")
            request.end_headers()
            while piece := answer.read1(65536):
                exchange.answer += piece
                request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                request.wfile.flush()
            request.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException):
            # One side closed the connection: the other one sees the same.
            request.close_connection = True
        finally:
            connection.close()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def read_body(request):
    """Reads the body of a request, with a length or in chunks."""
    if "chunked" not in request.headers.get("Transfer-Encoding", ""):
        return request.rfile.read(int(request.headers.get("Content-Length") or 0))
    body = b""
    while size := int(request.rfile.readline().split(b";")[0], 16):
        body += request.rfile.read(size)
        request.rfile.readline()
    request.rfile.readline()
    return body
