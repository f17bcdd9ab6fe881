"""A third-party player: python3 agent.py NAME PORT MANAGER sync|callback|slow"""
import json, sys, threading, time, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

name, port, manager, style = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
REPLIES = {"handle_game_invitation": ("GAME_JOIN_ACK", {"accept": True}),
           "choose_parity": ("CHOOSE_PARITY_RESPONSE", {"parity_choice": "even"})}

def post(url, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=15))

class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        params = call.get("params") or {}
        result = {"status": "ok"}
        if call.get("method") in REPLIES:
            kind, members = REPLIES[call["method"]]
            answer = {"protocol": "league.v2", "message_type": kind, "sender": "player:" + name, "match_id": params.get("match_id"),
                      "conversation_id": params.get("conversation_id"), "player_id": params.get("player_id"), **members}
            if style == "slow" and call["method"] == "choose_parity":
                print("asked in", params.get("match_id"), flush=True)
                time.sleep(3)
            if style != "callback":
                result = answer
            else:
                threading.Thread(target=post, args=(manager, kind, answer)).start()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"jsonrpc": "2.0", "id": call.get("id"), "result": result}).encode())

    def log_message(self, *words):
        pass

server = ThreadingHTTPServer(("127.0.0.1", port), Agent)
threading.Thread(target=server.serve_forever, daemon=True).start()
while True:
    try:
        answer = post(manager, "register_player", {
            "protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player:" + name,
            "player_meta": {"display_name": name, "version": "1.0", "game_types": ["even_odd"],
                            "contact_endpoint": "http://localhost:%d/mcp" % port}})
        print(answer, flush=True)
        if answer.get("result", {}).get("status") == "ACCEPTED":
            break
    except OSError as e:
        print(e, flush=True)
    time.sleep(1)
threading.Event().wait()
