"""Players that are MCP servers, written with the official library of Python, version 2."""

import asyncio

from mcp.server import MCPServer

from serving import serve


def specified():
    """Has a tool for each message of the specification."""
    server = MCPServer("specified")

    @server.tool()
    def handle_game_invitation(match_id: str, opponent_id: str) -> dict:
        return {"accept": bool(match_id)}

    @server.tool()
    def choose_parity(match_id: str) -> dict:
        return {"parity_choice": "even"}

    return server


def plain():
    """Answers in plain text, in Hebrew."""
    server = MCPServer("plain")

    @server.tool()
    def join_match(match_id: str) -> str:
        return "אני מצטרף"

    @server.tool()
    def make_move(match_id: str) -> str:
        return "אני בוחר אי-זוגי"

    return server


asyncio.run(serve({
    "python 2 sessions": (specified().streamable_http_app(), "/mcp"),
    "python 2 stateless JSON": (specified().streamable_http_app(stateless_http=True, json_response=True), "/mcp"),
    "python 2 plain": (plain().streamable_http_app(), "/mcp"),
}))
