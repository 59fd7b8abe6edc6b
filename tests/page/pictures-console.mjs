// The pictures of the owner's console: one for the documentation, or with `all` every list.
import { VIEWS, markAndRemember, newLink } from "./console.mjs";
import { pair, press, say } from "./house.mjs";

export async function drawConsole({ house, browser, page, shoot, all }) {
  const context = await browser.newContext();
  const other = await context.newPage();
  await pair(other, await newLink(house));
  await say(other, "remember I water the plants on Fridays");
  await other.getByText("remembered").first().waitFor();
  await say(other, "write plan.txt: water the plants, feed the cat");
  await other.locator(".card").waitFor();
  await press(other, "Allow once");
  await other.locator(".card.closed").waitFor();
  await say(other, "write garden/roses.txt: prune in March");
  await other.locator(".card:not(.closed)").waitFor();
  if (all) {
    const marked = await browser.newContext();
    const third = await marked.newPage();
    await pair(third, await newLink(house));
    await markAndRemember(third, "the keys are under the mat, beside the door that nobody uses any more");
    await marked.close();
  }
  await page.setViewportSize({ width: 900, height: 640 });
  await page.emulateMedia({ colorScheme: "light" });
  const base = new URL("/console", page.url()).href;
  await page.goto(`${base}#waiting`);
  await page.getByRole("button", { name: "Answer it here" }).first().waitFor();
  if (all) await shoot("state-console-waiting-elsewhere");
  await page.getByRole("button", { name: "Answer it here" }).first().click();
  await page.locator(".card").first().waitFor();
  await page.waitForTimeout(300);
  await shoot("picture-console");
  for (const [scheme, width] of all ? [["light", 1280], ["dark", 1280], ["light", 390], ["dark", 390]] : []) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 760 });
    for (const view of VIEWS) {
      await page.goto(`${base}#${view}`);
      await page.locator("#list > *").first().waitFor();
      await page.waitForTimeout(150);
      await shoot(`state-console-${view}-${scheme}-${width}`);
    }
  }
  await context.close();
  await page.goto(new URL("/", page.url()).href);
  await page.locator("#words").waitFor();
}
