// Shows a small part of Markdown as elements made one by one. Text stays text: nothing that a model writes is ever parsed
// as HTML, no image is loaded, and links go to web and mail addresses only.

const DEPTH_MAX = 6;
const INLINE_CHARS_MAX = 20000;
const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^\s*>\s?/;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const INLINE =
  /(`+)(?!`)(.+?)(?<!`)\1(?!`)|!?\[([^[\]\n]+)\]\(([^\s()]+)\)|\*\*(?=\S)((?:[^*]|\*(?!\*))+?)\*\*|\*(?=\S)([^*\n]+?)\*|~~(?=\S)([^~]+?)~~|(https?:\/\/[^\s<>()[\]"'`]*[^\s<>()[\]"'`.,;:!?])/g;

// An answer that grows. What lies before the last blank line is settled and not looked at again.
export class Growing {
  constructor(element) {
    this.element = element;
    this.clear();
  }

  clear() {
    this.element.replaceChildren();
    this.text = "";
    this.rest = "";
    this.tail = [];
  }

  append(piece) {
    this.text += piece;
    this.rest += piece;
    this.tail.forEach((node) => node.remove());
    const settled = settledLength(this.rest);
    this.element.append(...blocks(this.rest.slice(0, settled)));
    this.rest = this.rest.slice(settled);
    this.tail = blocks(this.rest);
    this.element.append(...this.tail);
  }
}

// Where the last blank line outside a code block ends.
function settledLength(text) {
  let settled = 0;
  let fence = null;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    const line = text.slice(start, end);
    start = end + 1;
    fence = fenceAfter(line, fence);
    if (!fence && !line.trim()) settled = start;
  }
  return settled;
}

function fenceAfter(line, fence) {
  const mark = line.match(FENCE)?.[1];
  if (!fence) return mark ?? null;
  return mark?.[0] === fence[0] && mark.length >= fence.length && line.trim() === mark ? null : fence;
}

const blocks = (text) => parsed(text.split("\n"), 0);

function parsed(lines, depth) {
  const nodes = [];
  for (let at = 0; at < lines.length; ) {
    const [node, next] = block(lines, at, depth);
    if (node) nodes.push(node);
    at = next;
  }
  return nodes;
}

function block(lines, at, depth) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  if (FENCE.test(line)) return code(lines, at);
  const heading = line.match(HEADING);
  if (heading) return [element(`h${Math.min(6, Math.max(3, heading[1].length + 1))}`, inline(withoutClosing(heading[2]))), at + 1];
  if (RULE.test(line)) return [element("hr"), at + 1];
  if (depth < DEPTH_MAX && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < DEPTH_MAX && ITEM.test(line)) return list(lines, at, depth);
  return paragraph(lines, at);
}

// Step by step: a pattern would try each space of a long line anew.
function withoutClosing(heading) {
  let end = heading.trimEnd().length;
  while (heading[end - 1] === "#") end -= 1;
  return heading.slice(0, end).trimEnd();
}

function code(lines, at) {
  const [, mark, language] = lines[at].match(FENCE);
  const indent = lines[at].search(/\S/);
  let end = at + 1;
  while (end < lines.length && fenceAfter(lines[end], mark)) end += 1;
  const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, Math.max(0, line.search(/\S/)))));
  const box = element("pre", [element("code", [text.join("\n")])]);
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", language ? `Code, ${language}` : "Code");
  return [box, end + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [element("blockquote", parsed(inner, depth + 1)), end];
}

function list(lines, at, depth) {
  const [, indent, number] = lines[at].match(ITEM);
  const made = element(number ? "ol" : "ul");
  if (number && number !== "1") made.start = Number(number);
  let next = at;
  while (next < lines.length && isSibling(lines[next], indent.length, Boolean(number))) {
    const inner = [lines[next].match(ITEM)[3]];
    for (next += 1; next < lines.length && isInside(lines[next], indent.length); next += 1) inner.push(dedented(lines[next], indent.length));
    made.append(element("li", parsed(inner, depth + 1)));
  }
  return [made, next];
}

function isSibling(line, indent, isNumbered) {
  const item = line.match(ITEM);
  return Boolean(item) && item[1].length <= indent && Boolean(item[2]) === isNumbered && !RULE.test(line);
}

const isInside = (line, indent) => !line.trim() || line.search(/\S/) > indent;
const dedented = (line, indent) => line.replace(new RegExp(`^\\s{0,${indent + 2}}`), "");

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && ![FENCE, HEADING, RULE, QUOTE, ITEM].some((mark) => mark.test(lines[end]))) end += 1;
  return [element("p", inline(lines.slice(at, end).join("\n").trim())), end];
}

function inline(text) {
  if (text.length > INLINE_CHARS_MAX) return [text];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    nodes.push(text.slice(at, found.index), marked(found));
    at = found.index + found[0].length;
  }
  nodes.push(text.slice(at));
  return nodes;
}

function marked([whole, , codeText, label, target, strong, emphasis, struck, address]) {
  if (codeText !== undefined) return element("code", [codeText]);
  if (target !== undefined) return link(target, inline(label)) ?? whole;
  if (address !== undefined) return link(address, [address]) ?? whole;
  if (strong !== undefined) return element("strong", inline(strong));
  if (emphasis !== undefined) return element("em", inline(emphasis));
  return element("s", inline(struck));
}

function link(target, children) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(target) || !URL.canParse(target)) return null;
  const made = element("a", children);
  made.href = target;
  made.rel = "noopener noreferrer nofollow";
  made.target = "_blank";
  return made;
}

function element(name, children = []) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}
