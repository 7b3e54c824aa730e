/* What the person's pages do beyond links and forms; without it they still work. */

const news = document.getElementById("news");

if (news) {
  // A desk that nobody looks at does not ask; it asks at once when it is looked at again.
  news.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) news.dispatchEvent(new Event("wake"));
  });
}

// Putting a card away leaves the reader where they are.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form.put-away")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) {
    form.submit();
    return;
  }
  const card = form.closest("li");
  const near = card.nextElementSibling ?? card.previousElementSibling;
  card.remove();
  (near?.querySelector("button") ?? document.getElementById("content")).focus();
});

// A menu of versions closes when the person turns to something else.
const versions = document.querySelector("details.versions");

if (versions) {
  document.addEventListener("click", (event) => {
    if (!versions.contains(event.target)) versions.open = false;
  });
  versions.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    versions.open = false;
    versions.querySelector("summary").focus();
  });
}

const useZone = document.getElementById("use-zone");
const zone = document.querySelector("input[name=time_zone]");

if (useZone && zone && !zone.disabled) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  useZone.textContent = `${useZone.dataset.says}: ${here}`;
  useZone.hidden = !here;
  useZone.addEventListener("click", () => {
    zone.value = here;
    zone.focus();
  });
}

const copy = document.getElementById("copy");

if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById("secret").textContent);
    copy.textContent = copy.dataset.copied;
  });
}
