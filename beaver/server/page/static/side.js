// The chats at the side: listed, chosen, deleted; on a narrow screen behind a menu button.

import { json } from "./api.js";
import { say } from "./thread.js";

const PAGE = 30;
const $ = (id) => document.getElementById(id);
const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const titleOf = (session) => session.title || session.preview || `Chat of ${when.format(session.created_ms)}`;

const markOf = ({ dataset: { id }, tagName }) => ({ id, tagName });

export class Side {
  // `isOpen(id)` says which chat is on the page, `onDeleted(id)` hears of one that is gone.
  constructor({ isOpen, onDeleted }) {
    this.isOpen = isOpen;
    this.onDeleted = onDeleted;
    this.known = new Map();
    this.older = new Map();
    this.next = null;
    $("more-sessions").addEventListener("click", () => this.#more());
    $("open-menu").addEventListener("click", () => this.toggle(true));
    $("close-menu").addEventListener("click", () => this.toggle(false));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.toggle(false);
    });
    matchMedia("(width < 48rem)").addEventListener("change", () => this.toggle(false));
    this.deletion = new Deletion();
  }

  async refresh() {
    try {
      const page = await json(`/v1/sessions?limit=${PAGE}`);
      const newest = new Map(page.data.map((session) => [session.id, session]));
      // What "older" has brought stays; a chat that was deleted elsewhere may stay with it until the next visit.
      this.known = new Map([...newest, ...Array.from(this.older).filter(([id]) => !newest.has(id))]);
      if (!this.older.size) this.next = page.next;
      this.#failed("");
      this.#draw();
    } catch (failure) {
      this.#failed(failure.message);
    }
  }

  mark() {
    for (const link of $("sessions").querySelectorAll("a")) {
      if (this.isOpen(link.dataset.id)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  toggle(open) {
    if (open === this.#isMenu()) return;
    document.body.toggleAttribute("data-menu", open);
    // The page behind the drawer, but for its landmark and heading.
    for (const id of ["open-menu", "scroller", "below"]) $(id).inert = open;
    $("open-menu").setAttribute("aria-expanded", String(open));
    $(open ? "close-menu" : "open-menu").focus();
  }

  #isMenu() {
    return document.body.hasAttribute("data-menu");
  }

  async #more() {
    try {
      const page = await json(`/v1/sessions?limit=${PAGE}&before=${encodeURIComponent(this.next)}`);
      for (const session of page.data) {
        this.known.set(session.id, session);
        this.older.set(session.id, session);
      }
      this.next = page.next;
      this.#draw();
      if (page.data.length) this.#find(page.data[0].id, "A").focus();
    } catch (failure) {
      this.#failed(failure.message);
    }
  }

  #failed(words) {
    $("sessions-failed").textContent = words;
    $("sessions-failed").hidden = !words;
    if (words) say(words);
  }

  #draw() {
    const { id, tagName } = $("sessions").contains(document.activeElement) ? markOf(document.activeElement) : {};
    $("sessions").replaceChildren(...Array.from(this.known.values(), (session) => this.#row(session)));
    $("no-sessions").hidden = this.known.size > 0;
    $("more-sessions").hidden = !this.next;
    this.mark();
    if (id) this.#find(id, tagName)?.focus();
  }

  #find(id, tagName) {
    return $("sessions").querySelector(`${tagName}[data-id="${CSS.escape(id)}"]`);
  }

  #row(session) {
    const row = $("a-session").content.firstElementChild.cloneNode(true);
    const [link, bin] = row.children;
    link.textContent = titleOf(session);
    link.href = `#${encodeURIComponent(session.id)}`;
    link.dataset.id = bin.dataset.id = session.id;
    bin.setAttribute("aria-label", `Delete “${titleOf(session)}”`);
    bin.addEventListener("click", () => this.#delete(session));
    return row;
  }

  async #delete(session) {
    if (!(await this.deletion.confirmed(titleOf(session)))) return;
    try {
      await json(`/v1/sessions/${encodeURIComponent(session.id)}`, { method: "DELETE" });
    } catch (failure) {
      if (failure.code !== "not_found") return this.#failed(failure.message);
    }
    this.known.delete(session.id);
    this.older.delete(session.id);
    this.#draw();
    say("The chat was deleted.");
    $("new-chat").focus();
    this.onDeleted(session.id);
  }
}

class Deletion {
  constructor() {
    this.dialog = $("delete-dialog");
    $("delete-no").addEventListener("click", () => this.dialog.close("no"));
    $("delete-yes").addEventListener("click", () => this.dialog.close("yes"));
  }

  confirmed(title) {
    $("delete-name").textContent = title;
    this.dialog.returnValue = "";
    this.dialog.showModal();
    return new Promise((resolve) => {
      this.dialog.addEventListener("close", () => resolve(this.dialog.returnValue === "yes"), { once: true });
    });
  }
}
