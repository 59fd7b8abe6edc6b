// Does the owner's console keep its promises in a real browser?
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { accessible } from "./axe.mjs";
import { linkIn, pair, press, say } from "./house.mjs";

export const VIEWS = ["waiting", "chats", "people", "memories", "files", "rules", "audit", "status"];
const TITLES = ["Waiting", "Chats", "People", "Memories", "Files", "Rules", "Audit", "Status"];
const HOSTILE = "<img src=x onerror=alert(1)> a\u202Etxt.exe \u200B";

const sideways = (page) => page.evaluate(() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("pre, .frame, .views, .unseen"))
  .map((element) => `${element.tagName}.${element.className}`));

export async function newLink(house, ...words) {
  const { stdout } = await promisify(execFile)(house.programPath, ["pair", ...words], { env: house.env });
  return linkIn(stdout);
}

// Lets a chat read something from outside, and remember these after it.
export async function markAndRemember(page, ...texts) {
  await page.locator("#enclosed").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("plain words") });
  await page.getByText("read outside content").last().waitFor();
  for (const text of texts) {
    await say(page, `remember ${text}`);
    await page.getByText("Saved after outside content").filter({ hasText: text }).waitFor();
  }
}

export async function consolePromises({ promise, house, browser, page, watch, refused }) {
  await promise("the owner finds the console beside the chat", async () => {
    await page.setViewportSize({ width: 1000, height: 760 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("link", { name: "Console" }).click();
    await page.getByRole("heading", { name: "Waiting" }).waitFor();
    await page.getByText("Nothing waits.").waitFor();
  });

  await promise("keys alone reach every list, and the title is what is read out", async () => {
    await page.goto(page.url().split("#")[0]);
    await page.locator("#views").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
    for (const title of TITLES) {
      const link = page.locator("#views a", { hasText: title });
      for (let steps = 0; steps < 14 && !(await link.evaluate((it) => it === document.activeElement)); steps += 1) {
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await page.locator("#title", { hasText: title }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "view");
      assert.equal(await page.title(), `${title} · Postern`);
      await page.keyboard.press("Shift+Tab");
    }
  });

  const second = await browser.newContext({ viewport: { width: 800, height: 700 }, colorScheme: "light" });
  const other = await second.newPage();
  watch(other);
  await promise("a card of another chat waits here, and is answered here with a button of its own", async () => {
    await pair(other, await newLink(house));
    await say(other, "write elsewhere.txt: from the other chat");
    await other.locator(".card:not(.closed)").waitFor();
    await page.goto(`${page.url().split("#")[0]}#waiting`);
    await page.getByRole("button", { name: "Answer it here" }).click();
    await page.locator(".card:not(.closed)").waitFor();
    await accessible(page, "waiting, with a card");
    await press(page, "Allow once");
    await page.getByText("Nothing waits.").waitFor({ timeout: 15_000 });
    await other.locator(".card.closed .outcome", { hasText: "wrote elsewhere.txt" }).waitFor();
    assert.deepEqual(await house.written("elsewhere.txt"), ["from the other chat"]);
  });

  await promise("hostile names and texts are shown inert in the lists", async () => {
    await say(other, `remember ${HOSTILE}`);
    await other.getByText("remembered").first().waitFor();
    // While its card waits, the person's words are the last that were said there.
    await say(other, `write hostile.txt: ${HOSTILE}`);
    await other.locator(".card:not(.closed)").waitFor();
    await page.goto(`${page.url().split("#")[0]}#memories`);
    const memory = await page.locator(".row .text").first().textContent();
    assert.ok(memory.startsWith("<img src=x onerror=alert(1)> a\\u{202e}txt.exe"), memory);
    await page.goto(`${page.url().split("#")[0]}#chats`);
    await page.locator(".row .text", { hasText: "onerror" }).first().waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal((await page.textContent("main")).includes("\u202E"), false);
    await press(other, "Deny");
  });

  await promise("a memory that came after outside content is confirmed under its whole text, or forgotten", async () => {
    await say(other, "/new");
    await other.getByText("A fresh conversation").last().waitFor();
    await markAndRemember(other, "the keys are under the mat", "the safe is open");
    await page.goto(`${page.url().split("#")[0]}#memories`);
    const row = (text) => page.locator(".row", { hasText: text });
    await row("the keys").getByText("waits to be confirmed").waitFor();
    await accessible(page, "memories that wait");
    await row("the keys").getByRole("button", { name: "Remember it" }).click();
    await row("the keys").locator(".state", { hasText: /^confirmed$/ }).waitFor();
    assert.equal(await page.locator("#announce").textContent(), "Confirmed");
    await row("the safe").getByRole("button", { name: "Forget it" }).click();
    await row("the safe").waitFor({ state: "detached" });
    assert.equal(await page.getByRole("button", { name: "Remember it" }).count(), 0);
    await say(other, "/new");
    await other.getByText("A fresh conversation").nth(1).waitFor();
  });

  await promise("a file is downloaded, not opened", async () => {
    await page.goto(`${page.url().split("#")[0]}#files`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "elsewhere.txt" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "elsewhere.txt");
    assert.equal(await readFile(await download.path(), "utf8"), "from the other chat");
  });

  await promise("letting go asks once more, and Keep keeps", async () => {
    await page.goto(`${page.url().split("#")[0]}#people`);
    const rows = page.locator(".row");
    await rows.first().waitFor();
    const before = await rows.count();
    const row = rows.last();
    await row.getByRole("button", { name: /^Let go of/ }).click();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Keep");
    await page.keyboard.press("Enter");
    await row.getByRole("button", { name: /^Let go of/ }).waitFor();
    assert.equal(await rows.count(), before);
  });

  for (const [scheme, width] of [["light", 1000], ["dark", 1000], ["light", 360], ["dark", 360]]) {
    await promise(`every list is accessible and nothing sticks out: ${scheme}, ${width} wide`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 740 });
      for (const [at, view] of VIEWS.entries()) {
        await page.goto(`${page.url().split("#")[0]}#${view}`);
        await page.locator("#title", { hasText: TITLES[at] }).waitFor();
        await page.locator("#list > *").first().waitFor();
        assert.deepEqual(await sideways(page), [], view);
        await accessible(page, view);
      }
    });
  }

  await promise("a guest's browser has no console, and its chat shows no way there", async () => {
    const third = await browser.newContext();
    const guest = await third.newPage();
    watch(guest);
    await pair(guest, await newLink(house, "--guest", "Zoe"));
    assert.equal(await guest.locator("#console").isVisible(), false);
    await refused(async () => {
      await guest.goto(`${guest.url()}console`);
      await guest.getByText("This is the owner's").waitFor();
    });
    assert.equal(await guest.locator("#views").isVisible(), false);
    assert.equal((await guest.textContent("body")).includes("elsewhere"), false);
    await third.close();
  });

  await promise("the console says that the program is away, and goes on when it is back", async () => {
    await page.setViewportSize({ width: 1000, height: 760 });
    await page.goto(`${page.url().split("#")[0]}#waiting`);
    await refused(async () => {
      await house.kill();
      await page.locator("#banner", { hasText: "cannot be reached" }).waitFor({ timeout: 15_000 });
      await house.open();
      await page.locator("#banner").waitFor({ state: "hidden", timeout: 15_000 });
    });
  });

  await second.close();
  await page.goto(new URL("/", page.url()).href);
  await page.locator("#words").waitFor();
}
