"""Reads a root that the program has written with league_sdk, and writes what an agent may write."""

import dataclasses
import json
import sys
import tempfile
from pathlib import Path

from league_sdk import (
    ConfigLoader, JsonLogger, MatchRepository, PlayerHistoryRepository, RoundsRepository, StandingsRepository,
)

root = Path(sys.argv[1])
loader = ConfigLoader(root / "config")
system = loader.load_system()
league = loader.load_league(system.default_league_id)
assert loader.load_system() is system, "the settings are read once"
assert system.timeouts.move_timeout_sec == 30 and system.security.token_length == 32
assert league.scoring.win_points == 3 and league.game_type == "even_odd" and not league.strict
assert loader.get_referee_by_id("REF01").display_name and loader.get_player_by_id("P01").active
assert loader.get_game("even_odd").move_types == ["choose_parity"]
assert loader.load_player_defaults().max_history_size == 1000 and loader.load_referee_defaults().active
for lookup in (loader.get_player_by_id, loader.get_referee_by_id, loader.get_game):
    try:
        lookup("P99")
    except ValueError as error:
        assert "P99" in str(error)
    else:
        raise AssertionError(f"{lookup} found P99")

# All settings are those of the files: nothing is lost between JSON and the models.
for name, model in {"system.json": system, "agents/agents_config.json": loader.load_agents()}.items():
    text = json.loads((root / "config" / name).read_text())
    for key, value in dataclasses.asdict(model).items():
        if isinstance(value, dict):
            assert {k: text[key][k] for k in value} == value, (name, key)

data = root / "data"
table = StandingsRepository(league.league_id, data).load()
rounds = RoundsRepository(league.league_id, data)
assert sum(row["played"] for row in table["standings"]) == 12 and table["rounds_completed"] == 3
first = rounds.get_round(1)["matches"][0]["match_id"]
match = MatchRepository(league.league_id, first, data).load()
assert match["result"] and match["lifecycle"] and match["transcript"]
history = PlayerHistoryRepository("P01", data).load()
assert history["stats"]["total_matches"] == 3 == len(history["matches"])

own = Path(tempfile.mkdtemp(dir=root))
standings = StandingsRepository("cup", own)
for player, result, points in (("P01", "LOSS", 0), ("P02", "WIN", 3), ("P01", "DRAW", 1)):
    standings.update_player(player, result, points)
assert [(r["rank"], r["player_id"], r["points"]) for r in standings.load()["standings"]] == [(1, "P02", 3), (2, "P01", 1)]
mine = PlayerHistoryRepository("P02", own)
mine.add_match({"match_id": "R1M1", "result": "WIN"})
assert mine.load()["stats"] == {"total_matches": 1, "wins": 1, "losses": 0, "draws": 0}

logger = JsonLogger("referee:REF01", "cup", own / "logs")
logger.error("GAME_ERROR", match_id="R1M1", error_code="TIMEOUT_MOVE", player_id="P02", timeout_sec=30)
logger.log_message_sent("GAME_OVER", "player:P01")
lines = [json.loads(line) for line in (own / "logs/league/cup/referee_REF01.log.jsonl").read_text().splitlines()]
assert lines[0]["component"] == "referee:REF01" and lines[0]["level"] == "ERROR" and lines[0]["timeout_sec"] == 30
assert lines[1]["event_type"] == "MESSAGE_SENT" and lines[1]["recipient"] == "player:P01"

for write, level in ((logger.debug, "DEBUG"), (logger.info, "INFO"), (logger.warning, "WARNING"), (logger.log, "INFO")):
    write("CHANGED", round_id=1)
    last = json.loads(logger.log_file.read_text().splitlines()[-1])
    assert (last["level"], last["event_type"], last["round_id"]) == (level, "CHANGED", 1) and last["timestamp"].endswith("Z")
JsonLogger("orchestrator", log_root=own / "logs").info("RUN_STARTED")
assert (own / "logs/system/orchestrator.log.jsonl").exists()

(own / "system.json").write_text('{"schema_version": "1.0.0", "timeouts": {"move_timeout_sec": "30"}}')
try:
    ConfigLoader(own).load_system()
except ValueError as error:
    assert "timeouts.move_timeout_sec: want float, got str" in str(error), error
else:
    raise AssertionError("a setting of the wrong type was read")
print("ok")
