"""Players that are MCP servers, written with the official library of Python, version 1."""

import asyncio

from mcp.server.fastmcp import Context, FastMCP
from mcp.shared.exceptions import McpError
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from serving import serve


class ParityCall(BaseModel):
    matchId: str
    deadline: str = ""


def as_specified(**options):
    """Has a tool for each message of the specification."""
    server = FastMCP("specified", **options)

    @server.tool()
    def handle_game_invitation(match_id: str, opponent_id: str) -> dict:
        return {"accept": True}

    @server.tool()
    def choose_parity(match_id: str) -> dict:
        return {"parity_choice": "even"}

    @server.tool()
    def notify_match_result(match_id: str) -> dict:
        return {"status": "ok"}

    return server


def camel(**options):
    """Spells tools and arguments in the way of JavaScript."""
    server = FastMCP("camel", **options)

    @server.tool()
    def joinMatch(matchId: str, opponentId: str) -> dict:
        return {"accept": bool(matchId)}

    @server.tool()
    def chooseParity(matchId: str, roundNumber: int) -> dict:
        if not matchId or roundNumber < 1:
            raise ValueError("which match?")
        return {"choice": "odd"}

    return server


def model(**options):
    """Takes one object, and cannot be invited."""
    server = FastMCP("model", **options)

    @server.tool()
    def choose_parity(call: ParityCall) -> dict:
        if not call.matchId:
            raise ValueError("which match?")
        return {"parity_choice": "even"}

    return server


def by_deed(**options):
    """Names its tools by what they do, and has one that misleads."""
    server = FastMCP("deed", **options)
    chosen = []

    @server.tool()
    def get_choice_history() -> dict:
        """What was chosen so far, even or odd."""
        return {"parity_choice": chosen[-1] if chosen else "none"}

    @server.tool()
    def join_match(match_id: str) -> dict:
        return {"accept": True}

    @server.tool()
    def play(match_id: str) -> dict:
        chosen.append("odd")
        return {"choice": "odd"}

    return server


def whole_message(**options):
    """Takes every message with one tool."""
    server = FastMCP("message", **options)

    @server.tool()
    def handle_message(message: dict) -> dict:
        if message["message_type"] == "GAME_INVITATION":
            return {"message_type": "GAME_JOIN_ACK", "accept": True}
        if message["message_type"] == "CHOOSE_PARITY_CALL":
            return {"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "even"}
        return {"status": "ok"}

    return server


def demanding(**options):
    """Has arguments that no message has, with defaults."""
    server = FastMCP("demanding", **options)

    @server.tool()
    def join_game(game_id: str, mood: str = "calm", confident: bool = True) -> dict:
        return {"accept": True}

    @server.tool()
    def make_move(game_id: str, options: list[str], timeout_seconds: float, level: int = 1) -> dict:
        return {"choice": options[0]}

    return server


def nameless(**options):
    """Has tools whose names say nothing."""
    server = FastMCP("nameless", **options)

    @server.tool()
    def alpha(match_id: str) -> dict:
        return {"parity_choice": "odd"}

    @server.tool()
    def beta(match_id: str) -> dict:
        return {"weather": "rain"}

    return server


def plain(**options):
    """Answers in plain text, which the library wraps."""
    server = FastMCP("plain", **options)

    @server.tool()
    def join_match(match_id: str) -> bool:
        return True

    @server.tool()
    def choose_parity(match_id: str) -> str:
        return "I choose even."

    return server


def sampling(**options):
    """Asks its client's model first, and chooses without it if there is none."""
    server = FastMCP("sampling", **options)

    @server.tool()
    async def choose_parity(match_id: str, ctx: Context) -> str:
        question = SamplingMessage(role="user", content=TextContent(type="text", text="even or odd?"))
        try:
            await ctx.session.create_message([question], max_tokens=10)
        except McpError:
            return "even"
        return "there is a model"

    return server


class Locked:
    """Lets nobody in without the token."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        shown = dict(scope.get("headers", [])).get(b"authorization", b"")
        if scope["type"] == "http" and shown != b"Bearer a-token-of-the-test":
            await PlainTextResponse("unauthorized", 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
            return
        await self.app(scope, receive, send)


def mounted(server):
    """Is below /mcp, so that /mcp itself is sent to /mcp/."""
    inner = server.streamable_http_app()
    return Starlette(routes=[Mount("/mcp", app=inner)], lifespan=lambda _: server.session_manager.run())


def streams(server):
    return server.streamable_http_app()


asyncio.run(serve({
    "python sessions": (streams(as_specified()), "/mcp"),
    "python stateless": (streams(camel(stateless_http=True)), "/mcp"),
    "python stateless JSON": (streams(model(stateless_http=True, json_response=True)), "/mcp"),
    "python JSON": (streams(by_deed(json_response=True)), "/mcp"),
    "python SSE": (demanding().sse_app(), "/sse"),
    "python redirect": (mounted(whole_message(streamable_http_path="/")), "/mcp"),
    "python top": (streams(by_deed(streamable_http_path="/")), "/mcp"),
    "python locked": (Locked(streams(camel())), "/mcp"),
    "python nameless": (streams(nameless()), "/mcp"),
    "python sampling": (streams(sampling()), "/mcp"),
    "python plain": (streams(plain()), "/mcp"),
}))
