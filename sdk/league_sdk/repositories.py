"""Repositories of the files below data/. Saving replaces a file as a whole and sets last_updated."""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List

from .paths import DATA_ROOT, replace_text

SCHEMA_VERSION = "1.0.0"


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Repository:
    """One JSON file with its content where the file is missing."""

    def __init__(self, path: Path, empty: Dict[str, Any]):
        self.path, self._empty = path, empty

    def load(self) -> Dict[str, Any]:
        """Load the file; a missing file reads as empty."""
        try:
            return json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return json.loads(json.dumps(self._empty))
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error

    def save(self, document: Dict[str, Any]) -> None:
        """Replace the file."""
        document = {**self._empty, **document, "last_updated": now()}
        replace_text(self.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


class StandingsRepository(_Repository):
    """The table of a league, data/leagues/<league_id>/standings.json. In a league of this program the manager writes it."""

    def __init__(self, league_id: str, data_root: Path = DATA_ROOT):
        self.league_id = league_id
        super().__init__(Path(data_root) / "leagues" / league_id / "standings.json",
                         {"schema_version": SCHEMA_VERSION, "league_id": league_id, "version": 0, "rounds_completed": 0,
                          "standings": []})

    def update_player(self, player_id: str, result: str, points: int) -> None:
        """Count a match of a player: WIN, DRAW, LOSS or TECHNICAL_LOSS, with its points, and sort the table."""
        counts = {"WIN": "wins", "DRAW": "draws", "LOSS": "losses", "TECHNICAL_LOSS": "losses"}
        if result not in counts:
            raise ValueError(f"{result!r} is no result; want one of {', '.join(counts)}")
        table = self.load()
        rows: List[Dict[str, Any]] = table["standings"]
        row = next((r for r in rows if r["player_id"] == player_id), None)
        if row is None:
            row = {"player_id": player_id, "display_name": player_id, "played": 0, "wins": 0, "draws": 0, "losses": 0, "points": 0}
            rows.append(row)
        row["played"] += 1
        row[counts[result]] += 1
        row["points"] += points
        rows.sort(key=lambda r: (-r["points"], -r["wins"], -r["draws"], r["player_id"]))
        for rank, one in enumerate(rows, 1):
            one["rank"] = rank
        table["version"] = table.get("version", 0) + 1
        self.save(table)


class RoundsRepository(_Repository):
    """The rounds of a league, data/leagues/<league_id>/rounds.json. In a league of this program the manager writes it."""

    def __init__(self, league_id: str, data_root: Path = DATA_ROOT):
        self.league_id = league_id
        super().__init__(Path(data_root) / "leagues" / league_id / "rounds.json",
                         {"schema_version": SCHEMA_VERSION, "league_id": league_id, "rounds": []})

    def get_round(self, round_id: int) -> Dict[str, Any]:
        """Return a round."""
        for one in self.load()["rounds"]:
            if one["round_id"] == round_id:
                return one
        raise ValueError(f"Round not found: {round_id}")


class MatchRepository(_Repository):
    """The record of a match, data/matches/<league_id>/<match_id>.json: lifecycle, transcript and result."""

    def __init__(self, league_id: str, match_id: str, data_root: Path = DATA_ROOT):
        self.league_id, self.match_id = league_id, match_id
        super().__init__(Path(data_root) / "matches" / league_id / f"{match_id}.json",
                         {"schema_version": SCHEMA_VERSION, "match_id": match_id, "league_id": league_id, "lifecycle": {},
                          "transcript": [], "result": None})


class PlayerHistoryRepository(_Repository):
    """The matches of a player, data/players/<player_id>/history.json."""

    def __init__(self, player_id: str, data_root: Path = DATA_ROOT):
        self.player_id = player_id
        super().__init__(Path(data_root) / "players" / player_id / "history.json",
                         {"schema_version": SCHEMA_VERSION, "player_id": player_id,
                          "stats": {"total_matches": 0, "wins": 0, "losses": 0, "draws": 0}, "matches": []})

    def add_match(self, match: Dict[str, Any]) -> None:
        """Add a match, and count its result in the totals."""
        history = self.load()
        history["matches"].append(match)
        stats = history["stats"]
        stats["total_matches"] += 1
        for word, name in {"WIN": "wins", "DRAW": "draws", "LOSS": "losses", "TECHNICAL_LOSS": "losses"}.items():
            stats[name] += match.get("result") == word
        self.save(history)
