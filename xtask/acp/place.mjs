// A scripted provider in folders of its own, and a recorder of the requests that reach it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startProgram, stopProgram } from "../browser/place.mjs";

/** The programs and folders of the checks. */
export class Place {
  /** Starts the programs with a script of the provider. */
  static async start(windlass, script) {
    const place = new Place();
    place.windlass = windlass;
    place.folder = mkdtempSync(join(tmpdir(), "windlass-acp-"));
    place.project = join(place.folder, "project");
    place.served = join(place.folder, "served");
    for (const folder of [place.project, place.served]) mkdirSync(folder);
    const file = join(place.folder, "script.json");
    writeFileSync(file, JSON.stringify(script));
    place.environment = {
      PATH: process.env.PATH,
      HOME: place.folder,
      LANG: "C.UTF-8",
      WINDLASS_CONFIG_DIR: join(place.folder, "settings"),
      WINDLASS_STATE_DIR: join(place.folder, "state"),
    };
    place.programs = [];
    try {
      const [, address] = await place.startServer(["mock", "--script", file, "--json"], /"base_url":\s*"([^"]+)"/);
      await place.record(address);
    } catch (error) {
      await place.stop();
      throw error;
    }
    place.provider = ["--base-url", `${place.recorder}/v1`, "--model", "scripted-1"];
    return place;
  }

  /** Starts a server that stops with the place, and returns the match of a pattern in its output. */
  async startServer(words, pattern, environment = {}) {
    const program = await startProgram(this.windlass, words, { ...this.environment, ...environment }, pattern);
    this.programs.push(program.child);
    return program.match;
  }

  /** Starts the recorder before the provider. Its requests are the texts that the provider received. */
  async record(address) {
    const upstream = new URL(address);
    this.requests = [];
    this.server = http.createServer((request, response) => {
      const pieces = [];
      request.on("data", (piece) => pieces.push(piece));
      request.on("end", () => {
        const body = Buffer.concat(pieces);
        this.requests.push(body.toString("utf8"));
        const headers = { ...request.headers, host: upstream.host, "content-length": body.length };
        delete headers["transfer-encoding"];
        const options = { host: upstream.hostname, port: upstream.port, path: request.url, method: request.method, headers };
        const up = http.request(options, (answer) => {
          response.writeHead(answer.statusCode, answer.headers);
          answer.pipe(response);
          answer.on("error", () => response.destroy());
        });
        up.on("error", () => response.destroy());
        response.on("close", () => up.destroy());
        up.end(body);
      });
    });
    // An agent may use a connection again just when the server closes it, which looks like a broken one.
    this.server.keepAliveTimeout = 0;
    await new Promise((resolve) => { this.server.listen(0, "127.0.0.1", resolve); });
    this.recorder = `http://127.0.0.1:${this.server.address().port}`;
  }

  /** Returns the requests to the provider that contain a text, parsed. */
  requestsWith(text) {
    return this.requests.filter((body) => body.includes(text)).map((body) => JSON.parse(body));
  }

  async stop() {
    for (const child of this.programs) await stopProgram(child);
    this.server?.closeAllConnections();
    this.server?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
