// Stands between a gateway and its upstream, and keeps the requests of each conversation.
//
// Usage: node recorder.mjs UPSTREAM. Prints {"base_url": URL}. GET /recorded?case=ID returns the bodies that contain
// "case=ID", in order, with the status of each answer.

import http from "node:http";

const upstream = new URL(process.argv[2]);
const recorded = new Map();
const agent = new http.Agent({ keepAlive: true });

function find(id) {
  return (recorded.get(id) ?? []).map(({ path, status, text }) => ({ path, status, body: text }));
}

function remember(path, bytes) {
  const text = bytes.toString("utf8");
  const record = { path, status: 0, text };
  const id = /case=([\w.-]+)/.exec(text)?.[1];
  if (id !== undefined) recorded.set(id, [...(recorded.get(id) ?? []), record]);
  return record;
}

function forward(request, response, bytes) {
  const record = remember(request.url, bytes);
  const headers = { ...request.headers, host: upstream.host, "content-length": bytes.length };
  delete headers["transfer-encoding"];
  const options = { host: upstream.hostname, port: upstream.port, path: request.url, method: request.method, headers, agent };
  const up = http.request(options, (answer) => {
    record.status = answer.statusCode;
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  up.on("error", () => response.destroy());
  response.on("close", () => up.destroy());
  up.end(bytes);
}

const server = http.createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    if (request.url.startsWith("/recorded?")) {
      const id = new URL(request.url, "http://recorder").searchParams.get("case");
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(find(id)));
    }
    forward(request, response, Buffer.concat(pieces));
  });
});

// A gateway may use a connection again just when the server closes it, which looks like a broken one.
server.keepAliveTimeout = 0;

server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.address().port}` }));
});
