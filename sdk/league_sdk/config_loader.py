"""ConfigLoader reads the files below config/, each once and when it is first needed."""

import json
from pathlib import Path
from typing import Any, Dict, Type

from .config_models import (
    AgentsConfig, GameConfig, GamesRegistry, LeagueConfig, Model, PlayerConfig, PlayerDefaults, RefereeConfig, RefereeDefaults,
    SystemConfig, from_json,
)
from .paths import CONFIG_ROOT


class ConfigLoader:
    def __init__(self, root: Path = CONFIG_ROOT):
        self.root = Path(root)
        self._cache: Dict[str, Any] = {}

    def _load(self, name: str, model: Type[Model]) -> Model:
        if name not in self._cache:
            path = self.root / name
            try:
                self._cache[name] = from_json(model, json.loads(path.read_text(encoding="utf-8")))
            except FileNotFoundError:
                raise FileNotFoundError(f"{path} is missing; `league init` writes it") from None
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from error
        return self._cache[name]

    def load_system(self) -> SystemConfig:
        """Load the settings of the whole installation."""
        return self._load("system.json", SystemConfig)

    def load_agents(self) -> AgentsConfig:
        """Load the registry of agents."""
        return self._load("agents/agents_config.json", AgentsConfig)

    def load_league(self, league_id: str) -> LeagueConfig:
        """Load the settings of a league."""
        if not league_id or "/" in league_id or league_id.startswith("."):
            raise ValueError(f"{league_id!r} is not the id of a league")
        return self._load(f"leagues/{league_id}.json", LeagueConfig)

    def load_games_registry(self) -> GamesRegistry:
        """Load the types of games."""
        return self._load("games/games_registry.json", GamesRegistry)

    def load_referee_defaults(self) -> RefereeDefaults:
        """Load the settings of referees without an entry in the registry."""
        return self._load("defaults/referee.json", RefereeDefaults)

    def load_player_defaults(self) -> PlayerDefaults:
        """Load the settings of players without an entry in the registry."""
        return self._load("defaults/player.json", PlayerDefaults)

    def get_referee_by_id(self, referee_id: str) -> RefereeConfig:
        """Return the entry of a referee."""
        for referee in self.load_agents().referees:
            if referee.referee_id == referee_id:
                return referee
        raise ValueError(f"Referee not found: {referee_id}")

    def get_player_by_id(self, player_id: str) -> PlayerConfig:
        """Return the entry of a player."""
        for player in self.load_agents().players:
            if player.player_id == player_id:
                return player
        raise ValueError(f"Player not found: {player_id}")

    def get_game(self, game_type: str) -> GameConfig:
        """Return the entry of a game."""
        for game in self.load_games_registry().games:
            if game.game_type == game_type:
                return game
        raise ValueError(f"Game not found: {game_type}")
