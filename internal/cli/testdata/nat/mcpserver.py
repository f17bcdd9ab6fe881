"""An MCP server with one tool: over standard input and output, or at a port of this machine."""
import http.server
import json
import sys

TOOL = {"name": "choose_parity", "description": "Choose even or odd",
        "inputSchema": {"type": "object", "properties": {"match_id": {"type": "string"}}, "required": ["match_id"]}}


def answer(question):
    results = {
        "initialize": lambda p: {"protocolVersion": p["protocolVersion"], "capabilities": {"tools": {}},
                                 "serverInfo": {"name": "parity", "version": "1"}},
        "tools/list": lambda p: {"tools": [TOOL]},
        "tools/call": lambda p: {"content": [{"type": "text", "text": "even"}]},
    }
    if "id" not in question:
        return None
    if question["method"] not in results:
        return {"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "Method not found"}}
    return {"jsonrpc": "2.0", "id": question["id"], "result": results[question["method"]](question.get("params"))}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        text = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        body = json.dumps(text).encode() if text else b""
        self.send_response(200 if text else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if len(sys.argv) > 1:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("listening", flush=True)
    server.serve_forever()
for line in sys.stdin:
    text = answer(json.loads(line))
    if text:
        print(json.dumps(text), flush=True)
