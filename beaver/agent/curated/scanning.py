"""Whether a memory entry tries to steer the model, hides something, or holds a secret. Pure, per entry.

Two looks: the raw text for characters that nobody sees, then the NFKC text for patterns. An entry stands in
every later system prompt, so that one poisoned by a web page or a document would command every later run.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from beaver.redaction import find_secret

_EMOJI: Final = (
    "\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Arabic and Persian, the scripts of India, Sinhala, Khmer, Mongolian: joiners belong to their spelling.
_JOINING: Final = "\u0600-\u08ff\u0900-\u0dff\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"

# Invisible characters with an honest use. They are taken out before the look for the others.
_HONEST: Final = re.compile(
    f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"  # a joiner between emoji
    f"|(?<=[{_JOINING}])[\u200c\u200d]"
    "|(?<=[^\ufe00-\ufe0f\\s])[\ufe00-\ufe0f](?![\ufe00-\ufe0f\U000e0100-\U000e01ef])"  # one variant of one character
    f"|(?<=[{_HAN}])[\U000e0100-\U000e01ef](?![\ufe00-\ufe0f\U000e0100-\U000e01ef])"
    # The flags of England, Scotland and Wales are spelled in tag characters.
    "|(?<=\U0001f3f4)\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|"
    "\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_UNSEEN: Final = (
    ("bidi_character", re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")),
    (
        "invisible_character",
        re.compile(
            "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164"
            "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
        ),
    ),
    ("control_character", re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")),
)

_ORDERS: Final = r"(?:instructions?|prompts?|directives?|guidelines?|directions)"
_GUARDED_FILE: Final = (
    r"(?:\.env\b|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.ssh/|\.aws/|\.gnupg/|\.kube/config|"
    r"id_(?:rsa|ed25519|ecdsa)|/etc/shadow|credentials\b)"
)
_GUARDED_VARIABLE: Final = r"\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)\w*"
_SENDER: Final = r"\b(?:curl|wget|nc|ncat|netcat|scp|rsync|sftp|ftp|invoke-webrequest|invoke-restmethod|iwr|irm)\b"
_USER: Final = r"(?:the|your)\s+(?:user|human|owner|operator)\b(?!['’]s)"

# id -> pattern over the NFKC text. Every repetition is bounded, so that no text takes long.
_PATTERNS: Final = tuple(
    (name, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for name, pattern in (
        (
            "instruction_override",
            r"\b(?:ignore|disregard|forget|override|bypass|discard|do\s+not\s+follow|stop\s+following)\s+"
            r"(?:\w+\s+){0,3}?(?:previous|prior|earlier|above|preceding|foregoing|existing|system|developer|your)\s+"
            rf"(?:\w+\s+){{0,2}}?(?:{_ORDERS}|rules|messages|training)\b",
        ),
        (
            "instruction_override",
            rf"\b(?:ignore|disregard|forget)\s+(?:all|any|every)\s+(?:of\s+)?(?:\w+\s+)?{_ORDERS}\b",
        ),
        (
            "instruction_override",
            r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:\w+\s+){0,3}?(?:above|before|so\s+far|earlier)\b",
        ),
        ("instruction_override", r"\b(?:new|updated|real|actual)\s+(?:system\s+)?(?:instructions|prompt)\s*:"),
        ("instruction_override", r"\bsystem\s+prompt\s+override\b"),
        (
            "instruction_override",
            r"(?:忽略|无视|無視|忘记|忘記)[^\n。]{0,12}(?:指令|指示|规则|規則|提示词|提示詞|命令)",
        ),
        (
            "instruction_override",
            r"\b(?:ignoriere|vergiss|missachte)\s+(?:\w+\s+){0,3}?(?:anweisungen|vorgaben|instruktionen)\b",
        ),
        ("instruction_override", r"\b(?:ignora|olvida)\s+(?:\w+\s+){0,3}?instrucciones\b"),
        ("instruction_override", r"\b(?:ignorez?|oubliez?)\s+(?:\w+\s+){0,3}?(?:instructions|consignes)\b"),
        (
            "role_hijack",
            r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?|the|my|dan|free|unrestricted|unfiltered|jailbroken|bound|in\s+\w+\s+mode)\b",
        ),
        (
            "role_hijack",
            r"\b(?:act|behave|respond|answer)\s+as\s+(?:if|though)\s+you\s+(?:\w+\s+){0,3}?(?:no|any|without|unrestricted)\b",
        ),
        (
            "role_hijack",
            r"\b(?:pretend|imagine)\s+(?:that\s+)?(?:you\s+are|to\s+be|you're)\s+(?:\w+\s+){0,4}?(?:ai|assistant|model)\b",
        ),
        (
            "role_hijack",
            r"\b(?:enter|enable|activate|switch\s+to)\s+(?:developer|god|dan|jailbreak|unrestricted|debug\s+admin)\s+mode\b",
        ),
        (
            "role_hijack",
            r"<\|\s*(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id)\s*\|>",
        ),
        ("role_hijack", r"\[/?INST\]|<</?SYS>>|</?(?:system|assistant)(?:[_-](?:prompt|message|instructions?))?>"),
        (
            "deception",
            rf"\b(?:do\s+not|don['’]?t|never|must\s+not)\s+(?:ever\s+)?(?:tell|inform|notify|alert|warn|mention\s+\w+\s+to)\s+{_USER}",
        ),
        ("deception", rf"\bwithout\s+(?:telling|informing|notifying|asking|alerting)\s+{_USER}"),
        (
            "deception",
            rf"\b(?:hide|conceal|keep|withhold)\s+(?:this|that|it|these|them|the\s+\w+)\s+(?:\w+\s+)?from\s+{_USER}",
        ),
        ("deception", rf"\b(?:lie\s+to|deceive|mislead|trick)\s+{_USER}"),
        (
            "hidden_html",
            r"<!--(?:(?!-->)[\s\S]){0,400}?\b(?:ignore|disregard|override|instructions?|system|assistant|secret|must|always|never)\b",
        ),
        (
            "hidden_html",
            r"<[a-z][^>]{0,200}\bstyle\s*=[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0\b)",
        ),
        ("hidden_html", r"<\s*(?:script|iframe|object|embed|meta)\b[^>]{0,300}>"),
        ("hidden_html", r"<[a-z][^>]{0,200}\s(?:hidden\b(?!-)|on(?:load|error|click)\s*=)"),
        ("hidden_html", r"!\[[^\]]{0,200}\]\(\s*https?://[^)\s]{1,300}[?&][^)\s]{0,300}(?:\{|=\s*<|\$)"),
        (
            "command_reads_secrets",
            rf"\b(?:cat|less|more|head|tail|type|bat|base64|xxd|strings|cp|get-content)\s+[^\n|]{{0,80}}{_GUARDED_FILE}",
        ),
        ("command_reads_secrets", r"\b(?:printenv|env|set)\b\s*(?:\||>)"),
        ("command_sends_secrets", rf"{_SENDER}[^\n]{{0,200}}{_GUARDED_VARIABLE}"),
        ("command_sends_secrets", rf"{_SENDER}[^\n]{{0,200}}{_GUARDED_FILE}"),
        ("command_sends_secrets", rf"{_GUARDED_FILE}[^\n]{{0,120}}\|[^\n]{{0,80}}{_SENDER}"),
        ("command_sends_secrets", r"\b(?:curl|wget)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"),
        ("command_sends_secrets", r">>\s*\S{0,80}authorized_keys"),
    )
)


def find_threat(entry: str) -> str | None:
    """The id of the first thing in the entry that must not reach a prompt, or None where it is clean."""
    visible = _HONEST.sub("", entry)
    for name, pattern in _UNSEEN:
        if pattern.search(visible):
            return name
    plain = unicodedata.normalize("NFKC", entry)
    for name, pattern in _PATTERNS:
        if pattern.search(plain):
            return name
    return "hard_coded_secret" if find_secret(plain) else None


def screened(entry: str) -> str:
    """The entry as a prompt may show it: itself, or a placeholder that names the pattern."""
    threat = find_threat(entry)
    return entry if threat is None else f"[entry not shown: it matches the pattern {threat}]"
