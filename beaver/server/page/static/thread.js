// The messages on the page, and the voice that tells a screen reader of them.

import { Growing } from "./markdown.js";

const NEAR_END_PX = 80;
const SPOKEN_CHARS_MAX = 1500;

const $ = (id) => document.getElementById(id);
const made = (id) => $(id).content.firstElementChild.cloneNode(true);

export const say = (text) => ($("status").textContent = text);

export class Thread {
  constructor() {
    this.list = $("messages");
    this.scroller = $("scroller");
    this.scroller.addEventListener("scroll", () => this.#offerEnd(), { passive: true });
    new ResizeObserver(() => this.#stay()).observe(this.list);
    $("earlier").addEventListener("click", () => this.fetchEarlier?.());
    $("to-end").addEventListener("click", () => (this.toEnd(), $("question").focus()));
    this.following = true;
  }

  clear() {
    this.list.replaceChildren();
    this.offerEarlier(null);
    $("welcome").hidden = true;
    this.following = true;
  }

  welcome() {
    this.clear();
    $("welcome").hidden = false;
  }

  question(text) {
    $("welcome").hidden = true;
    this.list.append(questionOf(text));
    this.toEnd();
  }

  answer() {
    const answer = new Answer(made("an-answer"));
    this.list.append(answer.article);
    return answer;
  }

  stored(messages) {
    if (messages.length) $("welcome").hidden = true;
    this.list.append(...messages.flatMap(articlesOf));
    this.toEnd();
  }

  // What is put on top moves nothing of what the reader looks at.
  earlier(messages) {
    const below = this.scroller.scrollHeight - this.scroller.scrollTop;
    this.following = false;
    this.list.prepend(...messages.flatMap(articlesOf));
    this.scroller.scrollTop = this.scroller.scrollHeight - below;
  }

  // `fetch` brings what was said before, or is null where nothing was.
  offerEarlier(fetch) {
    const hadFocus = document.activeElement === $("earlier");
    this.fetchEarlier = fetch;
    $("earlier").hidden = !fetch;
    if (hadFocus && !fetch) this.scroller.focus();
  }

  notice(text, again = null) {
    const notice = made("a-notice");
    notice.querySelector("p").textContent = text;
    const button = notice.querySelector("button");
    if (again) button.addEventListener("click", () => (notice.remove(), again()), { once: true });
    else button.remove();
    this.list.append(notice);
    say(text);
  }

  toEnd() {
    this.following = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#offerEnd();
  }

  // New text keeps a reader at the end who is at the end, and moves no other.
  #stay() {
    if (this.following) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#offerEnd();
  }

  #offerEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    this.following = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    $("to-end").hidden = this.following;
  }
}

function questionOf(text) {
  const article = made("a-question");
  article.querySelector(".text").textContent = text;
  return article;
}

function answerOf(text) {
  const answer = new Answer(made("an-answer"));
  answer.whole(text);
  return answer.article;
}

function articlesOf({ role, content }) {
  if (role === "user") return [questionOf(content)];
  return role === "assistant" && content.trim() ? [answerOf(content)] : [];
}

class Answer {
  constructor(article) {
    this.article = article;
    this.growing = new Growing(article.querySelector(".text"));
    this.waiting = "";
    this.frame = 0;
  }

  // Pieces are shown together, once a frame.
  add(piece) {
    this.waiting += piece;
    this.frame ||= requestAnimationFrame(() => this.#show());
  }

  restart() {
    this.waiting = "";
    this.growing.clear();
  }

  whole(text) {
    if (this.growing.text + this.waiting !== text) {
      this.restart();
      this.waiting = text;
    }
    this.end();
  }

  end() {
    this.#show();
    this.article.setAttribute("aria-busy", "false");
    this.article.querySelector(".waiting")?.remove();
    if (!this.growing.text) this.article.remove();
  }

  speak() {
    const text = this.article.querySelector(".text").innerText;
    const more = text.length > SPOKEN_CHARS_MAX ? " … The rest is in the conversation." : "";
    say(`Beaver said: ${text.slice(0, SPOKEN_CHARS_MAX)}${more}`);
  }

  #show() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (this.waiting) this.growing.append(this.waiting);
    this.waiting = "";
  }
}
