"""JSON-RPC 2.0 over HTTP for the messages of league.v2: a server for the calls of others, and calls to them."""

import json
import threading
import urllib.error
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 1 << 20


class LeagueError(Exception):
    """An error of the protocol: its code in the documents, its name, and its number in JSON-RPC."""

    def __init__(self, code, name, number, detail):
        super().__init__(detail)
        self.code, self.name, self.number, self.detail = code, name, number, detail


class CallError(Exception):
    """A call without a usable answer: E001 if none came in time, E009 if the agent cannot be reached, else its error."""

    def __init__(self, code, name, detail):
        super().__init__(detail)
        self.code, self.name, self.detail = code, name, detail


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def message(message_type, sender, conversation, token="", **members):
    """A message with the members that every message has."""
    out = {"protocol": "league.v2", "message_type": message_type, "sender": sender, "timestamp": now(),
           "conversation_id": conversation}
    if token:
        out["auth_token"] = token
    return {**out, **members}


def need(params, *paths):
    """Raise E003 unless params has all members, given as dotted paths."""
    for path in paths:
        value = params
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if value is None:
            raise LeagueError("E003", "MISSING_REQUIRED_FIELD", -32602, f"{path} is missing")


def call(endpoint, method, params, timeout):
    """Call a method of an agent and return the result."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(endpoint, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            reply = json.loads(answer.read(MAX_BODY))
    except TimeoutError:
        raise CallError("E001", "TIMEOUT_ERROR", f"no answer to {method} within {timeout} seconds") from None
    except (OSError, urllib.error.URLError) as error:
        late = isinstance(getattr(error, "reason", None), TimeoutError)
        code, name = ("E001", "TIMEOUT_ERROR") if late else ("E009", "CONNECTION_ERROR")
        raise CallError(code, name, f"{endpoint} did not answer {method}: {error}") from None
    except ValueError:
        raise CallError("E002", "INVALID_MESSAGE", f"the answer to {method} is not JSON") from None
    if not isinstance(reply, dict) or not isinstance(reply.get("result"), dict):
        error = reply.get("error") if isinstance(reply, dict) else None
        detail = error.get("message") if isinstance(error, dict) else "the answer has no result"
        raise CallError("E002", "INVALID_MESSAGE", f"{method}: {detail}")
    return reply["result"]


def serve(port, host, agent, handlers):
    """Serve an agent in the background. Handlers has a function of the params for each method; agent() is its sender."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.reply({"status": "healthy", "agent": agent()} if self.path == "/health" else None)

        def do_POST(self):
            length = int(self.headers.get("Content-Length") or 0)
            if self.path != "/mcp" or length > MAX_BODY:
                return self.reply(None)
            try:
                request = json.loads(self.rfile.read(length))
            except ValueError:
                return self.reply({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
            self.reply(answer(request))

        def reply(self, document):
            text = json.dumps(document).encode() if document is not None else b""
            self.send_response(200 if document is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    def answer(request):
        if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
            return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid Request"}}
        out, method, params = {"jsonrpc": "2.0", "id": request.get("id")}, request["method"], request.get("params", {})
        if not isinstance(params, dict):
            return {**out, "error": {"code": -32602, "message": "params: want an object"}}
        if method == "ping":
            return {**out, "result": message("PONG", agent(), params.get("conversation_id", "conv-ping"), status="ok")}
        if method not in handlers:
            return {**out, "error": {"code": -32601, "message": f"Method not found: {method}"}}
        try:
            return {**out, "result": handlers[method](params)}
        except LeagueError as error:
            data = message("LEAGUE_ERROR" if agent() == "league_manager" else "GAME_ERROR", agent(),
                           params.get("conversation_id", "conv-error"), error_code=error.code, error_name=error.name,
                           error_description=error.name, retryable=False,
                           context={"action": params.get("message_type", method), "detail": error.detail})
            return {**out, "error": {"code": error.number, "message": error.name, "data": data}}

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    server = Server((host, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
