"""A league manager of league.v2, with the Python standard library only."""

import argparse

import wire
from handlers import SENDER, Manager


def main():
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--host", default="localhost", help="the address at which others reach this manager")
    flags.add_argument("--port", type=int, default=8000)
    flags.add_argument("--league-id", default="league_2025_even_odd")
    flags.add_argument("--players", type=int, default=4, help="start when so many players have registered")
    flags.add_argument("--referees", type=int, default=1, help="start when so many referees have registered")
    args = flags.parse_args()
    manager = Manager(args.league_id, args.players, args.referees)
    server = wire.serve(args.port, args.host, lambda: SENDER, manager.handlers)
    print(f"manager of {args.league_id} at http://{args.host}:{server.server_address[1]}/mcp", flush=True)
    try:
        table = manager.play()
    except KeyboardInterrupt:
        return
    for row in table:
        print(f"{row['rank']}. {row['player_id']} {row['display_name']}: {row['points']} points", flush=True)


if __name__ == "__main__":
    main()
