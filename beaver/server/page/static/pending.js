// A question on its way, kept by this tab until its answer is there, so that a reload asks it once and not never.

const name = (session) => `beaver.pending.${session}`;

export const keep = (turn) => sessionStorage.setItem(name(turn.session), JSON.stringify(turn));
export const forget = (session) => sessionStorage.removeItem(name(session));

export function find(session) {
  const stored = sessionStorage.getItem(name(session));
  return stored === null ? null : JSON.parse(stored);
}
