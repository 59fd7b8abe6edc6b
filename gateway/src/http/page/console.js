// The owner's console: which list is shown, and how it stays true. Lists are drawn in lists.js.
import { VIEWS } from "/lists.js";
import { ask, newId } from "/ask.js";

const $ = (id) => document.getElementById(id);
const LOOK = 5_000; // how often what waits is looked at, in milliseconds

let view = null; // the name of the list that is shown
let shown = ""; // what of it is drawn, to be compared
let waiting = null; // how many questions waited when last looked
let turn = 0; // an answer to a question that was asked before the last one is not drawn

// ---- which list

async function go() {
  const name = location.hash.slice(1);
  view = Object.hasOwn(VIEWS, name) ? name : "waiting";
  const { title, about } = VIEWS[view];
  for (const link of document.querySelectorAll("#views a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.querySelector("#views [aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
  document.title = `${title} · Postern`;
  $("title").textContent = title;
  $("about").textContent = about;
  $("list").replaceChildren();
  $("more").hidden = true;
  shown = "";
  await load();
}

async function load() {
  const mine = ++turn;
  const name = view;
  try {
    const page = await ask(`/api/console/${name}`);
    if (mine !== turn) return;
    $("views").hidden = false;
    $("banner").hidden = true;
    if (name === "waiting") count(page);
    const text = JSON.stringify(page);
    if (text === shown) return;
    shown = text;
    const held = $("list").contains(document.activeElement);
    $("list").replaceChildren();
    add(page);
    if (held) $("view").focus({ preventScroll: true });
  } catch (error) {
    if (mine === turn) trouble(error);
  }
}

function add(page) {
  const { draw, none } = VIEWS[view];
  const drawn = draw(page, acts);
  if (drawn) $("list").append(drawn);
  if (!$("list").childElementCount) {
    const empty = document.createElement("p");
    empty.className = "none";
    empty.textContent = none;
    $("list").append(empty);
  }
  $("more").hidden = page.next === null || page.next === undefined;
  $("more").dataset.from = page.next ?? "";
}

async function more() {
  const mine = ++turn;
  const before = $("list").querySelectorAll("li").length;
  try {
    const page = await ask(`/api/console/${view}?from=${$("more").dataset.from}`);
    if (mine !== turn) return;
    add(page);
    const first = $("list").querySelectorAll("li")[before];
    first?.setAttribute("tabindex", "-1");
    first?.focus();
  } catch (error) {
    if (mine === turn) trouble(error);
  }
}

function trouble(error) {
  if (error.status === 401 || error.status === 403) {
    $("views").hidden = true;
    $("title").textContent = "This is the owner's";
    $("about").textContent = error.message;
    $("list").replaceChildren();
    $("more").hidden = true;
    view = null;
    return;
  }
  $("banner").textContent = error.message;
  $("banner").hidden = false;
}

// ---- what waits

function count(page) {
  const many = page.items.length;
  $("count").textContent = page.next ? `${many}+` : many;
  $("count").hidden = many === 0;
  if (waiting !== null && waiting !== many) {
    say(many === 1 ? "1 question waits" : `${many} questions wait`);
  }
  waiting = many;
}

async function look() {
  if (document.hidden || !view) return;
  // A list that was paged on stays as it is; what waits is counted all the same.
  const whole = $("more").hidden && document.querySelectorAll("#list li").length <= 50;
  if ((view === "waiting" || view === "status") && whole) return load();
  try {
    count(await ask("/api/console/waiting"));
    $("banner").hidden = true;
  } catch (error) {
    trouble(error);
  }
}

function say(text) {
  $("announce").textContent = text;
}

// ---- what can be done; each answers with nothing, or throws what to say

const acts = {
  // Puts the card up here; its buttons are this browser's own.
  async stand(question) {
    await ask("/api/console/card", { question });
    await load();
    document.querySelector(`[data-question="${question}"] .choices button`)?.focus();
  },
  async press(item, choice, row, error) {
    const buttons = [...row.querySelectorAll("button")];
    if (buttons.some((button) => button.ariaDisabled === "true")) return;
    const settle = (to) => buttons.forEach((button) => { button.ariaDisabled = to; });
    settle("true");
    error.textContent = "";
    try {
      await ask("/api/press", { id: newId(), token: choice.token, on: String(item.key) });
      say(choice.label === "Show all" ? "The whole text is in the chat" : `Pressed ${choice.label}`);
      setTimeout(() => { settle("false"); load(); }, 600);
    } catch (failure) {
      settle("false");
      error.textContent = failure.message;
    }
  },
  async remember(memory, word) {
    await ask("/api/console/memory", { memory, word });
    await load();
    say(word === "keep" ? "Confirmed" : "Forgotten");
  },
  async letGo(place) {
    await ask("/api/console/unpair", { place });
    await load();
    say("Let go");
  },
};

$("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the part behind # names a list
  $("view").focus();
});
$("more").addEventListener("click", more);
addEventListener("hashchange", () => { go(); $("view").focus(); });
document.addEventListener("visibilitychange", () => look());
setInterval(look, LOOK);
go();
