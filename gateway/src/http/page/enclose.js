// Sends a file of this computer into the chat.
const $ = (id) => document.getElementById(id);

async function upload(file) {
  // Not randomUUID, which browsers keep back where the page came without TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const answer = await fetch(`/api/upload/${id}`, {
    method: "POST", body: file, headers: { "content-type": "application/octet-stream" },
  }).catch(() => null);
  if (answer?.ok) return "";
  const told = await answer?.json().catch(() => null);
  const text = String(told?.error || "the file did not arrive; try again");
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

$("enclose").addEventListener("click", () => $("enclosed").click());
$("enclosed").addEventListener("change", async () => {
  const [file] = $("enclosed").files;
  if (!file) return;
  $("enclose").disabled = true;
  $("passing").textContent = "Sending the file…";
  $("passing").textContent = await upload(file);
  $("enclosed").value = "";
  $("enclose").disabled = false;
});
