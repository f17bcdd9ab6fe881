"""league_sdk reads and writes the SHARED tree of a league, with the standard library only.

    config/ -> ConfigLoader -> dataclasses of config_models
    data/   -> StandingsRepository, RoundsRepository, MatchRepository, PlayerHistoryRepository
    logs/   <- JsonLogger

The tree is the folder in the variable LEAGUE_ROOT of the environment, or SHARED in the current folder.
"""

from .config_loader import ConfigLoader
from .config_models import (
    AgentsConfig, CircuitBreakerConfig, GameConfig, GamesRegistry, LeagueConfig, LeagueManagerConfig, NetworkConfig,
    ParticipantsConfig, PlayerConfig, PlayerDefaults, RefereeConfig, RefereeDefaults, RetryPolicyConfig, ScheduleConfig,
    ScoringConfig, SecurityConfig, SystemConfig, TimeoutsConfig,
)
from .logger import JsonLogger
from .paths import CONFIG_ROOT, DATA_ROOT, LOG_ROOT, SHARED_ROOT
from .repositories import MatchRepository, PlayerHistoryRepository, RoundsRepository, StandingsRepository

__all__ = [
    "AgentsConfig", "CONFIG_ROOT", "CircuitBreakerConfig", "ConfigLoader", "DATA_ROOT", "GameConfig", "GamesRegistry",
    "JsonLogger", "LOG_ROOT", "LeagueConfig", "LeagueManagerConfig", "MatchRepository", "NetworkConfig",
    "ParticipantsConfig", "PlayerConfig", "PlayerDefaults", "PlayerHistoryRepository", "RefereeConfig", "RefereeDefaults",
    "RetryPolicyConfig", "RoundsRepository", "SHARED_ROOT", "ScheduleConfig", "ScoringConfig", "SecurityConfig",
    "StandingsRepository", "SystemConfig", "TimeoutsConfig",
]
