"""A player that is a program, written with fastmcp of any version."""

from fastmcp import FastMCP

server = FastMCP("program")


@server.tool
def choose_parity(match_id: str) -> str:
    return "odd"


server.run()
