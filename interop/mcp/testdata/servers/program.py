"""A player that is a program, written with the official library of Python, version 1."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("program")
print("Hello from Python")


@server.tool()
def choose_parity(match_id: str) -> str:
    return "even"


server.run()
