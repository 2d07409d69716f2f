"""Beaver: a self-hosted chat agent whose memory never slows, breaks or leaks a chat.

The code map, from the top of the house down; imports go down only (import-linter holds it to that):

cli             one file a noun; imports inside the commands, so that `beaver --help` stays quick
embedded        the parts of a laptop install: Valkey's binary, child processes, restarts, drain
server          the chat server (HTTP) over one loaded engine
gateway         the Memory Gateway server: auth, operations table, transports
agent           one run: snapshot, recall, context, provider and tools, answer, one transaction, enqueue
memory          the memory engine behind the Gateway; the chat side reaches it over HTTP only
outbox          the ledger of turns on their way to the Gateway: states, store, relay, inspection
sessions        the session store: events, runs, leases, transcript search
client          what we call: the Memory Gateway (HTTP) and the queue (arq)
db              engine, transactions, tables and migrations of the session database
schemas         every type that crosses a process
config          .beaver/config.json into frozen settings; the rules; `check`
apart clock collector errors files ids listening logs open_files redaction text tracing    leaves

`worker/`, beside this package, is the process that claims a turn, adds, flushes and records it.
"""
