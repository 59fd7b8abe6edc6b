// Does the page keep its promises in a real browser, before a real Postern?
// Each promise is one line of the output; they stand in the order in which a person lives them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { accessible } from "./axe.mjs";
import { consolePromises } from "./console.mjs";
import { ADMIN_TOKEN, House, browse, linkIn, pair, press, say } from "./house.mjs";

const PATIENCE = 8_000; // milliseconds
const MARKS = "<img src=x onerror=alert(1)> **not bold** [here](javascript:alert(1)) a\u202Etxt.exe";

const house = await House.build();
let browser;
let passed = 0, failed = 0;
const faults = []; // what the browser complains of
let expected = false; // while the program is away, lost connections are no fault

async function promise(text, keep) {
  try {
    await keep();
    passed += 1;
    console.log(`ok      ${text}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${text}\n        ${String(error.message).split("\n").slice(0, 12).join("\n        ")}`);
  }
}

// While something is refused or away, the browser's complaints of it are no fault.
async function refused(act) {
  expected = true;
  await act();
  expected = false;
}

function watch(page) {
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => {
    if (message.type() === "error" && !expected) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
}

const wide = (page) => page.evaluate(() => {
  const over = [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("pre, table, .unseen"))
    .map((element) => element.tagName + "." + element.className);
  return { page: document.documentElement.scrollWidth - innerWidth, over };
});
const focus = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
const card = (page) => page.locator(".card:not(.closed)");
const outcomes = (page) => page.locator(".card.closed .outcome");

async function tabTo(page, label, key) {
  for (let steps = 0; steps < 30; steps += 1) {
    if (await focus(page) === label) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${label} cannot be reached with ${key}`);
}

try {
  const said = await house.open();
  const link = linkIn(said);
  browser = await browse();
  const home = await browser.newContext({ viewport: { width: 1000, height: 760 }, colorScheme: "light" });
  const page = await home.newPage();
  watch(page);

  await promise("a browser that is not paired sees a closed door and nothing else", async () => {
    await page.goto(link.split("#")[0]);
    await page.getByText("This door is closed").waitFor();
    assert.equal(await page.locator("#chat").isVisible(), false);
    await accessible(page, "the closed door");
  });

  await promise("opening the link pairs nothing, and the code leaves the address", async () => {
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText("Pair this browser?").waitFor();
    assert.equal(page.url(), link.split("#")[0]);
    assert.equal(await page.locator("#code").textContent(), link.split("#")[1]);
    const chat = await page.evaluate(() => fetch("/api/chat").then((answer) => answer.json()));
    assert.equal(chat.who, null);
    await accessible(page, "the question whether to pair");
  });

  await promise("one press pairs, and the chat says what to try", async () => {
    await page.getByRole("button", { name: "Pair this browser" }).click();
    await page.getByText("try: write notes.txt: hello").waitFor();
    assert.equal(await page.locator("#who").textContent(), "owner");
  });

  await promise("what is said is answered", async () => {
    await say(page, "good morning");
    await page.getByText("I heard you.").waitFor();
    assert.equal(await page.locator("#log .mine .text").first().textContent(), "good morning");
  });

  await promise("a card comes while typing and takes neither the focus nor the words", async () => {
    await say(page, "write notes.txt: hello");
    await page.keyboard.type("and then, while I think of something", { delay: 15 });
    await card(page).waitFor();
    assert.equal(await focus(page), "words");
    assert.equal(await page.locator("#words").inputValue(), "and then, while I think of something");
    const fields = await card(page).locator("dd").allTextContents();
    assert.deepEqual(fields, ["notes.txt", "hello", '@files write --file "notes.txt"']);
    assert.deepEqual(await house.written("notes.txt"), []);
  });

  await promise("keys alone answer it: to Allow once, Enter, and it ran", async () => {
    await page.waitForTimeout(800);
    await tabTo(page, "Allow once", "Shift+Tab");
    await page.keyboard.press("Enter");
    const outcome = outcomes(page).last();
    await outcome.getByText("wrote notes.txt").waitFor();
    assert.match(await outcome.textContent(), /Allowed once by .+\d\d:\d\d/);
    assert.deepEqual(await house.written("notes.txt"), ["hello"]);
    assert.equal(await page.locator("#words").inputValue(), "and then, while I think of something");
    await page.locator("#words").fill("");
  });

  await promise("Deny runs nothing and says so", async () => {
    await say(page, "write no.txt: never");
    await press(page, "Deny");
    await outcomes(page).last().getByText("it did not run").waitFor();
    assert.deepEqual(await house.written("no.txt"), []);
  });

  await promise("markup and hidden characters stay text, said and on a card", async () => {
    await say(page, `write marks.txt: ${MARKS}`);
    await card(page).waitFor();
    assert.equal(await page.locator("#log .mine .text").last().textContent(), `write marks.txt: ${MARKS}`);
    const value = await card(page).locator("dd.body").textContent();
    assert.ok(value.startsWith(MARKS.split("\u202E")[0]), value);
    assert.equal(value.includes("\u202E"), false, value);
    assert.match(value, /202E/i);
    await press(page, "Allow once");
    await page.getByText("wrote marks.txt").first().waitFor();
    await say(page, "read marks.txt");
    await page.locator(".of-reply .bubble", { hasText: "onerror" }).waitFor();
    const drawn = await page.evaluate(() => ({
      pictures: document.querySelectorAll("#log img:not([src='/icon.svg'])").length,
      links: [...document.querySelectorAll("#log a")].map((link) => link.href),
    }));
    assert.deepEqual(drawn, { pictures: 0, links: [] });
  });

  for (const [scheme, width] of [["light", 1000], ["dark", 360]]) {
    await promise(`the chat is accessible, with an open card and closed ones: ${scheme}, ${width} wide`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 760 });
      await say(page, "write open.txt: a card that stands");
      await card(page).waitFor();
      await accessible(page, "the chat");
      await press(page, "Deny");
      await outcomes(page).last().getByText("it did not run").waitFor();
    });
  }

  await promise("loading the page again shows the same chat", async () => {
    const before = await page.locator("#log > li .text, #log > li .card, #log > li .line").allTextContents();
    await page.reload();
    await page.locator("#log > li").first().waitFor();
    await page.waitForFunction((count) => document.querySelectorAll("#log > li .text, #log > li .card, #log > li .line").length === count, before.length);
    const after = await page.locator("#log > li .text, #log > li .card, #log > li .line").allTextContents();
    assert.deepEqual(after, before);
  });

  await promise("a card outlives kill -9, and its button still works", async () => {
    await say(page, "write later.txt: still here");
    await card(page).waitFor();
    expected = true;
    await house.kill();
    await page.getByText("Trying again").or(page.getByText("cannot be reached")).first().waitFor();
    await house.open();
    await page.locator("#banner").waitFor({ state: "hidden", timeout: 15_000 });
    expected = false;
    assert.deepEqual(await house.written("later.txt"), []);
    assert.equal(await card(page).count(), 1);
    await press(page, "Allow once");
    await outcomes(page).last().getByText("wrote later.txt").waitFor();
    assert.deepEqual(await house.written("later.txt"), ["still here"]);
  });

  await promise("what is cut on a card says so, and Show all gives it whole", async () => {
    const long = `${"x".repeat(9_000)} the end`;
    await say(page, `write long.txt: ${long}`);
    await card(page).locator(".left-out").waitFor();
    await press(page, "Show all");
    await page.locator(".slip", { hasText: "The whole of" }).waitFor();
    assert.ok((await page.locator(".slip").last().textContent()).includes(long));
  });

  await promise("a file goes up with its button, and one of the chat is saved from its link", async () => {
    await press(page, "Deny");
    await outcomes(page).last().getByText("it did not run").waitFor();
    assert.equal(await page.getByRole("button", { name: "File" }).isVisible(), true);
    await page.locator("#enclosed").setInputFiles({ name: "trip.txt", mimeType: "text/plain", buffer: Buffer.from("to the sea") });
    await page.locator("#log .mine", { hasText: "(a file)" }).waitFor();
    await say(page, "read inbox/file-1.txt");
    await page.locator(".of-reply .bubble", { hasText: "to the sea" }).waitFor();
    await say(page, "send notes.txt");
    await press(page, "Allow once");
    const link = page.locator("#log a.file", { hasText: "notes.txt (5 bytes)" });
    const [saved] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.equal(saved.suggestedFilename(), "notes.txt");
    assert.equal(await readFile(await saved.path(), "utf8"), "hello");
  });

  for (const [scheme, width] of [["dark", 390], ["light", 320], ["dark", 1000]]) {
    await promise(`nothing sticks out sideways: ${scheme}, ${width} wide`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 700 });
      assert.deepEqual(await wide(page), { page: 0, over: [] });
    });
  }

  await consolePromises({ promise, house, browser, page, watch, refused });

  await promise("the admin token signs a browser in, and stands nowhere on the page afterwards", async () => {
    const other = await browser.newContext();
    const door = await other.newPage();
    watch(door);
    await door.goto(link.split("#")[0]);
    await door.getByText("Sign in with the admin token").click();
    await accessible(door, "the door with the admin token");
    await refused(async () => {
      await door.getByLabel("Admin token", { exact: true }).fill("a-wrong-token-of-some-length");
      await door.keyboard.press("Enter");
      await door.getByText("not the admin token").waitFor();
    });
    await door.getByLabel("Admin token", { exact: true }).fill(ADMIN_TOKEN);
    await door.keyboard.press("Enter");
    await door.getByRole("link", { name: "Console" }).waitFor();
    assert.equal((await door.content()).includes(ADMIN_TOKEN), false);
    assert.equal(await door.evaluate(() => JSON.stringify([location.href, document.cookie, { ...localStorage }])),
      JSON.stringify([link.split("#")[0], "", {}]));
    await other.close();
  });

  await promise("another browser without a code sees nothing of it", async () => {
    const other = await browser.newContext();
    const door = await other.newPage();
    watch(door);
    await door.goto(link.split("#")[0]);
    await door.getByText("This door is closed").waitFor();
    assert.equal((await door.textContent("body")).includes("notes.txt"), false);
    expected = true; // a refused code is a refused request, which the browser notes
    await door.locator("#typed-code").fill(link.split("#")[1]);
    await door.locator("#typed-code").press("Enter");
    await door.getByText("code is not valid", { exact: false }).or(door.locator("#gate-error:not(:empty)")).first().waitFor();
    expected = false;
    assert.equal(await door.locator("#chat").isVisible(), false);
    await other.close();
  });

  await promise("the browser found nothing to complain of", async () => {
    assert.deepEqual(faults, []);
  });

  await promise("a script that got into the page would not run, and would be noticed", async () => {
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => globalThis.ran), undefined);
    assert.equal(faults.filter((fault) => fault.includes("Content Security Policy")).length, 1);
  });

  await promise("/unpair closes the door at once", async () => {
    await say(page, "/unpair");
    await page.getByText("This door is closed").waitFor();
  });
} catch (error) {
  failed += 1;
  console.log(`FAILED  ${error.stack}`);
} finally {
  await browser?.close();
  await house.clear();
}
console.log(`page: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
