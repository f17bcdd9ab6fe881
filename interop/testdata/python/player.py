"""A foreign player: even/odd over http.server, in the dialect it is told to have.

usage: player.py KIND MANAGER NAME     KIND: A', B, E, F or callback
"""
import json
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KIND, MANAGER, NAME = sys.argv[1:4]
PLAIN = KIND in ("E", "F")  # no JSON-RPC
METHODS = {
    "handle_game_invitation": "GAME_INVITATION",
    "parity_choose" if KIND == "A'" else "choose_parity": "CHOOSE_PARITY_CALL",
    "notify_match_result": "GAME_OVER",
    "notify_round": "ROUND_ANNOUNCEMENT",
    "update_standings": "LEAGUE_STANDINGS_UPDATE",
}
TYPES = set(METHODS.values())
ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")

me = {"id": "P01", "token": None}
playing = set()
referees = {}


def now():
    return time.strftime("%Y%m%dT%H%M%SZ" if KIND == "F" else "%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def message(kind, call, **more):
    return {"protocol": "league.v2", "message_type": kind, "sender": "player:" + me["id"], "timestamp": now(),
            "conversation_id": call.get("conversation_id"), "match_id": call["match_id"], "player_id": me["id"], **more}


def unpack(body):
    """Returns what a request of this player's own framing asks for, or None."""
    if PLAIN:
        if "jsonrpc" in body or body.get("message_type") not in TYPES:
            return None
        if KIND == "E":
            if not isinstance(body.get("data"), dict):
                return None
            body = {**body, **body["data"]}
        return body["message_type"], body
    method, params = body.get("method"), body.get("params")
    kind = (method if method in TYPES else None) if KIND == "B" else METHODS.get(method)
    if body.get("jsonrpc") != "2.0" or kind is None or not isinstance(params, dict):
        return None
    return kind, params


def play(kind, call):
    """Returns the message that answers a call."""
    if kind == "GAME_INVITATION":
        if playing - {call["match_id"]}:
            raise RuntimeError("busy")
        playing.add(call["match_id"])
        return message("GAME_JOIN_ACK", call, status="ACCEPTED") if KIND == "B" else message("GAME_JOIN_ACK", call, accept=True)
    if kind == "CHOOSE_PARITY_CALL":
        choice = "even" if len(NAME) % 2 else "odd"
        return {"choice": choice} if KIND == "F" else message("CHOOSE_PARITY_RESPONSE", call, parity_choice=choice)
    if kind == "GAME_OVER":
        playing.discard(call["match_id"])
    for match in call.get("matches", []):
        referees[match["match_id"]] = match["referee_endpoint"]
    return {"status": "ok"}


def later(call, answer):
    """Sends an answer to the referee by a call of the player's own."""
    time.sleep(0.01)
    post(referees[call["match_id"]], {"jsonrpc": "2.0", "method": answer["message_type"], "params": answer, "id": 1})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        raw = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        unpacked = unpack(raw) if isinstance(raw, dict) else None
        if unpacked is None:
            refusal = {"detail": [{"loc": ["body"], "msg": "field required", "type": "value_error.missing"}]}
            return self.send(422, refusal) if PLAIN else self.send(200, {"error": "Unknown method"})
        try:
            answer = play(*unpacked)
        except (KeyError, RuntimeError) as why:
            return self.send(409, {"error": str(why)})
        if KIND == "callback" and "message_type" in answer:
            threading.Thread(target=later, args=(unpacked[1], answer)).start()
            answer = {"status": "joined"}
        if KIND == "E":
            answer = {"status": "success", "data": answer}
        self.send(200, answer if PLAIN else {"jsonrpc": "2.0", "result": answer, "error": None, "id": raw.get("id")})

    def send(self, status, body):
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args):
        pass


def register(port):
    endpoint = f"http://localhost:{port}" + ("" if KIND == "E" else "/mcp")
    meta = {"display_name": NAME, "version": "1.0.0", "game_types": ["even_odd"], "contact_endpoint": endpoint}
    request = {"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player:" + NAME, "timestamp": now(),
               "conversation_id": "a2a7e4c0"}
    if KIND == "E":
        answer = post(MANAGER.removesuffix("/mcp") + "/register", {**request, "data": {"player_meta": meta}})
        answer = {**answer, **answer.get("data", {})}
    elif KIND == "F":
        answer = post(MANAGER, {**request, "player_meta": meta})
    elif KIND == "B":
        answer = post(MANAGER, {"jsonrpc": "2.0", "method": "LEAGUE_REGISTER_REQUEST", "params": {**request, "player_meta": meta},
                                "id": "603fdf92"})["result"]
    else:
        answer = post(MANAGER, {"jsonrpc": "2.0", "method": "register_player", "params": {"player_meta": meta}, "id": 1})["result"]
    me["id"], me["token"] = answer["player_id"], answer["auth_token"]
    print("registered", me["id"], flush=True)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
serving = threading.Thread(target=server.serve_forever, daemon=True)
serving.start()
register(server.server_port)
serving.join()
