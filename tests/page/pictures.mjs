// Draws the pictures of the documentation from the real page: node tests/page/pictures.mjs docs
// With --all, every state of the page, to be looked at.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { drawConsole } from "./pictures-console.mjs";
import { House, browse, linkIn, pair, press, say } from "./house.mjs";

const all = process.argv.includes("--all");
const folder = process.argv.slice(2).find((word) => !word.startsWith("--"));
if (!folder) throw new Error("name the folder for the pictures");
await mkdir(folder, { recursive: true });

const house = await House.build();
const browser = await browse();
try {
  const link = linkIn(await house.open());
  const context = await browser.newContext({ viewport: { width: 760, height: 740 }, deviceScaleFactor: 2, colorScheme: "light" });
  const page = await context.newPage();
  const shoot = (name) => page.screenshot({ path: join(folder, `${name}.png`) });
  const state = async (name) => { if (all) await shoot(`state-${name}`); };

  await page.goto(link.split("#")[0]);
  await page.getByText("This door is closed").waitFor();
  await state("closed");
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByText("Pair this browser?").waitFor();
  await state("pair");
  await pair(page, link);
  await page.getByText("try: write notes.txt: hello").waitFor();
  await state("welcome");
  await say(page, "write notes.txt: hello");
  await page.locator(".card").waitFor();
  await page.waitForTimeout(300);
  await shoot("picture-card");
  await press(page, "Allow once");
  await page.locator(".card.closed .outcome", { hasText: "wrote" }).waitFor();
  await page.waitForTimeout(300);
  await state("outcome");
  await say(page, "write list.txt: milk, bread, and a note for the neighbours");
  await page.locator(".card:not(.closed)").waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 720 });
  await page.waitForTimeout(300);
  await shoot("picture-card-dark");
  const desk = await browser.newContext({ storageState: await context.storageState(), viewport: { width: 900, height: 640 } });
  const listed = await desk.newPage();
  await listed.goto(link.split("#")[0]);
  await drawConsole({ house, browser, page: listed, all, shoot: (name) => listed.screenshot({ path: join(folder, `${name}.png`) }) });
  await desk.close();
  if (all) {
    await page.getByRole("link", { name: "Console" }).waitFor();
    const always = page.locator(".card:not(.closed)", { hasText: "list.txt" }).getByRole("button", { name: "Always", exact: true });
    await always.waitFor();
    await page.waitForTimeout(800);
    await always.click();
    await page.locator(".card.closed .outcome", { hasText: "Always" }).waitFor();
    await say(page, `write marks.txt: a\u202Etxt.exe ${"long ".repeat(1500)}`);
    await page.locator(".card:not(.closed)").waitFor();
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 760, height: 900 });
    await page.waitForTimeout(300);
    await state("cut");
    await press(page, "Deny");
    for (const word of ["/help", "/rules", "/status", "/why", "/policy", "/new", "/incognito"]) {
      await say(page, word);
      await page.waitForTimeout(400);
    }
    await page.setViewportSize({ width: 760, height: 1500 });
    await page.waitForTimeout(300);
    await state("commands");
    await house.kill();
    await page.locator("#banner").waitFor();
    await state("lost");
  }
} finally {
  await browser.close();
  await house.clear();
}
