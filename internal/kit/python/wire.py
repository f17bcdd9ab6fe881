"""league.v2 on the wire: strict JSON-RPC 2.0 over HTTP, envelopes, refusals and registration. Nothing to change here."""
import http.client, itertools, json, re, secrets, sys, threading, time, traceback, urllib.error, urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit
import matches, places, trust
from trust import Refused, me

NEWS = {"notify_round": "ROUND_ANNOUNCEMENT", "update_standings": "LEAGUE_STANDINGS_UPDATE",  # from the manager only
        "notify_round_completed": "ROUND_COMPLETED", "notify_league_completed": "LEAGUE_COMPLETED"}
over = threading.Event()
methods = {"welcome": ("WELCOME_ACK", "conversation_id", places.welcome), "identify": ("IDENTITY", "challenge", trust.identify)}
ERRORS = {"E000": ("INTERNAL_ERROR", -32603), "E002": ("INVALID_MESSAGE", -32602), "E003": ("MISSING_REQUIRED_FIELD", -32602),
          "E006": ("MATCH_NOT_FOUND", 4003), "E007": ("OUT_OF_TURN", 4005), "E012": ("AUTH_TOKEN_INVALID", 4001),
          "E018": ("PROTOCOL_VERSION_MISMATCH", -32602), "E021": ("INVALID_TIMESTAMP", -32602)}

names = {}  # of the players, by their ids

def standings(p):
    rows = p["standings"] if isinstance(p["standings"], list) else []
    names.update((s.get("player_id"), s["display_name"]) for s in rows if isinstance(s, dict) and isinstance(s.get("display_name"), str))

def named(id):  # names are known after the first round
    return "%s (%s)" % ("".join(c for c in names[id] if c.isprintable()), id) if id in names else id

def page(match):  # where people see a match of this manager, without what else its address has: it may be a key
    at = urlsplit(me["manager"])
    path = re.sub("(/leagues/[^/]+)?/mcp$", "", at.path)
    return "\n  See %s://%s%s/leagues/%s/matches/%s" % (at.scheme, at.netloc, path, me["league"], match) if me["match_tokens"] else ""

def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

def envelope(kind, p):  # an answer repeats the conversation, the ids and the token of what it answers
    head = {"protocol": "league.v2", "message_type": kind, "sender": "player:" + me["id"], "timestamp": now(),
            "conversation_id": p.get("conversation_id") or "conv-" + secrets.token_hex(12)}
    return {**head, **{k: p[k] for k in ("auth_token", "league_id", "round_id", "match_id") if p.get(k)}}

def is_utc(text):
    try:
        datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
        return re.fullmatch(r"(\.\d+)?(Z|[+-]00:00)", text[19:])
    except (TypeError, ValueError):
        return False

def check(p, needs):
    if p.get("protocol") not in (None, "league.v2"):
        raise Refused("E018", "protocol: want league.v2")
    if p.get("timestamp") is not None and not is_utc(p["timestamp"]):
        raise Refused("E021", "timestamp: want UTC such as 2025-01-15T10:30:00Z")
    if not re.match(r"(player|referee):.|(league_manager|admin)(:|$)", str(p.get("sender") or "admin")):
        raise Refused("E002", "sender: want role:id such as referee:REF01")
    for field in needs.split():
        if p.get(field) in (None, ""):
            raise Refused("E003", "the field %s is missing" % field)
    for field in ("conversation_id", "auth_token", "match_id"):
        if not isinstance(p.get(field) or "", str):
            raise Refused("E002", field + ": want text")

def refusal(p, method, code, detail):
    name, number = ERRORS[code]
    if code == "E012" and method in NEWS:
        number = 3001
    words = {"error_code": code, "error_name": name, "error_description": name}
    head = envelope("GAME_ERROR", {k: p[k] for k in p if isinstance(p[k], str) and k != "auth_token"})
    data = {**head, **words, "original_message_type": p.get("message_type") or method, "retryable": False,
            "context": {"action": method, "detail": detail}}
    return {"error": {"code": number, "message": name, "data": data, **words}}

def answer(method, p):
    reply, needs, handler = methods[method]
    try:
        check(p, needs)
        places.recognize(p, NEWS.get(method) or "GAME_OVER")
        if method in NEWS and me["match_tokens"] and not trust.shows_manager(p, NEWS[method]):
            raise Refused("E012", "this is not the token of the player's manager")
        said = handler(p) or {"status": "ACKNOWLEDGED"}
        if method == "notify_league_completed" and me["match_tokens"]:
            places.ended()
        return {"result": {**envelope(reply, p), "player_id": me["id"], **said}}
    except Refused as e:
        return refusal(p, method, *e.args)
    except (AttributeError, KeyError, TypeError) as e:
        return refusal(p, method, "E002", "a field is missing or of the wrong kind: %r" % e)
    except Exception:
        traceback.print_exc()
        return refusal(p, method, "E000", "the player failed")

class Number(float):
    """A number that remembers how it was written: 1.50"""
    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

class Repeating(dict):
    """An object in which a name occurs twice."""

def members(pairs):
    found = dict(pairs)
    return found if len(found) == len(pairs) else Repeating(found)

def repeats(request):  # at any depth
    inside = [request]
    for v in inside:
        inside += v.values() if isinstance(v, dict) else v if isinstance(v, list) else ()
    return any(isinstance(v, Repeating) for v in inside)

def dump(value):
    return json.dumps(value, ensure_ascii=False)

def framed(id, said):
    return '{"jsonrpc": "2.0", "id": %s, %s' % (id.text if isinstance(id, Number) else dump(id), dump(said)[1:])

def failed(id, code, message):
    return framed(id, {"error": {"code": code, "message": message}})

def respond(request):  # one request in, its answer out; None for a notification
    if not isinstance(request, dict) or isinstance(request.get("id"), (dict, list, bool)) or repeats(request):
        return failed(None, -32600, "Invalid Request")
    id, method, p = request.get("id"), request.get("method"), request.get("params", {})
    if request.get("jsonrpc") != "2.0" or not isinstance(method, str) or not isinstance(p, (dict, list)):
        return failed(id, -32600, "Invalid Request")
    if method not in methods:
        said = {"error": {"code": -32601, "message": "Method not found"}}
    else:
        said = answer(method, p) if isinstance(p, dict) else refusal({}, method, "E002", "params: want an object")
    return framed(id, said) if "id" in request else None

def respond_all(body):
    try:  # int("NaN") fails, as it should
        request = json.loads(body.decode(), parse_constant=int, parse_float=Number, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return failed(None, -32700, "Parse error")
    if not isinstance(request, list) or not 1 <= len(request) <= 64:
        return respond(request)
    answers = [said for said in map(respond, request) if said]
    return "[%s]" % ", ".join(answers) if answers else None

def end_if_over():
    if me["agent_state"] == "SHUTDOWN" or me["next"]:
        over.set()

class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def do_POST(self):
        matches.caller.address = self.client_address[0]
        path, size = self.path.split("?")[0], self.headers.get("Content-Length", "0")
        allowed = {"/mcp": "POST", "/health": "GET"}.get(path)
        body = self.rfile.read(min(int(size), 1 << 23)) if size.isdigit() else b""
        if self.command != allowed:
            self.reply(405 if allowed else 404, Connection="close")
        elif path == "/health":
            self.reply(200, dump({"status": "healthy", "agent": "player:" + me["id"]}))
        elif len(body) > 1 << 20:
            self.reply(413, Connection="close")
        else:
            said = respond_all(body)
            self.reply(200 if said else 202, said)
        end_if_over()
    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST

    def reply(self, status, said=None, **headers):
        body = (said or "").encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass

def send(url, body=None, timeout=15):  # a GET without a body
    shown = {"Authorization": "Bearer " + me["secret"]} if me["secret"] else {}
    call = urllib.request.Request(url, body, {"Content-Type": "application/json", **shown})
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(call, timeout=timeout)

def open_mailbox(manager):  # the manager keeps messages to the player, which fetches them
    try:
        made = json.loads(send(re.sub("/mcp$", "", manager) + "/mailboxes", b"").read())
        me.update(endpoint=made["contact_endpoint"], secret=made["secret"])
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        return False  # it has no mailboxes
    threading.Thread(target=fetch, args=(made["next"], made["answer"]), daemon=True).start()
    print("The manager cannot call this player, which fetches its messages instead (mailbox).", flush=True)
    return True

def fetch(next, answer):  # each message is answered in a thread of its own, since some take long
    while True:
        try:
            with send(next, timeout=40) as letter:
                if letter.status == 200:
                    threading.Thread(target=give, args=(answer + letter.headers["Answer-To"], letter.read()), daemon=True).start()
        except (OSError, ValueError, http.client.HTTPException):
            time.sleep(1)

def give(url, body):
    matches.caller.address = ""
    said = (respond_all(body) or "").encode("utf-8", "backslashreplace")
    for wait in (1, 2, 4, 0):
        try:
            send(url, said).read()
            break
        except urllib.error.HTTPError:
            break  # it is too late
        except (OSError, http.client.HTTPException):
            time.sleep(wait)
    end_if_over()

def ask(manager, meta, attempt):  # the manager's answer to one registration, or None: there is no manager yet, or it is busy
    head = envelope("LEAGUE_REGISTER_REQUEST", {"conversation_id": "conv-player-%s-reg-%s" % (trust.slug(me["name"]), secrets.token_hex(12))})
    params = {**head, **places.begin(manager, head["conversation_id"], attempt), "player_meta": meta}
    params["sender"] = "player:" + me["id"]
    body = json.dumps({"jsonrpc": "2.0", "method": "register_player", "params": params, "id": 1}).encode()
    try:
        reply = send(manager, body).read()
    except (OSError, ValueError, http.client.HTTPException):
        reply = b""
    return places.answered(reply)

def register(manager):  # every two seconds until there is a place
    meta = {"display_name": me["name"], "version": "1.0.0", "protocol_version": "2.1.0", "game_types": ["__GAMES__"],
            "contact_endpoint": me["endpoint"], "match_tokens": True, "public_key": trust.public_key(),
            "agreement_key": places.agreement_key(), "nonce": secrets.token_hex(8)}
    told = None  # what was printed last: a code, or "" while there is no manager
    for attempt in itertools.count():
        r = ask(manager, meta, attempt)
        if r and r.get("status") == "ACCEPTED":
            break
        uncalled = r and r.get("error_code") in ("E009", "E024") or not r and me["uncalled"]
        if uncalled and not me["secret"] and open_mailbox(manager):
            meta["contact_endpoint"] = me["endpoint"]
            continue
        if r and not r.get("readmit_code"):
            sys.exit("The manager refused: %s" % r.get("reason"))
        if r and told != r["readmit_code"]:
            told = r["readmit_code"]
            print("The manager refused: %s\nThe player asks again every two seconds until it is let in." % r.get("reason"), flush=True)
        elif told is None:
            told = ""
            print("Waiting for the manager at %s" % manager, flush=True)
        time.sleep(2)
    for key, was in (("state", "UNREGISTERED"), ("agent_state", "INIT")):
        if me[key] == was:  # what the manager has said since stands
            me[key] = "REGISTERED"
    print("%s is %s in %s" % (me["name"], me["id"], me["league"]), flush=True)
    if trust.goes_on(r.get("next_league_id")):  # it was not there when everybody was told
        over.set()
    elif r.get("league_over") is True and me["match_tokens"]:
        print("The league is over; there is nothing left to play.", flush=True)
        places.ended()
        over.wait(3)  # for what the manager still has to say
        if not me["next"]:
            me["agent_state"] = "SHUTDOWN"

def play(name, port, manager, table, host="127.0.0.1"):  # until the last season is over
    methods.update(table)
    me["manager"] = manager
    trust.open_identity(name)
    matches.open_book()
    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as e:
        sys.exit("Port %d of %s is not free (%s): stop the program that uses it, or choose another with --port" % (port, host, e))
    me["endpoint"] = "http://%s:%d/mcp" % (host, server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("%s listens at %s" % (name, me["endpoint"]), flush=True)
    try:
        register(manager)
        while me["agent_state"] != "SHUTDOWN":
            over.wait()
            over.clear()
            if me["next"]:
                places.go_on()
                matches.go_on()
                register(manager)
        time.sleep(0.5)  # lets the last answers go out
    except KeyboardInterrupt:
        pass
