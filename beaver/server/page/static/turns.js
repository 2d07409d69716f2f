// One turn as a stream of what it tells: {run} its id, {text} a piece, {whole} the answer so far, {again} from the start.
// A stream that ends well just ends; else it throws a Failure.

import { Failure, events, request } from "./api.js";

const TRIES = 4;
const PAUSE_MS = 400;
const MODEL = document.body.dataset.model;

// A question. The server knows it again by its key, so that sending it twice asks it once.
export const newTurn = (session, text) => ({ session, text, key: randomKey() });

const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const ask = (turn, signal) => steadily(() => completion(turn, signal), signal);
export const follow = (runId, signal) => steadily(() => runEvents(runId, signal), signal);

// A connection that is lost is made again: the run goes on at the server, and tells everything once more.
async function* steadily(begin, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      yield* begin();
      return;
    } catch (error) {
      if (!error.isLost || tries === TRIES) throw error;
      await pause(PAUSE_MS * 2 ** tries, signal);
      yield { again: true };
    }
  }
}

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

async function* completion(turn, signal) {
  const response = await request("/v1/chat/completions", {
    method: "POST",
    headers: { "Idempotency-Key": turn.key },
    body: { model: MODEL, stream: true, conversation: turn.session, messages: [{ role: "user", content: turn.text }] },
    signal,
  });
  for await (const { data } of events(response)) {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data);
    if (chunk.error) throw new Failure(chunk.error.code, chunk.error.message);
    yield { run: chunk.id };
    const text = chunk.choices[0]?.delta.content;
    if (text) yield { text };
  }
  throw new Failure("lost");
}

async function* runEvents(runId, signal) {
  yield { run: runId };
  const response = await request(`/v1/runs/${encodeURIComponent(runId)}/events`, { signal });
  for await (const { name, data } of events(response)) {
    const told = JSON.parse(data);
    if (told.error?.code) throw new Failure(told.error.code, told.error.message);
    if (name === "run.text") yield { text: told.text };
    if (name === "run.answered") yield { whole: told.text };
    if (name === "run.ended") {
      if (told.status === "completed") return;
      throw new Failure(told.status === "cancelled" ? "cancelled" : (told.error ?? "internal"), "this answer was stopped");
    }
  }
  throw new Failure("lost");
}
