// What the lists of the console look like. Every text ends in a text node.
import { drawCard, drawTime, make } from "/draw.js";

export const VIEWS = {
  waiting: {
    title: "Waiting",
    about: "Questions of all chats that nobody has answered yet.",
    none: "Nothing waits.",
    draw: (page, acts) => rows(page.items, (item) => drawQuestion(item, acts)),
  },
  chats: {
    title: "Chats",
    about: "Every chat that is paired. What a guest says is theirs and is not shown here.",
    none: "No chat is paired.",
    draw: (page) => rows(page.items, drawChat),
  },
  people: {
    title: "People",
    about: "Who may speak to Postern, and where. Letting go ends what runs there and withdraws its cards.",
    none: "Nobody is paired.",
    draw: (page, acts) => rows(page.items, (item) => drawPlace(item, acts)),
  },
  memories: {
    title: "Memories",
    about: "What Postern keeps of what you said. One that came after outside content is not used until you confirm it.",
    none: "Nothing is remembered.",
    draw: (page, acts) => rows(page.items, (item) => drawMemory(item, acts)),
  },
  files: {
    title: "Files",
    about: "The files in the workspaces of your chats. They are downloaded, never opened here.",
    none: "There is no file.",
    draw: (page) => rows(page.items, drawFile),
  },
  rules: {
    title: "Rules",
    about: "What runs, asks and is refused. Always on a card saves one; postern rules in a terminal changes them.",
    none: "There is no rule.",
    draw: drawRules,
  },
  audit: {
    title: "Audit",
    about: "What was decided and done, newest first. A tick says that an entry is unchanged and continues the one before it.",
    none: "Nothing was decided yet.",
    draw: (page) => rows(page.items, drawEntry),
  },
  status: {
    title: "Status",
    about: "The lines and how they stand, and what was counted since the start.",
    none: "",
    draw: drawStatus,
  },
};

function rows(items, draw) {
  if (!items.length) return null;
  const list = make("ul", "rows");
  for (const item of items) {
    const row = make("li", "row");
    row.append(...[draw(item, row)].flat().filter(Boolean));
    list.append(row);
  }
  return list;
}

function meta(...parts) {
  const line = make("p", "meta");
  parts.filter(Boolean).forEach((part, at) => {
    if (at) line.append(" · ");
    line.append(part);
  });
  return line;
}

const strong = (text) => make("p", "lead", text);
const name = ({ name: said, role }) => (said === role ? said : `${said} (${role})`);
const state = (text, kind) => make("span", `state ${kind}`, text);

function drawQuestion(item, acts) {
  const { id, card, yours } = item;
  const row = make("div", "question");
  row.dataset.question = id;
  const where = meta(item.place, "asked ", drawTime(item.asked), "until ", drawTime(item.ends));
  if (!yours) {
    row.append(strong(`${name(item.who)} is asked`), where, make("p", "quiet", "Only they can answer it."));
  } else if (card) {
    row.append(drawCard(card, acts.press), where);
  } else {
    row.append(strong(item.title), where, act("Answer it here", () => acts.stand(id)));
  }
  return row;
}

function drawChat(item) {
  const line = item.last && make("p", "text", item.last.text);
  return [
    strong(item.place),
    line,
    meta(state(item.state, item.asks ? "asks" : ""), name(item.who), item.kind === "group" && "group", item.last && drawTime(item.last.at)),
  ];
}

function drawPlace(item, acts) {
  const row = make("div", "deed");
  const ask = make("button", "", "Let go");
  ask.type = "button";
  ask.setAttribute("aria-label", `Let go of ${item.place}`);
  ask.addEventListener("click", () => {
    const sure = make("div", "sure");
    sure.append(make("span", "", "Nothing runs there any more. Let go?"));
    const yes = act("Yes, let go", () => acts.letGo(item.name), "deny");
    const no = make("button", "", "Keep");
    no.type = "button";
    no.addEventListener("click", () => { sure.replaceWith(ask); ask.focus(); });
    sure.append(yes, no);
    ask.replaceWith(sure);
    no.focus();
  });
  row.append(ask);
  return [strong(name(item.who)), meta(item.place, item.here && state("this browser", "asks")), row];
}

function drawMemory(item, acts) {
  const kind = item.confirmed ? "confirmed" : "waits to be confirmed";
  const all = [make("p", "text", item.text), meta(state(kind, item.confirmed ? "" : "asks"), drawTime(item.at))];
  if (item.confirmed) return all;
  // The whole of it stands above; only under that may it be confirmed.
  const words = make("div", "words");
  words.append(
    act("Remember it", () => acts.remember(item.id, "keep")),
    act("Forget it", () => acts.remember(item.id, "forget"), "deny"),
  );
  return [...all, words];
}

function drawFile(item) {
  const link = make("a", "", item.shown);
  const where = new URLSearchParams({ workspace: item.workspace, path: item.path });
  link.href = `/api/console/file?${where}`;
  link.setAttribute("download", "");
  const line = make("p", "lead");
  line.append(link);
  return [line, meta(size(item.size), item.place, drawTime(item.changed))];
}

function drawRules(page) {
  const all = document.createDocumentFragment();
  if (page.trouble) all.append(make("p", "wrong", page.trouble));
  for (const [whose, title] of [["yours", "Your rules"], ["postern", "Rules that come with Postern"]]) {
    const list = rows(page.items.filter((item) => item.whose === whose), (item) => {
      const line = make("p", "rule-line");
      line.append(state(item.action, item.action === "allow" ? "" : "asks"), " ", make("code", "", item.pattern));
      return line;
    });
    if (list) all.append(make("h3", "", title), list);
  }
  return all;
}

function drawEntry(item) {
  const mark = make("span", item.chained ? "tick" : "broken", item.chained ? "✓" : "✗");
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", item.chained ? "unchanged" : "changed, or its chain is broken");
  const line = make("p", "entry");
  line.append(mark, " ", make("span", "", item.text));
  return [line, meta(`#${item.seq}`, drawTime(item.at), !item.chained && state("does not continue the entry before it", "asks"))];
}

function drawStatus(page) {
  const all = document.createDocumentFragment();
  const facts = make("dl", "facts");
  const fact = (what, ...how) => {
    const value = make("dd");
    value.append(...how);
    facts.append(make("dt", "", what), value);
  };
  fact("Version", page.version);
  fact("Running since", drawTime(page.since));
  fact("Model", page.model);
  for (const { what, used, of } of page.budget) fact(`Today's ${what}`, ...drawUse(what, used, of));
  fact("Waiting", `${page.waiting} questions, ${page.codes} pairing codes`);
  all.append(facts, make("h3", "", "Lines"));
  all.append(rows(page.lines, (line) => [
    strong(`${line.line} (${line.platform})`),
    meta(state(line.state === "listening" ? "listens" : line.state === "retrying" ? "tries again" : "stopped", line.state === "listening" ? "" : "asks"), line.detail),
  ]) || make("p", "none", "No line is set."));
  if (page.notes.length) all.append(make("h3", "", "Notes"), rows(page.notes, (note) => make("p", "text", note)));
  if (page.use.length) {
    all.append(make("h3", "", "What the model used up"), table(["Day (UTC)", "Model", "Calls", "Tokens", "Money"],
      page.use.map(({ day, model, calls, tokens, money }) => [new Date(day).toISOString().slice(0, 10), model, calls, tokens, money ? amount(money) : "–"])));
  }
  if (page.counts.length) {
    all.append(make("h3", "", "Counted since the start"), table(["What", "Which", "How many"],
      page.counts.map(({ what, which, many }) => [what, which.replaceAll("_", " "), many])));
  }
  if (page.times.length) {
    all.append(make("h3", "", "How long it took"), table(["What", "How often", "Mean", "95 of 100 within"],
      page.times.map(({ what, many, mean, most }) => [what, many, time(mean), most === null ? "longer" : time(most)])));
  }
  return all;
}

// What was used up, as a bar where it has a bound.
function drawUse(what, used, of) {
  const shown = (number) => (what === "money" ? amount(number) : number.toLocaleString("en"));
  if (of === null) return [`${shown(used)}, without a bound`];
  const text = `${shown(used)} of ${shown(of)}`;
  const bar = make("progress", used >= of ? "full" : "");
  bar.max = Math.max(of, Number.MIN_VALUE);
  bar.value = Math.min(used, of);
  bar.setAttribute("aria-label", `Today's ${what}`);
  return [bar, " ", text];
}

const amount = (money) => money.toFixed(money < 1 ? 4 : 2);

function table(heads, lines) {
  const frame = make("div", "frame");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", heads.join(", "));
  const drawn = make("table");
  const head = drawn.createTHead().insertRow();
  for (const text of heads) {
    const cell = make("th", "", text);
    cell.scope = "col";
    head.append(cell);
  }
  const body = drawn.createTBody();
  for (const line of lines) {
    const row = body.insertRow();
    for (const text of line) row.append(make("td", typeof text === "number" ? "number" : "", String(text)));
  }
  frame.append(drawn);
  return frame;
}

// A button that does something, waits for it, and says beside itself when it was not done.
function act(label, deed, look = "chief") {
  const around = make("div", "act");
  const button = make("button", look, label);
  button.type = "button";
  const error = make("p", "wrong");
  error.setAttribute("role", "alert");
  button.addEventListener("click", async () => {
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    error.textContent = "";
    try {
      await deed();
    } catch (failure) {
      error.textContent = failure.message;
    } finally {
      button.ariaDisabled = "false";
    }
  });
  around.append(button, error);
  return around;
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ["KiB", "MiB", "GiB"];
  let at = -1;
  let rest = bytes;
  while (rest >= 1024 && at < units.length - 1) { rest /= 1024; at += 1; }
  return `${rest.toFixed(1)} ${units[at]}`;
}

function time(seconds) {
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(2))} ms` : `${Number(seconds.toPrecision(2))} s`;
}
