// Draws the pictures of Code conversations from a real terminal: node tests/page/pictures-code.mjs docs
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { House, browse, linkIn, pair, say } from "./house.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("name the folder for the pictures");
await mkdir(folder, { recursive: true });

const COLUMNS = 80;
const COLOURS = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#79c0ff" };
const house = await House.build();
const browser = await browse();
const socket = `postern-pictures-${process.pid}`;
const tmux = (...words) => execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], { encoding: "utf8", env: { ...process.env, LANG: "C.UTF-8" } });
const shown = (...how) => tmux("capture-pane", "-p", ...how);
const pause = (time) => new Promise((done) => setTimeout(done, time));

async function sees(text) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (shown().includes(text)) return;
    await pause(50);
  }
  throw new Error(`${text} is not shown:\n${shown()}`);
}

// Types a line once a question has stood there for the moment in which nothing counts.
async function answers(text) {
  await pause(700);
  tmux("send-keys", "-l", text);
  tmux("send-keys", "Enter");
}

// The lines of a terminal with their colours, as a page.
function drawn(lines) {
  const escape = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  let style = "";
  const body = lines
    .split(/(\x1b\[[0-9;]*m)/)
    .map((piece) => {
      const codes = piece.match(/^\x1b\[([0-9;]*)m$/);
      if (!codes) return piece && `<span style="${style}">${escape(piece)}</span>`;
      for (const code of codes[1].split(";")) {
        if (code === "" || code === "0" || code === "39") style = "";
        else if (code === "1") style += "font-weight:700;color:#fff;";
        else if (code === "2") style += "opacity:.55;";
        else if (COLOURS[code]) style += `color:${COLOURS[code]};`;
      }
      return "";
    })
    .join("");
  return `<body style="margin:0;background:#0d1117"><pre style="margin:0;padding:18px 20px;display:inline-block;color:#d1d7e0;font:14px/1.32 'DejaVu Sans Mono',monospace">${body}</pre>`;
}

async function shoot(name, viewport) {
  const page = await browser.newPage({ viewport, deviceScaleFactor: 1 });
  await page.setContent(drawn(shown("-e").trimEnd()));
  await page.locator("pre").screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

try {
  const link = linkIn(await house.open());
  const work = join(house.folder, "sum");
  await mkdir(work);
  await writeFile(join(work, "sum"), "#!/bin/sh\necho $(($1 - $2))\n");
  const phone = await browser.newPage({ viewport: { width: 390, height: 720 }, deviceScaleFactor: 1.5, colorScheme: "dark" });
  await pair(phone, link);

  tmux("new-session", "-d", "-x", String(COLUMNS), "-y", "40", "env PS1='$ ' sh");
  const { POSTERN_DATA, POSTERN_CONFIG } = house.env;
  tmux("send-keys", "-l", `cd ${work}; export POSTERN_DATA=${POSTERN_DATA} POSTERN_CONFIG=${POSTERN_CONFIG}; alias postern=${house.programPath}; clear`);
  tmux("send-keys", "Enter");
  await pause(300);
  await answers("postern code");
  await sees("Is what is in this folder yours?");
  await answers("y");
  await sees("To go on from your phone");
  await answers("patch sum: - $2 => + $2");
  await sees("Action: Change a file");
  await pause(300);
  await shoot("picture-code", { width: 900, height: 800 });
  const code = shown().match(/\/link (\S+)/)[1];
  await say(phone, `/link ${code}`);
  await phone.locator(".card:not(.closed)").waitFor();
  await pause(400);
  await phone.screenshot({ path: join(folder, "picture-code-phone.png") });
  await answers("y");
  await sees("✓ @coder patch: patched sum");
  await pause(500);
  await shoot("picture-code-done", { width: 900, height: 1000 });
} finally {
  try { tmux("kill-server"); } catch { /* it may not have come that far */ }
  await browser.close();
  await house.clear();
}
