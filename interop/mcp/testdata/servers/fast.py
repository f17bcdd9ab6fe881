"""Players that are MCP servers, written with fastmcp of any version."""

import asyncio

import fastmcp
from fastmcp import FastMCP
from pydantic import BaseModel

from serving import serve


class Invitation(BaseModel):
    match_id: str
    opponent: str


def sessions():
    """Takes a model, and a name in the way of the web."""
    server = FastMCP("sessions")

    @server.tool(name="accept-invitation")
    def accept(invitation: Invitation) -> dict:
        return {"accept": bool(invitation.match_id)}

    @server.tool(name="pick-parity")
    def pick(matchId: str) -> dict:
        return {"parity_choice": "odd" if matchId else "none"}

    return server


def alone():
    """Has one tool, known by what is said of it."""
    server = FastMCP("alone")

    @server.tool(description="Says even or odd for the match that is being played.")
    def oracle(match_id: str) -> dict:
        return {"choice": "even"}

    return server


def plain():
    """Answers with a word."""
    server = FastMCP("plain")

    @server.tool
    def choose_parity(match_id: str) -> str:
        return "odd"

    return server


name = "fastmcp " + fastmcp.__version__.split(".")[0]
asyncio.run(serve({
    name + " sessions": (sessions().http_app(path="/mcp"), "/mcp"),
    name + " stateless": (alone().http_app(path="/mcp", stateless_http=True), "/mcp"),
    name + " stateless JSON": (sessions().http_app(path="/mcp", stateless_http=True, json_response=True), "/mcp"),
    name + " plain": (plain().http_app(path="/mcp"), "/mcp"),
}))
