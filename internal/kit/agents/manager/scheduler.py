"""The schedule: every pair of players meets once."""


def create_schedule(players, game_type):
    """Return the rounds, each a list of matches. Four players give table 9 of the assignment."""
    players = sorted(players)
    ring = players[1:] + ([None] if len(players) % 2 else [])
    rounds = []
    for number in range(1, len(ring) + 1):
        pairs = [(players[0], ring[0])] + [(ring[i], ring[-i]) for i in range(1, (len(ring) + 1) // 2)]
        pairs = [tuple(sorted(pair)) for pair in pairs if None not in pair]
        rounds.append([{"match_id": f"R{number}M{n}", "round_id": number, "game_type": game_type, "player_A_id": a, "player_B_id": b}
                       for n, (a, b) in enumerate(pairs, 1)])
        ring = ring[1:] + ring[:1]
    return rounds
