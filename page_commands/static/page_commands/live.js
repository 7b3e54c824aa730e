/* The live page: a session for this tab, its buttons, and what the server wants it to show, in order and each once. */

const BEAT_EVERY = 25_000; // milliseconds; the server ends a session after 90 seconds of silence
const SILENT_AFTER = 15_000; // the stream pings every 5 seconds
const SILENT_AFTER_WHILE_POLLING = 150_000;
const LOOK_EVERY = { visible: 1_000, hidden: 5_000 };
const LATER = { first: 1_000, most: 15_000 }; // after a look that got no answer
const RELOAD_TAKES = 500; // until the page before this one has let go of the tab's id
const ANSWER_TAKES = 200;
const LOOK_AGAIN = new Set(["read_targets.click_not_proven", "page_commands.page_changed"]); // codes of a page too old
const HELD = { moved: 700, asked: 1_000 }; // until a person can have seen what a button is now

/* What the tab remembers over a reload */

const STORE = "live-page";

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) ?? {};
  } catch {
    return {}; // storage is switched off, or holds something else
  }
}

function remember(facts) {
  try {
    sessionStorage.setItem(STORE, JSON.stringify({ ...remembered(), ...facts }));
  } catch {
    // Without storage a reload begins a new session, and nothing else is lost.
  }
}

function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/* The id of this tab: it stays over a reload, and a duplicated tab, which begins with a copy of it, finds its own */

class TabId {
  #release = null;
  #channel = null;
  #asker = freshId();

  async take() {
    const kept = remembered().tab;
    this.value = kept && (await this.#isFree(kept)) ? kept : freshId();
    if (this.value !== kept) remember({ tab: this.value, session: null, seq: 0 });
    if (this.value !== kept && navigator.locks) await this.#lock(this.value);
    if (!navigator.locks) this.#answer();
  }

  letGo() {
    this.#release?.();
    this.#release = null;
    this.#channel?.close();
    this.#channel = null;
  }

  #isFree(id) {
    return navigator.locks ? this.#lock(id) : this.#ask(id);
  }

  #lock(id) {
    return new Promise((resolve) => {
      const held = () => {
        resolve(true);
        return new Promise((release) => (this.#release = release));
      };
      navigator.locks
        .request(`live-page-tab-${id}`, { signal: AbortSignal.timeout(RELOAD_TAKES) }, held)
        .catch(() => resolve(false));
    });
  }

  #ask(id) {
    if (!window.BroadcastChannel) return true;
    return new Promise((resolve) => {
      const channel = new BroadcastChannel("live-page-tabs");
      const done = (isFree) => {
        channel.close();
        resolve(isFree);
      };
      channel.onmessage = ({ data }) => {
        if (data.taken === id && data.for === this.#asker) done(false);
      };
      channel.postMessage({ asks: id, by: this.#asker });
      setTimeout(() => done(true), ANSWER_TAKES);
    });
  }

  #answer() {
    if (!window.BroadcastChannel) return;
    this.#channel = new BroadcastChannel("live-page-tabs");
    this.#channel.onmessage = ({ data }) => {
      if (data.asks === this.value && data.by !== this.#asker) {
        this.#channel.postMessage({ taken: this.value, for: data.by });
      }
    };
  }
}

/* The doorbell: one stream for all tabs of a sign-in, held by a leader; where there can be none, each tab looks itself */

class Doorbell {
  #lock;
  #channel = null;
  #source = null;
  #waiting = null;
  #release = null;
  #leads = false;
  #isStopped = true;
  #polling = null;
  #watch = null;
  #retry = null;
  #failed = 0;
  #heardAt = 0;

  /* `heard` is called with the rings (an object of numbers by session), with null where the page should look itself,
     and with "end" when the person has signed out; `pulse` at every sign of life. */
  constructor(browser, address, heard, pulse) {
    this.#lock = `live-page-stream-${browser}`;
    this.address = address;
    this.heard = heard;
    this.pulse = pulse;
  }

  start() {
    this.#isStopped = false;
    if (!navigator.locks || !window.BroadcastChannel || !window.EventSource) {
      this.#poll(true);
      return;
    }
    this.#channel = new BroadcastChannel(this.#lock);
    this.#channel.onmessage = ({ data }) => this.#told(data);
    this.#heardAt = Date.now();
    this.#watch = setInterval(() => this.#check(), 1_000);
    this.#channel.postMessage({ asks: true }); // whether there is a stream at all
    this.#queue();
  }

  stop() {
    this.#isStopped = true;
    clearInterval(this.#watch);
    this.#poll(false);
    this.#waiting?.abort();
    this.#stepDown();
    this.#release?.();
    this.#channel?.close();
    this.#channel = null;
  }

  #queue() {
    this.#waiting = new AbortController();
    this.#request({ signal: this.#waiting.signal });
  }

  #request(options) {
    navigator.locks
      .request(this.#lock, options, () => this.#lead())
      .catch(() => {
        // Aborted while it waited, or stolen by a tab that heard nothing of us.
        const wasLeading = this.#leads;
        this.#stepDown();
        if (wasLeading && !this.#isStopped) this.#queue();
      });
  }

  #lead() {
    if (this.#isStopped) return undefined;
    this.#leads = true;
    this.#listen();
    return new Promise((release) => (this.#release = release));
  }

  #stepDown() {
    this.#leads = false;
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
  }

  #listen() {
    this.#source?.close();
    const source = new EventSource(this.address);
    this.#source = source;
    source.addEventListener("ring", ({ data }) => this.#say({ rings: JSON.parse(data) }));
    source.addEventListener("ping", () => this.#say({ ping: true }));
    source.addEventListener("end", () => this.#say({ end: true }));
    source.addEventListener("error", () => {
      if (source !== this.#source) return;
      if (source.readyState !== EventSource.CLOSED) {
        this.#say({ lost: true }); // the browser opens it again by itself
        return;
      }
      this.#say({ none: true });
      this.#failed += 1;
      this.#retry = setTimeout(() => this.#listen(), Math.min(60_000, 5_000 * 2 ** (this.#failed - 1)));
    });
  }

  #say(message) {
    this.#channel?.postMessage(message);
    this.#told(message);
  }

  #told(message) {
    if (this.#isStopped) return;
    if (message.asks) {
      if (this.#leads) this.#say(this.#polling === null ? { ping: true } : { none: true });
      return;
    }
    this.#heardAt = Date.now();
    if (message.end) {
      this.heard("end");
      return;
    }
    if (message.none) this.#poll(true);
    if (message.rings || message.ping) {
      this.#failed = 0;
      this.#poll(false);
    }
    if (message.rings) this.heard(message.rings);
    this.pulse();
  }

  /* A leader that froze says nothing: whoever notices takes its place. Not all at once, hence the chance in it. */
  #check() {
    const limit = this.#polling ? SILENT_AFTER_WHILE_POLLING : SILENT_AFTER;
    if (Date.now() - this.#heardAt < limit + Math.random() * 3_000) return;
    this.#heardAt = Date.now();
    if (this.#leads) {
      this.#listen();
      return;
    }
    this.#waiting?.abort();
    this.#request({ steal: true });
  }

  #poll(isOn) {
    if (isOn === (this.#polling !== null)) return;
    clearTimeout(this.#polling);
    this.#polling = null;
    if (!isOn) return;
    const look = () => {
      this.#polling = setTimeout(look, document.hidden ? LOOK_EVERY.hidden : LOOK_EVERY.visible);
      this.heard(null);
    };
    look();
  }
}

/* The parts of the page, replaced only where they changed */

const stamps = new WeakMap();

const NONCE = /name="nonce" value="[^"]*"/g; // differs each time, and means the same

/* Put `wanted` into `list` in its order. An element whose stamp is that of the one there stays as it is, with what the
   person has typed into it; focus stays where it was, or as near as can be. Returns what is new; `replaced(old, fresh)`
   is called for each that takes another's place. */
function lay(list, wanted, stampOf, replaced = () => {}) {
  const focused = document.activeElement;
  const hadFocus = list.contains(focused);
  const there = new Map([...list.children].map((child) => [child.id, child]));
  const placed = wanted.map((fresh) => {
    const old = there.get(fresh.id);
    const stamp = stampOf(fresh);
    if (old && stamps.get(old) === stamp) return old;
    stamps.set(fresh, stamp);
    if (old) replaced(old, fresh);
    return fresh;
  });
  const isPlaced = new Set(placed);
  for (const child of [...list.children]) if (!isPlaced.has(child)) child.remove();
  let next = list.firstElementChild;
  for (const child of placed) {
    if (child === next) next = next.nextElementSibling;
    else list.insertBefore(child, next);
  }
  if (hadFocus && !list.contains(document.activeElement)) refocus(focused, list);
  return placed.filter((child) => child !== there.get(child.id));
}

function refocus(lost, list) {
  const again = lost.id ? document.getElementById(lost.id) : null;
  const near = list.childElementCount ? list : list.closest(".live-page");
  const target = again && !again.disabled ? again : near;
  if (target === near) near.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function elementsOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.children];
}

/* What was typed into a form stays when its command is drawn anew. */
function carryOver(old, fresh) {
  for (const field of fresh.querySelectorAll("input[id], select[id]")) {
    const typed = old.querySelector(`#${CSS.escape(field.id)}`);
    if (typed && field.type === "checkbox") field.checked = typed.checked;
    else if (typed) field.value = typed.value;
  }
  const details = fresh.querySelector("details");
  if (details) details.open = old.querySelector("details")?.open ?? false;
}

function viewOf({ name, label, html }) {
  const view = document.createElement("section");
  view.id = `live-view-${name}`;
  view.className = "live-view";
  view.dataset.view = name;
  const title = document.createElement("h3");
  title.id = `live-title-${name}`;
  title.tabIndex = -1;
  title.textContent = label;
  const body = document.createElement("div");
  body.innerHTML = html;
  view.setAttribute("aria-labelledby", title.id);
  view.append(title, body);
  return view;
}

/* Buttons that would do something else than a moment ago take no click for a while: nobody has chosen that */

const held = new WeakMap(); // until when, in milliseconds of this page

/* Focus stays on a held button, which a disabled one would lose. */
function hold(button, time) {
  const until = Math.max(performance.now() + time, held.get(button) ?? 0);
  held.set(button, until);
  button.setAttribute("aria-disabled", "true");
  setTimeout(() => {
    if (held.get(button) === until) button.removeAttribute("aria-disabled");
  }, until - performance.now());
}

function isHeld(button) {
  return button?.getAttribute("aria-disabled") === "true";
}

/* A button as the person sees it: which one it is, for which object, and where it stands. */
function spotOf(button) {
  const item = button.closest("li");
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return { name: `${item.id} ${button.value}`, object: item.dataset.object, left, right, top, bottom };
}

function meet(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/* The page */

class LivePage {
  #session = null;
  #version = null; // of the page as it is drawn
  #seq = 0;
  #reported = 0;
  #broken = new Set(); // names of views that could not be drawn
  #owed = []; // effects that showed one of those, each with its number and the view
  #isEnded = false;
  #isLeaving = false;
  #opening = null;
  #looking = null;
  #wants = null;
  #later = null;
  #failures = 0;
  #reopenedAt = 0;
  #beatAt = 0;
  #expiry = null;
  #beats = null;

  constructor(root) {
    this.root = root;
    this.tab = new TabId();
    const { browser, stream } = root.dataset;
    this.doorbell = new Doorbell(browser, stream, (rings) => this.#heard(rings), () => this.#pulse());
    root.addEventListener("submit", (event) => this.#submitted(event));
    document.addEventListener("click", (event) => this.#pressed(event));
    document.addEventListener("click", (event) => this.#labelled(event), { capture: true });
    root.addEventListener("click", (event) => event.target.closest(".live-close")?.closest(".live-notice").remove());
    document.addEventListener("visibilitychange", () => this.#seen());
    document.addEventListener("resume", () => this.#seen());
    window.addEventListener("pagehide", () => this.#leave());
    window.addEventListener("pageshow", (event) => {
      if (event.persisted && !this.#isEnded) this.start();
    });
  }

  async start() {
    this.#isLeaving = false;
    await this.tab.take();
    await this.#open();
    if (this.#isEnded) return;
    this.doorbell.start();
    this.#beats = setInterval(() => this.#pulse(), BEAT_EVERY / 5);
  }

  #part(name) {
    return this.root.querySelector(`:scope > [data-live=${name}], :scope > .live-open > [data-live=${name}]`);
  }

  /* Speaking to the server */

  #send(path, body, options = {}) {
    const headers = { Accept: "application/json", "X-CSRFToken": this.root.dataset.token };
    if (body === undefined) return fetch(path, { headers, ...options });
    headers["Content-Type"] = "application/json";
    return fetch(path, { method: "POST", headers, body: JSON.stringify(body), ...options });
  }

  get #address() {
    return `${this.root.dataset.sessions}/${this.#session.id}`;
  }

  #open() {
    this.#opening ??= this.#openOnce().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #openOnce() {
    const asked = { ticket: this.root.dataset.ticket, tab: this.tab.value, title: document.title };
    for (let pause = 1_000; ; pause = Math.min(pause * 2, 30_000)) {
      const answer = await this.#send(this.root.dataset.sessions, asked).catch(() => null);
      if (answer?.ok) {
        this.#begin(await answer.json());
        return;
      }
      if (answer && answer.status < 500) {
        this.#end();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (this.#isLeaving) return;
    }
  }

  #begin(told) {
    const kept = remembered();
    const isSame = kept.session === told.id;
    this.#session = { id: told.id, nonce: told.nonce, visit: told.visit };
    this.#seq = Math.max(told.shown, isSame ? kept.seq : 0);
    this.#reported = told.shown;
    this.#owed = isSame ? (kept.owed ?? []) : [];
    this.#beatAt = Date.now();
    this.#show(told);
    remember({ session: told.id, seq: this.#seq, owed: this.#owed });
    this.#part("open").hidden = false;
    if (told.seq > this.#seq) this.#look();
    else if (this.#seq > told.shown) this.#beat();
  }

  /* The session is gone, though nobody ended the page: a long sleep, say. Once in a while it is opened anew. */
  async #reopen() {
    if (this.#opening) return this.#opening;
    this.#session = null;
    if (Date.now() - this.#reopenedAt < BEAT_EVERY) return this.#end();
    this.#reopenedAt = Date.now();
    return this.#open();
  }

  #gone(status) {
    if (status === 404) return this.#reopen();
    if (status === 403) this.#end();
    return undefined;
  }

  #end() {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#session = null;
    this.doorbell.stop();
    this.#stopTimers();
    const open = this.#part("open");
    open.hidden = true;
    for (const name of ["cards", "commands", "views"]) this.#part(name).replaceChildren();
    open.before(this.#part("ended").content.cloneNode(true));
  }

  #stopTimers() {
    clearInterval(this.#beats);
    clearTimeout(this.#expiry);
    clearTimeout(this.#later);
  }

  #leave() {
    this.#isLeaving = true;
    this.doorbell.stop();
    this.tab.letGo();
    this.#stopTimers();
    if (!this.#session) return;
    const fields = { csrfmiddlewaretoken: this.root.dataset.token, visit: this.#session.visit };
    navigator.sendBeacon(`${this.#address}/leave`, new URLSearchParams(fields));
  }

  /* Signs of life. What is drawn in a tab that nobody looks at is not reported as shown until somebody does; nor is what
     showed a view that could not be drawn, or came after it, until that is drawn. */

  get #shown() {
    return this.#owed.length ? Math.max(this.#reported, this.#owed[0].seq - 1) : this.#seq;
  }

  #pulse() {
    if (Date.now() - this.#beatAt >= BEAT_EVERY) this.#beat();
  }

  async #beat(options = {}) {
    if (!this.#session) return;
    this.#beatAt = Date.now();
    if (!document.hidden) this.#reported = this.#shown;
    const { id } = this.#session;
    const answer = await this.#send(`${this.#address}/beat`, { shown: this.#reported }, options).catch(() => null);
    if (this.#session?.id !== id || this.#isLeaving) return;
    if (!answer?.ok) {
      this.#beatAt = 0; // so that the next pulse says it once more
      await this.#gone(answer?.status);
      return;
    }
    const { seq } = await answer.json();
    if (seq > this.#seq) this.#look();
  }

  #seen() {
    if (document.hidden || !this.#session) return;
    this.#look();
    if (this.#reported < this.#shown) this.#beat();
  }

  #heard(rings) {
    if (rings === "end") this.#end();
    else if (this.#session && (rings === null || rings[this.#session.id] > this.#seq)) this.#look();
  }

  /* Looking for what is new: one look at a time, and another one where somebody asked for it meanwhile */

  #look(isWhole = false) {
    this.#wants = { isWhole: isWhole || (this.#wants?.isWhole ?? false) };
    this.#looking ??= this.#lookWhileWanted().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #lookWhileWanted() {
    while (this.#wants && this.#session && !this.#isLeaving) {
      const { isWhole } = this.#wants;
      this.#wants = null;
      await this.#lookOnce(isWhole);
    }
    this.#wants = null;
  }

  async #lookOnce(isWhole) {
    const { id } = this.#session;
    const answer = await this.#send(`${this.#address}?after=${this.#seq}${isWhole ? "&parts=1" : ""}`).catch(() => null);
    if (this.#session?.id !== id || this.#isLeaving) return;
    if (!answer?.ok) {
      if (!answer || answer.status >= 500) this.#lookLater(isWhole);
      else await this.#gone(answer.status);
      return;
    }
    this.#failures = 0;
    const news = await answer.json();
    if (news.parts) {
      this.#session.nonce = news.nonce;
      this.#show(news);
    }
    for (const effect of news.effects) {
      await this.#do(effect);
      if (!this.#session || this.#isLeaving) return;
    }
    if (news.effects.length || (!document.hidden && this.#reported < this.#shown)) this.#beat();
    if (news.seq > this.#seq) this.#wants ??= { isWhole: false };
  }

  /* The ring was heard, but the line was down when we looked: nobody rings once more for the same. */
  #lookLater(isWhole) {
    clearTimeout(this.#later);
    const pause = Math.min(LATER.most, LATER.first * 2 ** this.#failures);
    this.#later = setTimeout(() => this.#session && this.#look(isWhole), pause);
    this.#failures += 1;
  }

  async #do({ seq, kind, payload }) {
    if (seq <= this.#seq) return;
    this.#seq = seq;
    if (kind === "state" && this.#broken.has(payload.show)) this.#owed.push({ seq, view: payload.show });
    remember({ seq, owed: this.#owed });
    if (kind === "state" && payload.show) this.#reveal(payload.show);
    this.root.dispatchEvent(new CustomEvent("livepage:effect", { bubbles: true, detail: { seq, kind } }));
    if (kind === "navigate") await this.#go(payload.href);
  }

  /* Only an address of this site, which begins with one slash; that it was shown is said before the page is gone. */
  async #go(href) {
    if (typeof href !== "string" || !/^\/(?![/\\])/.test(href)) {
      console.warn("live page: not an address of this site", href);
      return;
    }
    await this.#beat({ keepalive: true });
    location.assign(href);
    // No new page has to come of it: the address may be a file, or a place on this page.
    this.#isLeaving = true;
    setTimeout(() => {
      this.#isLeaving = false;
      this.#seen();
    }, 3_000);
  }

  /* Showing */

  #show({ version, parts: { commands, cards, views } }) {
    const before = this.#buttons().map(spotOf);
    this.#version = version;
    lay(this.#part("commands"), elementsOf(commands), (item) => item.outerHTML, carryOver);
    const asked = lay(this.#part("cards"), elementsOf(cards), (item) => item.outerHTML.replace(NONCE, ""));
    this.#steady(before, asked);
    if (asked.length) this.#announce(`${this.root.dataset.asked} ${asked.at(-1).querySelector("h3").textContent}`);
    const stampsOfViews = new Map(views.map((view) => [`live-view-${view.name}`, view.stamp]));
    const drawn = lay(this.#part("views"), views.map(viewOf), (item) => stampsOfViews.get(item.id));
    for (const view of drawn) {
      const detail = { name: view.dataset.view };
      view.dispatchEvent(new CustomEvent("livepage:view", { bubbles: true, detail }));
    }
    this.#broken = new Set(views.filter((view) => !view.is_shown).map((view) => view.name));
    this.#owed = this.#owed.filter(({ view }) => this.#broken.has(view));
    this.#awaitExpiry();
  }

  #buttons() {
    return ["cards", "commands"].flatMap((name) => [...this.#part(name).querySelectorAll("button")]);
  }

  /* Hold what is asked anew, and each button that stands where another one stood, or is for another object now. */
  #steady(before, asked) {
    for (const button of this.#buttons()) {
      const now = spotOf(button);
      const isOther = (was) => was.name !== now.name || was.object !== now.object;
      if (before.some((was) => isOther(was) && (was.name === now.name || meet(was, now)))) hold(button, HELD.moved);
    }
    for (const card of asked) for (const button of card.querySelectorAll("button")) hold(button, HELD.asked);
  }

  /* A confirmation that nobody answered in time goes by itself. */
  #awaitExpiry() {
    clearTimeout(this.#expiry);
    const moments = [...this.#part("cards").children].map((card) => Date.parse(card.dataset.expires));
    if (moments.length) {
      const left = Math.max(Math.min(...moments) - Date.now() + 500, 1_000);
      this.#expiry = setTimeout(() => this.#look(true), left);
    }
  }

  #reveal(name) {
    const view = this.#part("views").querySelector(`:scope > [data-view="${CSS.escape(name)}"]`);
    if (!view) return;
    const title = view.querySelector("h3");
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    view.scrollIntoView({ block: "nearest", behavior: isCalm ? "auto" : "smooth" });
    title.focus({ preventScroll: true });
    if (!this.#broken.has(name)) this.#announce(`${this.root.dataset.shown} ${title.textContent}`);
  }

  #announce(text) {
    const said = this.#part("said");
    said.textContent = "";
    setTimeout(() => (said.textContent = text), 50); // so that the same words are read out again
  }

  #notify(text) {
    const notice = this.#part("notice").content.cloneNode(true).firstElementChild;
    notice.querySelector("p").textContent = text;
    this.#part("notices").append(notice);
  }

  /* Clicks. What a click says and where it goes is taken from our own lists alone: views, and the page around us, hold
     what others wrote. */

  #kindOf(element) {
    if (this.#part("commands").contains(element)) return "command";
    return this.#part("cards").contains(element) ? "decision" : null;
  }

  #submitted(event) {
    const form = event.target;
    const kind = this.#kindOf(form);
    if (!kind || form.dataset.live !== kind) return; // a form of the application's own
    event.preventDefault();
    if (!this.#session || form.dataset.busy !== undefined || isHeld(event.submitter)) return;
    const { command, card } = form.closest("li").dataset;
    if (kind === "command") this.#click(form, kind, this.#addressOf(command), this.#command(form));
    else this.#click(form, kind, `${this.root.dataset.cards}/${card}/decide`, this.#decision(form, event.submitter));
  }

  /* A button of the application's own, wherever it stands: it names a command, and the object to run it on, and carries
     the proof that the application rendered it so. */
  #pressed(event) {
    const button = event.target.closest?.("button[data-live-command]");
    if (!button || !this.#session || button.dataset.busy !== undefined) return;
    event.preventDefault();
    const { liveCommand, liveObject, liveNonce } = button.dataset;
    const body = { version: this.#version, nonce: liveNonce ?? "", object: liveObject ?? "" };
    this.#click(button, "command", this.#addressOf(liveCommand), body);
  }

  /* A label may name one of our buttons from anywhere: to click the label is not to click the button. */
  #labelled(event) {
    const button = event.target.closest?.("label")?.control;
    if (!button?.matches("button") || button.contains(event.target)) return;
    if (this.#kindOf(button) || button.dataset.liveCommand !== undefined) event.preventDefault();
  }

  #addressOf(command) {
    return `${this.#address}/commands/${encodeURIComponent(command)}`;
  }

  #command(form) {
    const parameters = {};
    for (const field of form.elements) {
      if (!field.name) continue;
      if (field.type === "checkbox") parameters[field.name] = field.checked;
      else if (field.value !== "") parameters[field.name] = field.value;
    }
    return { version: this.#version, nonce: this.#session.nonce, parameters };
  }

  #decision(form, button) {
    const { nonce, session } = form.elements;
    return { decision: button?.value ?? "", nonce: nonce.value, session: session.value };
  }

  /* `source` is the form or the button that was clicked; it takes no second click until the first is answered. */
  async #click(source, kind, address, body) {
    const focused = document.activeElement;
    const buttons = source.matches("button") ? [source] : [...source.querySelectorAll("button")];
    source.dataset.busy = "";
    for (const button of buttons) button.disabled = true;
    this.#part("notices").replaceChildren();
    try {
      const answer = await this.#send(address, body).catch(() => null);
      await this.#answered(answer, source, kind);
    } finally {
      delete source.dataset.busy;
      for (const button of buttons) button.disabled = false;
      if (document.activeElement === document.body) {
        refocus(focused, this.#part(kind === "command" ? "commands" : "cards"));
      }
    }
  }

  async #answered(answer, source, kind) {
    const told = await answer?.json().catch(() => null);
    if (!told?.success) {
      // Refused by the application or by us, with the reasons; else the session or the sign-in is not there any more.
      // That nothing was done is said only where it is known.
      const isRefused = told && answer.status >= 400 && answer.status < 500;
      this.#notify([told?.reasons ?? []].flat().join(" ") || (isRefused ? this.root.dataset.again : this.root.dataset.lost));
      if (answer && !told?.code) await this.#gone(answer.status);
    } else if (source.matches("form[data-live=command]")) {
      source.reset();
      const details = source.closest("details");
      if (details) details.open = false;
    }
    await this.#look(kind === "decision" || LOOK_AGAIN.has(told?.code));
  }
}

const root = document.querySelector(".live-page[data-ticket]");
if (root) new LivePage(root).start();
