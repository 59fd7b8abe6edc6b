// How this page asks its Postern. Shared by the chat and the console.

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// An answer, or an error whose text says what to do.
export async function ask(path, body) {
  const options = { signal: AbortSignal.timeout(15_000), cache: "no-store" };
  if (body) {
    options.method = "POST";
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw Object.assign(new Error("Postern cannot be reached. Is it running?"), { status: 0 });
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const text = String(answer.error || "Postern could not do that. Try again.");
  throw Object.assign(new Error(text[0].toUpperCase() + text.slice(1)), { status: response.status });
}
