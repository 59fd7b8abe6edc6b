// What one thing in the chat looks like. Every text ends in a text node.

const SETTLE = 700; // how long new buttons cannot be pressed, in milliseconds

export function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

export function drawTime(at) {
  const moment = new Date(at);
  const today = moment.toDateString() === new Date().toDateString();
  const time = make("time", "when", today
    ? moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : moment.toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
  time.dateTime = moment.toISOString();
  return time;
}

export function drawBubble(body) {
  const bubble = make("div", "bubble");
  if (Array.isArray(body.blocks)) bubble.append(drawBlocks(body.blocks));
  else bubble.append(make("div", "text", body.text || ""));
  if (body.file) bubble.append(drawFile(body.file));
  if (body.footer) bubble.append(make("p", "footer", body.footer));
  return bubble;
}

function drawFile(file) {
  const link = make("a", "file", `${file.name} (${file.bytes} bytes)`);
  link.href = `/api/file/${encodeURIComponent(file.digest)}`;
  link.download = file.name;
  if (!file.picture) return link;
  const picture = make("img");
  picture.src = link.href;
  picture.alt = "";
  picture.style.maxWidth = "100%";
  link.prepend(picture);
  return link;
}

function drawBlocks(blocks) {
  const rich = make("div", "rich");
  for (const block of blocks) {
    const element = make(block.kind === "code" ? "pre" : "div", `block of-${block.kind}`);
    element.style.setProperty("--lists", Number(block.lists) || 0);
    element.style.setProperty("--quotes", Number(block.quotes) || 0);
    if (block.quotes) element.classList.add("quoted");
    if (block.kind === "heading") {
      element.setAttribute("role", "heading");
      element.setAttribute("aria-level", "3");
    }
    if (block.kind === "item") element.append(make("span", "mark", `${block.mark} `));
    if (block.kind === "code") element.append(make("code", "", block.text));
    else if (block.kind === "table") element.append(drawTable(block.rows || []));
    else for (const piece of block.text || []) element.append(drawPiece(piece));
    rich.append(element);
  }
  return rich;
}

function drawTable(rows) {
  const table = make("table");
  rows.forEach((cells, row) => {
    const line = table.insertRow();
    for (const cell of cells) line.append(make(row ? "td" : "th", "", cell));
  });
  return table;
}

function drawPiece(piece) {
  let element = make(piece.code ? "code" : "span", "", piece.text);
  for (const style of ["bold", "italic", "strike"]) element.classList.toggle(style, Boolean(piece[style]));
  const address = piece.link && URL.canParse(piece.link) ? new URL(piece.link) : null;
  if (address && /^https?:$/.test(address.protocol)) {
    const link = make("a");
    link.href = address.href;
    link.title = address.href;
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
    link.append(element);
    element = link;
  }
  return element;
}

export function drawNotice(item, press) {
  const list = (item.body.text || "").split("\n").length > 3;
  const slip = make("div", list ? "slip list" : "slip");
  slip.append(make("span", "line", item.body.text || ""));
  drawChoices(item, slip, press);
  return slip;
}

export function drawCard(item, press) {
  const { body } = item;
  const card = make("article", body.outcome ? "card closed" : "card");
  const title = make("h3", "", body.title);
  title.id = `card-${item.key}`;
  card.setAttribute("aria-labelledby", title.id);
  const head = make("header");
  const sign = make("img");
  sign.src = "/icon.svg";
  sign.alt = "";
  const words = make("div");
  words.append(make("p", "kicker", body.outcome ? "Postern asked" : "Postern asks. Nothing runs until you decide."), title);
  head.append(sign, words);
  const inner = make("div", "inner");
  if (body.reasons?.length) {
    const reasons = make("ul", "reasons");
    for (const reason of body.reasons) reasons.append(make("li", "", reason));
    inner.append(reasons);
  }
  const fields = make("dl", "fields");
  for (const field of body.fields || []) {
    const value = make("dd", field.kind, field.value);
    if (field.kind === "body") value.tabIndex = 0;
    fields.append(make("dt", "", field.label), value);
    if (field.cut) fields.append(make("dd", "left-out", `${field.cut} more characters are not shown here. Press Show all before you decide.`));
  }
  inner.append(fields);
  if (body.always && !body.outcome) {
    const rule = make("p", "rule", "Always would save this rule:");
    rule.append(make("code", "", body.always));
    inner.append(rule);
  }
  if (body.outcome) inner.append(make("p", "outcome", body.outcome));
  else drawChoices(item, inner, press);
  card.append(head, inner);
  return card;
}

function drawChoices(item, around, press) {
  const row = make("div", "choices");
  const looks = { "Allow once": "chief", Deny: "deny", "Show all": "plain" };
  const error = make("p", "wrong");
  error.setAttribute("role", "alert");
  const born = performance.now();
  for (const choice of item.body.choices || []) {
    const button = make("button", looks[choice.label] || "", choice.label);
    button.type = "button";
    // A key that is held down, or a press aimed at what stood here before, decides nothing.
    button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
    button.addEventListener("click", () => {
      if (performance.now() - born >= SETTLE) press(item, choice, row, error);
    });
    row.append(button);
  }
  if (row.childElementCount) around.append(row, error);
}
