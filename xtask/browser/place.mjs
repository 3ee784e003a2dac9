// A scripted provider and `windlass serve` in folders of their own.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 60000;

/** Starts a program, and returns it with the first match of a pattern in its output. */
export async function startProgram(program, words, environment, pattern) {
  const child = spawn(program, words, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const found = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${words[0]} did not start: ${output}`)), START_MS);
    const read = (chunk) => {
      output = (output + chunk).slice(-100000);
      const match = output.match(pattern);
      if (!match) return;
      clearTimeout(timer);
      resolve(match);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => reject(new Error(`${words[0]} ended with ${code}: ${output}`)));
  });
  found.catch(() => {});
  try {
    return { child, match: await found, output: () => output };
  } catch (error) {
    child.kill();
    throw error;
  }
}

/** A running server with its provider, project and state. */
export class Place {
  /** Starts the programs with a script of the provider. */
  static async start(windlass, script) {
    const place = new Place();
    place.windlass = windlass;
    place.folder = mkdtempSync(join(tmpdir(), "windlass-browser-"));
    place.project = join(place.folder, "project");
    mkdirSync(place.project);
    const file = join(place.folder, "script.json");
    writeFileSync(file, JSON.stringify(script));
    place.environment = {
      PATH: process.env.PATH,
      HOME: place.folder,
      LANG: "C.UTF-8",
      WINDLASS_CONFIG_DIR: join(place.folder, "settings"),
      WINDLASS_STATE_DIR: join(place.folder, "state"),
    };
    place.mock = await startProgram(
      windlass, ["mock", "--script", file, "--json"], place.environment, /"base_url":\s*"([^"]+)"/,
    );
    place.provider = ["--base-url", `${place.mock.match[1]}/v1`, "--model", "scripted-1", "--root", place.project];
    await place.serve("127.0.0.1:0", ["--add-device", "laptop"]);
    place.link = place.server.match[0];
    place.address = new URL(place.link).host;
    return place;
  }

  /** Starts the server. Its first link, or its address, is the match of the program. */
  async serve(listen, words) {
    const all = ["serve", "--listen", listen, ...this.provider, "--sandbox", "off", ...words];
    const pattern = words.length ? /http:\/\/\S+#token=\S+/ : /http:\/\/\S+/;
    this.server = await startProgram(this.windlass, all, this.environment, pattern);
  }

  /** Kills the server and starts it again on the same address. */
  async restart() {
    const ended = new Promise((resolve) => this.server.child.once("exit", resolve));
    this.server.child.kill("SIGKILL");
    await ended;
    await this.serve(this.address, []);
  }

  async stop() {
    for (const program of [this.server, this.mock]) if (program) await stopProgram(program.child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function stopProgram(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10000);
  await ended;
  clearTimeout(timer);
}
