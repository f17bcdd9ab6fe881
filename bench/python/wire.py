"""One agent on the wire: JSON-RPC by POST, FastAPI and uvicorn for what comes in, requests for what goes out."""

import json
import socket
import threading
import time
from datetime import datetime, timezone

import requests
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

TRIES = 3
PAUSE = 2.0  # seconds before a call is tried again


class Request(BaseModel):
    jsonrpc: str = "2.0"
    method: str
    params: dict = {}
    id: int = 1


class Response(BaseModel):
    jsonrpc: str = "2.0"
    result: dict = {}
    id: int = 1


def envelope(message_type: str, sender: str, **members) -> dict:
    """A message with what each of them begins with."""
    return {
        "protocol": "league.v2",
        "message_type": message_type,
        "sender": sender,
        "timestamp": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "conversation_id": f"conv-{members.get('match_id', 'league')}",
        **members,
    }


def call(endpoint: str, method: str, params: dict) -> dict:
    """Calls an agent and returns its result. A call that fails is tried again twice."""
    body = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
    for n in range(TRIES):
        try:
            answer = requests.post(endpoint, json=body, timeout=30)
            answer.raise_for_status()
            return answer.json()["result"]
        except requests.RequestException:
            if n == TRIES - 1:
                raise
            time.sleep(PAUSE)
    raise AssertionError("unreachable")


def serve(app: FastAPI, once=lambda endpoint: None) -> None:
    """Serves at a free port of this machine. once is called with the base address as soon as calls can come, and then
    the address is printed as a line of JSON."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def tell() -> None:
        once(base)
        print(json.dumps({"endpoint": base + "/mcp"}), flush=True)

    threading.Thread(target=tell, daemon=True).start()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
