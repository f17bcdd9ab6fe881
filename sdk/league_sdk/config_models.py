"""Typed models of the files below config/. Members that a file leaves out have the program's defaults."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, List, Optional, Type, TypeVar, get_args, get_origin, get_type_hints

Model = TypeVar("Model")


def from_json(model: Type[Model], data: Any, where: str = "") -> Model:
    """Build a model from decoded JSON. Unknown members are ignored; an error names the member."""
    if not isinstance(data, dict):
        raise ValueError(f"{where or model.__name__}: want an object, got {type(data).__name__}")
    hints, values = get_type_hints(model), {}
    for item in dataclasses.fields(model):
        path = f"{where}.{item.name}" if where else item.name
        if item.name in data:
            values[item.name] = _value(hints[item.name], data[item.name], path)
        elif item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            raise ValueError(f"{path} is missing")
    return model(**values)


def _value(hint: Any, value: Any, path: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return from_json(hint, value, path)
    if get_origin(hint) in (list, List):
        if not isinstance(value, list):
            raise ValueError(f"{path}: want a list, got {type(value).__name__}")
        return [_value(get_args(hint)[0], one, f"{path}[{n}]") for n, one in enumerate(value)]
    if hint is float and type(value) is int:
        return float(value)
    if hint in (str, int, float, bool) and type(value) is not hint:
        raise ValueError(f"{path}: want {hint.__name__}, got {type(value).__name__}")
    return value


@dataclass
class NetworkConfig:
    base_host: str = "localhost"
    default_league_manager_port: int = 8000
    default_referee_port_range: List[int] = field(default_factory=lambda: [8001, 8010])
    default_player_port_range: List[int] = field(default_factory=lambda: [8101, 8200])
    public_url: str = ""


@dataclass
class SecurityConfig:
    enable_auth_tokens: bool = True
    token_length: int = 32
    token_ttl_hours: int = 24


@dataclass
class TimeoutsConfig:
    register_referee_timeout_sec: float = 10
    register_player_timeout_sec: float = 10
    game_join_ack_timeout_sec: float = 5
    move_timeout_sec: float = 30
    game_over_timeout_sec: float = 5
    match_result_timeout_sec: float = 10
    league_query_timeout_sec: float = 10
    generic_response_timeout_sec: float = 10
    registration_window_sec: float = 60


@dataclass
class RetryPolicyConfig:
    max_retries: int = 3
    backoff_strategy: str = "fixed"
    initial_delay_sec: float = 2
    max_delay_sec: float = 10
    retryable_errors: List[str] = field(default_factory=lambda: ["E001", "E004", "E009", "E010"])


@dataclass
class CircuitBreakerConfig:
    failure_threshold: int = 5
    reset_timeout_sec: float = 60


@dataclass
class SystemConfig:
    schema_version: str
    system_id: str = "league_system"
    protocol_version: str = "league.v2"
    default_league_id: str = "league_2025_even_odd"
    network: NetworkConfig = field(default_factory=NetworkConfig)
    security: SecurityConfig = field(default_factory=SecurityConfig)
    timeouts: TimeoutsConfig = field(default_factory=TimeoutsConfig)
    retry_policy: RetryPolicyConfig = field(default_factory=RetryPolicyConfig)
    circuit_breaker: CircuitBreakerConfig = field(default_factory=CircuitBreakerConfig)
    last_updated: str = ""


@dataclass
class LeagueManagerConfig:
    endpoint: str = "http://localhost:8000/mcp"
    version: str = "1.0.0"


@dataclass
class RefereeConfig:
    referee_id: str
    display_name: str = ""
    endpoint: str = ""
    version: str = "1.0.0"
    game_types: List[str] = field(default_factory=list)
    max_concurrent_matches: int = 1
    active: bool = True


@dataclass
class PlayerConfig:
    player_id: str
    display_name: str = ""
    version: str = "1.0.0"
    preferred_leagues: List[str] = field(default_factory=list)
    game_types: List[str] = field(default_factory=list)
    default_endpoint: str = ""
    active: bool = True


@dataclass
class AgentsConfig:
    schema_version: str
    league_manager: LeagueManagerConfig = field(default_factory=LeagueManagerConfig)
    referees: List[RefereeConfig] = field(default_factory=list)
    players: List[PlayerConfig] = field(default_factory=list)
    last_updated: str = ""


@dataclass
class ScoringConfig:
    win_points: int = 3
    draw_points: int = 1
    loss_points: int = 0
    technical_loss_points: int = 0
    tiebreakers: List[str] = field(default_factory=list)


@dataclass
class ParticipantsConfig:
    min_players: int = 2
    max_players: int = 10000
    min_referees: int = 1
    max_referees: int = 1000


@dataclass
class ScheduleConfig:
    format: str = "round_robin"
    cycles: int = 1
    rounds: int = 0


@dataclass
class LeagueConfig:
    schema_version: str
    league_id: str
    display_name: str = ""
    game_type: str = "even_odd"
    status: str = "ACTIVE"
    scoring: ScoringConfig = field(default_factory=ScoringConfig)
    participants: ParticipantsConfig = field(default_factory=ParticipantsConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    strict: bool = False
    last_updated: str = ""


@dataclass
class GameConfig:
    game_type: str
    display_name: str = ""
    rules_module: str = ""
    max_round_time_sec: float = 0
    move_types: List[str] = field(default_factory=list)
    min_players: int = 2
    max_players: int = 2
    valid_choices: Any = None


@dataclass
class GamesRegistry:
    schema_version: str
    games: List[GameConfig] = field(default_factory=list)
    last_updated: str = ""


@dataclass
class RefereeDefaults:
    schema_version: str
    id: str = "referee_defaults"
    version: str = "1.0.0"
    game_types: List[str] = field(default_factory=list)
    max_concurrent_matches: int = 2
    active: bool = True


@dataclass
class PlayerDefaults:
    schema_version: str
    id: str = "player_defaults"
    version: str = "1.0.0"
    game_types: List[str] = field(default_factory=list)
    strategy: str = "random"
    auto_accept_invitations: bool = True
    max_history_size: int = 1000
    active: bool = True
    last_updated: Optional[str] = None
