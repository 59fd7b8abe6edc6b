// A Postern of its own and a browser in front of it, both gone when the test ends.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../", import.meta.url));
const target = process.env.CARGO_TARGET_DIR || join(root, "target");
const program = process.env.POSTERN || join(target, "release", "postern");
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const START = 10_000; // milliseconds
export const ADMIN_TOKEN = "an-admin-token-of-the-page-test";

function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export class House {
  static async build() {
    if (!existsSync(program)) throw new Error(`${program} is missing: cargo build --release`);
    const house = new House();
    house.folder = await mkdtemp(join(tmpdir(), "postern-page-"));
    for (const name of ["data", "config"]) await mkdir(join(house.folder, name), { mode: 0o700 });
    const settings = join(house.folder, "config", "postern.toml");
    const token = join(house.folder, "admin-token");
    await writeFile(token, `${ADMIN_TOKEN}\n`, { mode: 0o600 });
    const web = `[web]\nlisten = "127.0.0.1:${await freePort()}"\nadmin_token_file = ${JSON.stringify(token)}\n`;
    await writeFile(settings, web, { mode: 0o600 });
    return house;
  }

  get programPath() {
    return program;
  }

  get env() {
    return {
      ...process.env,
      POSTERN_DATA: join(this.folder, "data"),
      POSTERN_CONFIG: join(this.folder, "config"),
      NO_COLOR: "1",
    };
  }

  // Starts the program; what it prints, once it is open.
  open() {
    this.program = spawn(program, [], { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    return new Promise((done, failed) => {
      let said = "";
      const late = setTimeout(() => failed(new Error(`postern did not open in time:\n${said}`)), START);
      const hear = (bytes) => {
        said += bytes;
        if (!said.includes("To stop:")) return;
        clearTimeout(late);
        done(said);
      };
      this.program.stdout.on("data", hear);
      this.program.stderr.on("data", hear);
      this.program.once("exit", (code) => {
        clearTimeout(late);
        failed(new Error(`postern ended with ${code}:\n${said}`));
      });
    });
  }

  // Ends the program as a loss of power would.
  async kill() {
    const ended = new Promise((done) => this.program.once("exit", done));
    this.program.kill("SIGKILL");
    await ended;
  }

  // The texts of all files that the tools wrote under a name.
  async written(name) {
    const rooms = join(this.folder, "data", "workspaces");
    const found = [];
    for (const room of await readdir(rooms).catch(() => [])) {
      const text = await readFile(join(rooms, room, name), "utf8").catch(() => null);
      if (text !== null) found.push(text);
    }
    return found;
  }

  async clear() {
    if (this.program && this.program.exitCode === null && this.program.signalCode === null) await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function browse() {
  const executablePath = process.env.CHROMIUM || browsers.find(existsSync);
  if (!executablePath) throw new Error("chromium is missing: install it, or name it in CHROMIUM");
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export const linkIn = (said) => said.match(/http:\/\/127\.0\.0\.1:\d+\/#\S+/)[0];

// Pairs the browser through the link and waits for the chat.
export async function pair(page, link) {
  await page.goto(link);
  await page.getByRole("button", { name: "Pair this browser" }).click();
  await page.locator("#words").waitFor();
}

// Types a message and sends it.
export async function say(page, text) {
  await page.locator("#words").fill(text);
  await page.keyboard.press("Enter");
}

// Waits until a new card's buttons can be pressed, and presses one.
export async function press(page, label) {
  const button = page.locator(".card:not(.closed)").getByRole("button", { name: label, exact: true });
  await button.waitFor();
  await page.waitForTimeout(800);
  await button.click();
}
