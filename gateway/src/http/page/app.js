// The page. Whatever came from outside ends in a text node: there is no other way in here.
import { ask, newId } from "/ask.js";
import { drawBubble, drawCard, drawNotice, drawTime, make } from "/draw.js";

const $ = (id) => document.getElementById(id);
const BEAT = 45_000; // three heartbeats of the stream
const TYPING = 6_000;

const items = new Map(); // what the log shows, by key
const pending = new Map(); // said here and not yet seen in a transcript, by id
let code = takeCode();
let who = null;
let stream = null;
let lastSign = 0;
let tries = 0;
let retry = 0, asleep = 0; // timers
let early = null; // screens that came while the transcript was on its way
let typingEnds = 0;
let atEnd = true;

// The code leaves the address and the history before anything else happens.
function takeCode() {
  const text = location.hash.slice(1);
  if (text) history.replaceState(null, "", location.pathname);
  return /^[0-9A-Za-z-]{1,64}$/.test(text) ? text : null;
}

// ---- which screen

function show(screen) {
  $("gate").hidden = screen === "chat";
  $("chat").hidden = screen !== "chat";
  $("ask-pair").hidden = screen !== "pair";
  $("say-how").hidden = screen !== "closed";
  $("gate-error").textContent = "";
  if (screen === "pair") {
    $("gate-title").textContent = who ? "Pair again?" : "Pair this browser?";
    $("gate-text").textContent = who
      ? `This browser is already paired with ${who.name}. Pairing again begins a new, empty chat.`
      : "Afterwards whoever uses this browser can talk to your Postern and answer its cards.";
    $("code").textContent = code;
    $("keep").hidden = !who;
  }
  if (screen === "closed") {
    $("gate-title").textContent = "This door is closed";
    $("gate-text").textContent = "This browser is not paired with Postern yet, or not any more.";
  }
  $("console").hidden = screen !== "chat" || who.role !== "owner";
  $("who").textContent = !who ? "" : who.name === who.role ? who.name : `${who.name} (${who.role})`;
}

async function pair(typed, button, path = "/api/pair") {
  button.disabled = true;
  $("gate-error").textContent = "";
  try {
    await ask(path, typed);
    code = null;
    await start();
  } catch (error) {
    if (code) {
      code = null;
      show(who ? "chat" : "closed");
    }
    if (who) pass(error.message);
    else $("gate-error").textContent = error.message;
  } finally {
    button.disabled = false;
  }
}

async function start() {
  hangUp();
  try {
    who = (await ask("/api/chat")).who;
  } catch (error) {
    lost(error.message);
    return;
  }
  $("banner").hidden = true;
  if (!who) empty();
  show(code ? "pair" : who ? "chat" : "closed");
  if (who && !code) listen();
}

// ---- the stream

function listen() {
  hangUp();
  lastSign = Date.now();
  stream = new EventSource("/api/events");
  const on = (name, act) => stream.addEventListener(name, (event) => {
    lastSign = Date.now();
    act(event);
  });
  on("hello", () => load());
  on("beat", () => {});
  on("screen", (event) => {
    const screen = JSON.parse(event.data);
    if (early) early.push(screen);
    else apply(screen);
  });
  on("reload", () => listen());
  on("bye", () => start());
  stream.onerror = () => lost("Connection lost. Trying again…");
}

function hangUp() {
  if (stream) stream.close();
  stream = null;
  early = null;
}

function lost(text) {
  hangUp();
  $("banner").textContent = text;
  $("banner").hidden = false;
  tries += 1;
  clearTimeout(retry);
  retry = setTimeout(start, Math.min(15_000, 500 * 2 ** tries));
}

async function load() {
  early = [];
  try {
    const chat = await ask("/api/chat");
    who = chat.who;
    tries = 0;
    $("banner").hidden = true;
    if (!who) {
      hangUp();
      empty();
      show("closed");
      return;
    }
    const waiting = early;
    early = null;
    fill(chat.items);
    for (const screen of waiting) apply(screen);
  } catch (error) {
    lost(error.message);
  }
}

function apply(screen) {
  if (screen.what === "typing") return typing(true);
  if (screen.what === "partial") return partial(screen.text);
  if (screen.what === "notice") return pass(screen.text);
  if (screen.what === "said") return put({ at: Date.now(), from: "mine", body: screen.body });
  if (screen.what === "message" || screen.what === "edit") {
    if (screen.what === "message") {
      typing(false);
      partial("");
    }
    put({ key: screen.what === "edit" ? screen.on : screen.key, at: Date.now(), from: "postern", body: screen.body });
  }
}

// ---- the log

function fill(list) {
  // A card that is being read or answered stays the same element, so that focus stays too.
  const seen = new Set(list.map(nameOf));
  for (const [name, shown] of items) {
    if (!seen.has(name) && !pending.has(name)) {
      shown.element.remove();
      items.delete(name);
    }
  }
  $("live").setAttribute("aria-live", "off");
  for (const item of list) put(item, true);
  let next = $("log").firstElementChild;
  for (const name of [...list.map(nameOf), ...pending.keys()]) {
    const { element } = items.get(name);
    if (element === next) next = next.nextElementSibling;
    else $("log").insertBefore(element, next);
  }
  toEnd();
  requestAnimationFrame(() => $("live").setAttribute("aria-live", "polite"));
}

function empty() {
  items.clear();
  pending.clear();
  $("log").replaceChildren();
}

function nameOf(item) {
  return item.from === "mine" && item.body.id ? `said ${item.body.id}` : `${item.from} ${item.key}`;
}

function put(item, quiet) {
  const name = nameOf(item);
  const old = items.get(name);
  pending.delete(name);
  if (old && (item.from === "mine" || JSON.stringify(old.item.body) === JSON.stringify(item.body))) {
    old.element.classList.remove("waiting");
    old.element.querySelector(".unsent")?.remove();
    return;
  }
  const follow = nearEnd() || item.from === "mine";
  const at = old ? old.item.at : item.at;
  const element = draw({ ...item, at });
  if (old) {
    const held = old.element.contains(document.activeElement);
    old.element.replaceWith(element);
    if (held) {
      const rest = element.querySelector(".outcome, .card, .bubble, .slip");
      rest?.setAttribute("tabindex", "-1");
      rest?.focus({ preventScroll: true });
    }
  } else {
    $("log").append(element);
  }
  items.set(name, { item: { ...item, at }, element });
  if (quiet) return;
  const { kind, title, outcome } = item.body;
  const asks = document.querySelector(".card .choices");
  if (follow) toEnd(element);
  else if (!old) $("latest").hidden = false;
  $("latest").textContent = asks ? "A card waits" : "Latest messages";
  const news = outcome ? `${title}: ${outcome}` : `Postern asks before ${title}. The card waits in the chat.`;
  if (kind === "card") $("announce").textContent = news;
  if (document.hidden) document.title = asks ? "● A card waits · Postern" : "● Postern";
}

function draw(item) {
  const { body } = item;
  const element = make("li", item.from === "mine" ? "mine" : `of-${body.kind}`);
  if (body.kind === "card") element.append(drawCard(item, press));
  else if (body.kind === "notice") element.append(drawNotice(item, press));
  else element.append(drawBubble(body));
  if (body.kind !== "notice") element.append(drawTime(item.at));
  return element;
}

// ---- cards

async function press(item, choice, row, error) {
  const buttons = [...row.querySelectorAll("button")];
  if (buttons.some((button) => button.ariaDisabled === "true")) return;
  const settle = (to) => buttons.forEach((button) => { button.ariaDisabled = to; });
  settle("true");
  error.textContent = "";
  try {
    await ask("/api/press", { id: newId(), token: choice.token, on: String(item.key) });
    setTimeout(() => settle("false"), 4_000);
  } catch (failure) {
    settle("false");
    error.textContent = failure.message;
    if (failure.status === 401) start();
  }
}

// ---- saying something

function say(text) {
  const body = { kind: "said", id: newId(), text };
  const item = { at: Date.now(), from: "mine", body };
  put(item);
  pending.set(nameOf(item), item);
  send(item);
}

async function send(item) {
  const name = nameOf(item);
  const { element } = items.get(name);
  element.classList.add("waiting");
  element.querySelector(".unsent")?.remove();
  try {
    // The same id on every try: what arrived twice counts once.
    await ask("/api/say", { id: item.body.id, text: item.body.text });
    element.classList.remove("waiting");
    pending.delete(name);
  } catch (error) {
    if (!pending.has(name)) return; // it had arrived: the stream showed it
    element.append(drawUnsent(item, error));
    toEnd();
    if (error.status === 401) start();
  }
}

function drawUnsent(item, error) {
  const line = make("p", "unsent");
  line.setAttribute("role", "alert");
  const never = error.status === 400 || error.status === 413;
  const button = make("button", "", never ? "Edit" : "Try again");
  button.type = "button";
  button.addEventListener("click", () => {
    if (!never) return send(item);
    const name = nameOf(item);
    items.get(name)?.element.remove();
    items.delete(name);
    pending.delete(name);
    $("words").value = item.body.text;
    grow();
    $("words").focus();
  });
  line.append(make("span", "", `Not sent. ${error.message}`), button);
  return line;
}

// ---- small things

function nearEnd() {
  const box = $("scroll");
  return box.scrollHeight - box.scrollTop - box.clientHeight < 120;
}

// To the end; or, where the last thing is taller than the screen, to where it begins.
function toEnd(last) {
  const box = $("scroll");
  box.scrollTop = box.scrollHeight;
  if (last && last.offsetHeight > box.clientHeight) last.scrollIntoView({ block: "start" });
  $("latest").hidden = true;
}

function typing(on) {
  typingEnds = on ? Date.now() + TYPING : 0;
  const follow = nearEnd();
  $("typing").hidden = !on;
  if (on && follow) toEnd();
}

// The words of an answer that is still being written; the message takes their place.
function partial(text) {
  const follow = nearEnd();
  $("partial").textContent = text;
  $("partial").hidden = !text;
  if (follow) toEnd();
}

function pass(text) {
  $("passing").textContent = text;
  if (nearEnd()) toEnd();
  setTimeout(() => { if ($("passing").textContent === text) $("passing").textContent = ""; }, 8_000);
}

function grow() {
  const words = $("words");
  words.style.height = "auto";
  words.style.height = `${words.scrollHeight + 2}px`;
}

$("pair").addEventListener("click", () => pair({ code }, $("pair")));
$("keep").addEventListener("click", () => { code = null; start(); });
$("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = $("typed-code").value.trim();
  if (typed) pair({ code: typed }, event.submitter || $("typed-code"));
});
$("admin").addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = $("admin-token").value.trim();
  $("admin-token").value = ""; // it stays nowhere on the page
  if (token) pair({ token }, event.submitter || $("admin-token"), "/api/sign-in");
});
$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("words").value;
  if (!text.trim()) return;
  $("words").value = "";
  grow();
  say(text);
});
$("words").addEventListener("input", grow);
$("words").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.repeat) return;
  event.preventDefault();
  $("composer").requestSubmit();
});
$("latest").addEventListener("click", () => toEnd());
$("scroll").addEventListener("scroll", () => {
  atEnd = nearEnd();
  if (atEnd) $("latest").hidden = true;
});
new ResizeObserver(() => { if (atEnd) toEnd(); }).observe($("scroll"));
addEventListener("hashchange", () => {
  code = takeCode() || code;
  if (code) show("pair");
});
document.addEventListener("visibilitychange", () => {
  // A browser has six connections for all its tabs: one that nobody looks at gives its own back.
  clearTimeout(asleep);
  if (document.hidden) {
    asleep = setTimeout(hangUp, 300_000);
    return;
  }
  document.title = "Postern";
  if (who && !stream) start();
});
setInterval(() => {
  if (typingEnds && Date.now() > typingEnds) typing(false);
  if (stream && Date.now() - lastSign > BEAT) listen();
}, 2_000);
start();
