"""A referee of league.v2, with the Python standard library only."""

import argparse

import wire
from handlers import Referee


def main():
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--host", default="localhost", help="the address at which others reach this referee")
    flags.add_argument("--port", type=int, default=8001)
    flags.add_argument("--manager", default="http://localhost:8000/mcp")
    flags.add_argument("--name", default="__NAME__")
    flags.add_argument("--league-id", default="", help="accepted for the documents' command line; the manager names its league")
    flags.add_argument("--referee-id", default="", help="the id to ask for, such as REF01")
    args = flags.parse_args()
    referee = Referee(args.name, args.manager, "")
    referee.id = args.referee_id
    server = wire.serve(args.port, args.host, referee.sender, referee.handlers)
    referee.endpoint = f"http://{args.host}:{server.server_address[1]}/mcp"
    referee.register_to_league()
    try:
        referee.over.wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
