"""Runs ASGI applications, each on a free port of this machine or on its port in the variable PORTS, and prints the addresses."""

import asyncio
import json
import os
import socket
import sys

import uvicorn


async def serve(kinds):
    """Serves kinds, {name: (application, path)}, until standard input ends."""
    servers, ports = [], json.loads(os.environ.get("PORTS", "{}"))
    for name, (app, path) in kinds.items():
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", ports.get(name, 0)))
        sock.listen(128)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1))
        servers.append((name, server, asyncio.create_task(server.serve(sockets=[sock])), sock.getsockname()[1], path))
    for name, server, task, port, path in servers:
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        print(json.dumps({"kind": name, "url": f"http://127.0.0.1:{port}{path}"}), flush=True)
    print(json.dumps({"kind": ""}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for _, server, _, _, _ in servers:
        server.should_exit = True
    await asyncio.gather(*(task for _, _, task, _, _ in servers), return_exceptions=True)
