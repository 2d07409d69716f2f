// The page: which chat is open, what is asked in it, and who listens to the answer.

import { json, onKeyNeeded } from "./api.js";
import { askForKey } from "./key.js";
import * as pending from "./pending.js";
import { Side, titleOf } from "./side.js";
import { Thread, say } from "./thread.js";
import { ask, follow, newTurn } from "./turns.js";

const TITLE_CHARS_MAX = 60;
const MESSAGES_PAGE = 100;
const MEMORY = "/memory";
const $ = (id) => document.getElementById(id);
const question = $("question");
const coarse = matchMedia("(pointer: coarse)");

const thread = new Thread();
const side = new Side({ isOpen: (id) => id === session, onDeleted: leave });
let session = null;
// What is listened to, or null: {abort, run, stopping}.
let heard = null;

onKeyNeeded(askForKey);

function sessionInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null;
  } catch {
    return null;
  }
}

function show(title) {
  $("title").textContent = title ?? "New chat";
  document.title = title ? `${title} · Beaver` : "Beaver";
  side.mark();
}

function newChat() {
  history.pushState(null, "", location.pathname);
  open(null);
}

async function open(id) {
  letGo();
  session = id;
  side.toggle(false);
  const focused = document.activeElement;
  show(null);
  if (id === null) thread.welcome();
  else await load(id);
  // Who has gone elsewhere on the page while the chat was fetched stays there.
  if (!coarse.matches && session === id && document.activeElement === focused) question.focus();
}

// A question of a deleted chat must not be asked again: that would bring the chat back.
function leave(id) {
  pending.forget(id);
  if (id === session) newChat();
}

async function load(id) {
  thread.clear();
  const path = `/v1/sessions/${encodeURIComponent(id)}`;
  try {
    const [found, messages] = await Promise.all([json(path), json(pageOf(id))]);
    if (session !== id) return;
    show(titleOf(found));
    takeUp(id, messages);
  } catch (failure) {
    if (session !== id) return;
    if (failure.code === "not_found" && pending.find(id)) return takeUp(id, { data: [], has_more: false });
    thread.notice(failure.message, failure.code === "not_found" ? null : () => open(id));
  }
}

const pageOf = (id, before = "") =>
  `/v1/sessions/${encodeURIComponent(id)}/messages?limit=${MESSAGES_PAGE}${before && `&before=${before}`}`;

async function earlier(id, before) {
  try {
    const page = await json(pageOf(id, before));
    if (session !== id) return;
    thread.earlier(page.data);
    offerEarlier(id, page);
    say("Earlier messages are shown.");
  } catch (failure) {
    if (session === id) say(failure.message);
  }
}

function offerEarlier(id, { data, has_more }) {
  let fetching = null;
  const fetchOnce = () => (fetching ??= earlier(id, data[0].id).finally(() => (fetching = null)));
  thread.offerEarlier(has_more ? fetchOnce : null);
}

// Show what is stored; then listen to the answer that is still to come, or ask what has not arrived.
function takeUp(id, page) {
  const messages = page.data;
  if (messages.length) thread.stored(messages);
  else thread.welcome();
  offerEarlier(id, page);
  const asked = messages.findLast((message) => message.role === "user");
  const waiting = pending.find(id);
  if (waiting && asked?.content !== waiting.text) {
    thread.question(waiting.text);
    return listen(waiting, (signal) => ask(waiting, signal));
  }
  pending.forget(id);
  const last = messages.at(-1);
  if (!asked?.run_id || (last.role === "assistant" && !last.payload.tool_calls)) return undefined;
  return listen(newTurn(id, asked.content), (signal) => follow(asked.run_id, signal));
}

async function send(text) {
  thread.question(text);
  const sending = (heard = begin());
  try {
    const made = session === null ? await create(text) : null;
    // The reader may have gone to another chat meanwhile.
    if (heard !== sending) return;
    if (made) enter(made);
  } catch (failure) {
    if (heard !== sending) return;
    letGo();
    return thread.notice(failure.message, () => (thread.list.lastElementChild.remove(), send(text)));
  }
  await submit(newTurn(session, text));
}

// What a line about the memory asks the server does itself: no model is told of it, and nothing of it is stored.
async function remember(text) {
  thread.question(text);
  const asking = (heard = begin());
  try {
    const made = session === null ? await json("/v1/sessions", { method: "POST", body: {} }) : null;
    if (heard !== asking) return;
    if (made) enter(made);
    const path = `/v1/sessions/${encodeURIComponent(session)}/memory/command`;
    const { lines } = await json(path, { method: "POST", body: { line: text } });
    if (heard !== asking) return;
    const answer = thread.answer();
    answer.whole(lines.join("\n\n"));
    thread.toEnd();
    answer.speak();
  } catch (failure) {
    if (heard !== asking) return;
    thread.notice(failure.message, () => (thread.list.lastElementChild.remove(), remember(text)));
  }
  end(asking);
}

function create(text) {
  const title = Array.from(text.split("\n", 1)[0]).slice(0, TITLE_CHARS_MAX).join("");
  return json("/v1/sessions", { method: "POST", body: { title } });
}

function enter(made) {
  session = made.id;
  history.replaceState(null, "", `#${encodeURIComponent(session)}`);
  show(titleOf(made));
  side.refresh();
}

function submit(turn) {
  pending.keep(turn);
  return listen(turn, (signal) => ask(turn, signal));
}

async function listen(turn, source) {
  const mine = (heard = begin(heard));
  const answer = thread.answer();
  thread.toEnd();
  say("Beaver is answering.");
  try {
    for await (const told of source(mine.abort.signal)) {
      if (told.run) know(mine, told.run);
      if (told.again) answer.restart();
      if (told.text) answer.add(told.text);
      if (told.whole) answer.whole(told.whole);
    }
    pending.forget(turn.session);
    answer.end();
    if (heard === mine) answer.speak();
  } catch (failure) {
    if (heard !== mine) return;
    answer.end();
    failed(turn, answer, failure, mine.stopping);
  }
  end(mine);
  side.refresh();
}

function failed(turn, answer, failure, wasStopped) {
  // Where the connection was lost the run may go on: the same question with the same key asks for it, and for no second one.
  const again = failure.isLost ? turn : newTurn(turn.session, turn.text);
  if (!failure.isLost) pending.forget(turn.session);
  thread.notice(wasStopped ? "You stopped this answer." : failure.message, () => (answer.article.remove(), submit(again)));
}

function begin(earlier = null) {
  busy(true);
  return { abort: new AbortController(), run: null, stopping: earlier?.stopping ?? false };
}

function end(mine) {
  if (heard !== mine) return;
  heard = null;
  busy(false);
}

// The run goes on at the server; only this page listens no more.
function letGo() {
  const mine = heard;
  heard = null;
  mine?.abort.abort();
  busy(false);
}

function busy(isBusy) {
  const hadFocus = document.activeElement === $("stop");
  $("send").hidden = isBusy;
  $("stop").hidden = !isBusy;
  $("stop").disabled = false;
  if (hadFocus && !isBusy) question.focus();
}

function know(mine, run) {
  if (mine.run === run) return;
  mine.run = run;
  if (mine.stopping) stopRun(mine);
}

function stop() {
  if (!heard) return;
  heard.stopping = true;
  say("Stopping.");
  if (heard.run) stopRun(heard);
}

async function stopRun(mine) {
  try {
    await json(`/v1/runs/${encodeURIComponent(mine.run)}/stop`, { method: "POST" });
  } catch (failure) {
    // A conflict: it has just ended by itself.
    mine.stopping = false;
    if (failure.code !== "conflict") say(failure.message);
  }
}

$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = question.value.trim();
  if (!text || heard) return;
  question.value = "";
  if (text.split(/\s/, 1)[0] === MEMORY) remember(text);
  else send(text);
});
question.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || coarse.matches) return;
  event.preventDefault();
  $("composer").requestSubmit();
});
$("stop").addEventListener("click", stop);
$("new-chat").addEventListener("click", newChat);
document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), question.focus()));
addEventListener("popstate", () => open(sessionInAddress()));

if (coarse.matches) $("how").textContent = "Answers may be wrong; check what matters.";
side.refresh();
open(sessionInAddress());
