// Speaks with the chat server. Whatever goes wrong is a Failure, in words for people.

const KEY = "beaver.key";

const WORDS = {
  lost: "Beaver cannot be reached. Check the connection and that the server is running.",
  unauthenticated: "This server asks for a key.",
  forbidden: "Your key does not allow this.",
  not_found: "This chat is not there any more.",
  limit_exceeded: "Beaver is very busy right now. Try again in a moment.",
  payload_too_large: "This message is too long.",
  unavailable: "Beaver or its model is not available right now. Try again in a moment.",
  crashed: "The server stopped in the middle of this answer.",
  superseded: "A newer message took the place of this one.",
  deadline_exceeded: "The model took too long to answer.",
  peer_fault: "The model's provider answered with an error.",
  internal: "Beaver has a fault. Its log says where.",
};

export class Failure extends Error {
  constructor(code, message) {
    super(WORDS[code] ?? sentence(message));
    this.code = code;
  }

  get isLost() {
    return this.code === "lost";
  }
}

const sentence = (message) => {
  const text = (message || "something went wrong").trim();
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
};

let askForKey = async () => null;

// `ask(isWrong)` gives a key, or null where the reader has none.
export function onKeyNeeded(ask) {
  let asking = null;
  askForKey = (isWrong) => {
    asking ??= ask(isWrong).finally(() => (asking = null));
    return asking;
  };
}

export async function request(path, options = {}) {
  for (;;) {
    const key = sessionStorage.getItem(KEY);
    const response = await reach(path, options, key);
    if (response.ok) return response;
    if (response.status !== 401) throw await failureOf(response);
    // Another request may have asked for the key meanwhile.
    if (sessionStorage.getItem(KEY) !== key) continue;
    const given = await askForKey(key !== null);
    if (given === null) throw new Failure("unauthenticated");
    sessionStorage.setItem(KEY, given);
  }
}

export async function json(path, options) {
  const response = await request(path, options);
  return response.status === 204 ? null : await survive(() => response.json());
}

async function reach(path, { method = "GET", body, headers = {}, signal }, key) {
  const sent = { ...headers };
  if (key !== null) sent.Authorization = `Bearer ${key}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  return await survive(() => fetch(path, { method, headers: sent, body: body && JSON.stringify(body), signal, cache: "no-store" }));
}

// A connection that breaks is a Failure; one that we ended ourselves stays an AbortError.
async function survive(act) {
  try {
    return await act();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("lost");
  }
}

async function failureOf(response) {
  try {
    const { error } = await response.json();
    return new Failure(error.code, error.message);
  } catch {
    return new Failure(response.status >= 500 ? "unavailable" : "refused", `the server refused this (${response.status})`);
  }
}

// The server-sent events of a response: {name, data}.
export async function* events(response) {
  let name = "";
  let data = [];
  for await (const line of lines(response.body.getReader())) {
    if (line === "") {
      if (data.length) yield { name, data: data.join("\n") };
      name = "";
      data = [];
    } else if (line.startsWith("event:")) {
      name = line.slice(6).trim();
    } else if (line.startsWith("data:")) {
      data.push(line.slice(5).replace(/^ /, ""));
    }
  }
}

async function* lines(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await survive(() => reader.read());
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = parts.pop();
    for (const part of parts) yield part.endsWith("\r") ? part.slice(0, -1) : part;
  }
}
