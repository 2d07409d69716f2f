"""A fixture set for the privacy gate: texts with a made-up secret in them, and clean ones that look a little like it.

Secrets are drawn from a seed, so that none stands in a file; two kinds are told in ways that a pattern can hardly see. The
carriers and the clean texts are what people and tools write: speech about secrets, names in code, digests, dates,
versions, sums, in several languages.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_LETTERS: Final = string.ascii_letters + string.digits
_HEX: Final = "0123456789abcdef"


PIECE_LENGTH: Final = 6
"""So many characters of a secret in a row are a leak."""


@dataclass(frozen=True)
class Private:
    """A text, and the part of it that nobody may keep."""

    kind: str
    text: str
    secret: str

    def leaks_into(self, text: str) -> bool:
        """Whether the secret, or a piece of it, stands in a text."""
        last = max(1, len(self.secret) - PIECE_LENGTH + 1)
        return any(self.secret[start : start + PIECE_LENGTH] in text for start in range(last))


CARRIERS: Final[dict[str, tuple[str, ...]]] = {
    "private_key": ("here is my key:\n{}", "{}\nuse it for the deploy", "ssh says no, the file holds {}"),
    "jwt": ("the cookie is {}", "curl -H 'X-Session: {}' /me", "令牌 {} 过期了吗"),
    "api_key": (
        "my key is {}",
        "export LLM_KEY={}",
        '{{"key": "{}"}}',
        "Schlüssel: {}",
        "密钥是{}",
        "see {}, it fails",
    ),
    "url_credentials": ("connect to postgres://{}@db.example/app", "git clone https://{}@git.example/x.git"),
    "bearer": ("Authorization: Bearer {}", "I sent bearer {} to it", "-H 'authorization: bearer {}'"),
    "basic": ("Authorization: Basic {}", "the header says Basic {}"),
    "password": (
        "password: {}",
        "the password is {}",
        "My password is {}, please log in",
        'password = "{}"',
        "DB_PASSWORD={}",
        "密码是{}",
        "the wifi passphrase is {}.",
        "secret: {}",
    ),
    "word_password": ("my password is {}", "The Wi-Fi password is {}.", "password: {}", "passwd={}"),
    "pin": ("my pin is {}", "PIN code: {}"),
    "card": ("pay with {}", "card number {} exp 12/29", "我的卡号是{}", "Kartennummer: {}."),
    "email": ("write to {}", "my address is {}, use it", "我的邮箱是{}", "<{}>", "cc:{}"),
    "phone": ("call me at {}", "my number is {}", "phone: {}", "我的电话是{}", "Handy {}"),
    "webhook": ("post to https://hooks.slack.example/services/T024BE7LH/B024BE7LJ/{}",),
    "cloud_secret": ("aws_secret_access_key = {}", "the secret key is {}", "AccountKey={};"),
    "hidden_email": ("write to {}",),
    "bare_password": ("log in as ada with {}", "das Passwort ist {}"),
    "random": ("the salt is {}", "use {} for signing", "seed={}", "值为{}"),
}


def private_texts(seed: int = 6, each: int = 4) -> Iterator[Private]:
    """Every carrier of every kind, `each` times with another secret."""
    source = random.Random(seed)
    for kind, carriers in CARRIERS.items():
        for carrier in carriers:
            for _ in range(each):
                secret = _secret(kind, source)
                yield Private(kind, carrier.format(secret), secret)


def _secret(kind: str, source: random.Random) -> str:
    return _SECRETS[kind](source)


def _chars(source: random.Random, length: int) -> str:
    return "".join(source.choices(_LETTERS, k=length))


def _name(source: random.Random) -> str:
    return source.choice(("ada", "grace", "linus", "barbara", "edsger", "margaret", "ken", "radia", "mei", "wang"))


def _base64url(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _private_key(source: random.Random) -> str:
    name = source.choice(("RSA ", "OPENSSH ", "EC ", ""))
    body = "\n".join(_chars(source, 64) for _ in range(4))
    return f"-----BEGIN {name}PRIVATE KEY-----\n{body}\n-----END {name}PRIVATE KEY-----"


def _jwt(source: random.Random) -> str:
    claims = {"sub": _chars(source, 8), "iat": source.randrange(10**9)}
    return ".".join((_base64url({"alg": "HS256"}), _base64url(claims), _chars(source, 43)))


_PREFIXES: Final = (
    *(("uk_", 32), ("bvr_", 32), ("sk-", 40), ("ghp_", 36), ("ghu_", 36), ("AIza", 35), ("glpat-", 20), ("hf_", 34)),
    ("whsec_", 32),
)


def _api_key(source: random.Random) -> str:
    prefix, length = source.choice(_PREFIXES)
    upper = "".join(source.choices(string.ascii_uppercase + string.digits, k=16))
    slack = f"xoxb-{source.randrange(10**11, 10**12)}-{_chars(source, 24)}"
    return source.choice((f"{prefix}{_chars(source, length)}", f"AKIA{upper}", slack))


def _password(source: random.Random) -> str:
    return f"{_name(source)}{source.choice('!$%&*#')}{source.randrange(10, 9999)}"


def _email(source: random.Random) -> str:
    joint, end = source.choice((".", "_", "", "+")), source.choice(("com", "org", "de", "co.uk", "com.cn"))
    return f"{_name(source)}{joint}{_name(source)}@{_name(source)}.{end}"


def _card(source: random.Random) -> str:
    digits = [int(digit) for digit in source.choice(("4", "51", "6011"))]
    digits += [source.randrange(10) for _ in range(15 - len(digits))]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[::-2])
    digits.append(-(doubled + sum(digits[-2::-2])) % 10)
    text = "".join(map(str, digits))
    gap = source.choice(("", " ", "-"))
    return gap.join(text[start : start + 4] for start in range(0, 16, 4))


def _phone(source: random.Random) -> str:
    def number(length: int) -> str:
        return str(source.randrange(10 ** (length - 1), 10**length))

    return source.choice(
        (
            f"+1 {number(3)}-{number(3)}-{number(4)}",
            f"({number(3)}) {number(3)}-{number(4)}",
            f"+49 {number(3)} {number(7)}",
            f"+86 138{number(8)}",
            f"139{number(8)}",
            f"+44 20 {number(4)} {number(4)}",
        )
    )


_SECRETS: Final[dict[str, Callable[[random.Random], str]]] = {
    "private_key": _private_key,
    "jwt": _jwt,
    "api_key": _api_key,
    "url_credentials": lambda source: f"{_name(source)}:{_chars(source, 12)}",
    "bearer": lambda source: _chars(source, 32),
    "basic": lambda source: base64.b64encode(f"{_name(source)}:{_chars(source, 10)}".encode()).decode(),
    "password": _password,
    "bare_password": _password,
    "word_password": lambda source: source.choice(
        ("swordfish", "bananabread", "ihatemondays", "pumpernickel", "quackery")
    ),
    "pin": lambda source: str(source.randrange(1000, 9999)),
    "card": _card,
    "email": _email,
    "hidden_email": lambda source: f"{_name(source)} at {_name(source)} dot org",
    "phone": _phone,
    "cloud_secret": lambda source: base64.b64encode(source.randbytes(30)).decode(),
    "webhook": lambda source: _chars(source, 24),
    "random": lambda source: _chars(source, source.choice((24, 32, 40, 64))),
}

CLEAN: Final[tuple[str, ...]] = (
    "I prefer tabs over spaces in Go code.",
    "Always run the linter before you commit.",
    "We decided to use PostgreSQL 16 for the archive.",
    "My dog is called Biscuit and he turns 4 on 2026-03-14.",
    "The password is wrong.",
    "Your password is required.",
    "The password is stored as a hash.",
    "My password is expired, what now?",
    "the password is in the vault",
    "a password is a secret that one knows",
    "The new password is too short.",
    "Password: required",
    "the token is expired and the api key was rotated",
    "api_key: SecretStr",
    "token: the unit of text; max_tokens: 4096",
    "a bearer of good news, and basic understanding of JavaScript",
    "Basic instructions for beginners",
    "sk-learn-contrib and npm_config_registry are names",
    "uk_users_email_key is a constraint",
    "git clone git@github.com:beaver/dam.git",
    "see http://127.0.0.1:8010/memories/search?limit=20",
    "http://host:8080/a@b is odd but no login",
    "the commit is 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "SHA-1 DA39A3EE5E6B4B0D3255BFEF95601890AFD80709 of nothing",
    "session 1b4e28ba-2fa1-11d2-883f-0016d3cca427 went on",
    "Trace 4BF92F35-77B3-4DA6-A3CE-929D0E0E4736",
    "MemoryGatewayClientConnectionPoolSettings is a long name",
    "com.example.application.configuration.DataSourceAutoConfiguration",
    "/usr/local/lib/python3.12/site-packages/Beaver/agent/Policy.py",
    "https://docs.example.org/Reference/API/SomeLongPage/AnotherPage.html",
    "test_WhenTheQueueIsFrozen_TheAnswerStillComes",
    "getElementsByTagNameNSAndClassNameList",
    "AbstractSingletonProxyFactoryBeanGenerator2",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "lower_case_with_a_lot_of_words_and_1_digit",
    "version 192.168.10.254 is no version but an address",
    "the year 2026, the release 3.11.4, the build 20261128.1",
    "it took 1732800000000 ms since the epoch",
    "order 4500-1234-99 comes on Friday",
    "ISBN 978-3-16-148410-0",
    "1,234,567.89 euros and 42 cents",
    "room 555, floor 12, seat 1234",
    "between 2026-11-28 and 2026-12-24 at 10:30:00",
    "10.0.0.1:5432 refuses connections",
    "latency p50 123 ms p99 1234 ms over 15000 turns",
    "the invoice numbers 100200300 and 100200301",
    "4111 2222 is half a number",
    "the id is 1234567890123456",
    "我们决定用 PostgreSQL 存档。",
    "以后请用中文回答我。",
    "密码错了,请重新输入。",
    "密码是什么?",
    "我的狗叫饼干,2026年3月14日四岁。",
    "电话会议在三点。",
    "版本是3.11.4,端口是8000。",
    "Ich mag keine Meetings vor 10 Uhr.",
    "Das Passwort ist falsch.",
    "Le mot de passe est obligatoire.",
    "phone calls before 9 are forbidden",
    "the phone bill was 120 euros in 2025",
    "call me Ishmael",
    "reach me tomorrow between 10 and 12",
    "@dataclass(frozen=True) above the class",
    "npm install @scope/pkg@1.2.3",
    "result = left@right.transpose",
    "ping @ada about the review",
    "mail works again",
    "The PIN is needed twice.",
    "pin 4 of the connector is ground",
    "pin the item m_12",
    "x = a ? b : c; y = d@e",
    "Lopadotemachoselachogaleokranioleipsanodrimhypotrimmatosilphioparaomelito",
    "DonaudampfschifffahrtsgesellschaftsKapitaen",
    "ThisIsACamelCaseHeadlineForANewsletterAboutBeavers",
    "React.createElement(SomeComponentWithAVeryLongName, null)",
    "kubernetes.io/ingress-bandwidth and app.kubernetes.io/managed-by",
    "postgresql://db.example/app has no login in it",
    "2026-11-28T10:30:00.123456+00:00 was when",
    "JIRA-12345 and PROJ-99 are blocked by INFRA-2024-0117",
    "coordinates 52.520008, 13.404954",
    "1 000 000 rows, 2 500 a second",
    "PHP_CodeSniffer_Standards_Squiz_ControlStructures",
    "eyJust a word that begins so",
    "BEGIN PRIVATE matters of the house",
    "secret = the recipe of grandmother",
    "keep it secret: it's a surprise party",
    "the secret is well-kept",
    "tokens are ~4 characters each",
    "0x7ffee4bff618 is an address in memory",
    "MIT AND Apache-2.0",
    "RFC 7231 says 429; RFC 9110 too",
    "the model gpt-oss-120b-instruct-2025-08-05",
    "#ff8800 and rgb(255, 136, 0)",
    "chapter 12, verses 34-56",
    "Windows 10.0.19045 Build 19045.3803",
    "SELECT count(*) FROM events WHERE created_ms > 1732800000000",
    "TheQuickBrownFoxJumpsOverTheLazyDogAgainAndAgain2026",
)
