"""JsonLogger writes JSON lines below logs/."""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional

from .paths import LOG_ROOT


class JsonLogger:
    """A log of a component, such as "league_manager" or "referee:REF01": of a league, or without one of the system."""

    def __init__(self, component: str, league_id: Optional[str] = None, log_root: Path = LOG_ROOT):
        self.component = component
        folder = Path(log_root) / "league" / league_id if league_id else Path(log_root) / "system"
        folder.mkdir(parents=True, exist_ok=True)
        self.log_file = folder / f"{component.replace(':', '_')}.log.jsonl"

    def log(self, event_type: str, level: str = "INFO", **details: Any) -> None:
        """Append one line."""
        entry = {
            "timestamp": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "component": self.component,
            "event_type": event_type,
            "level": level,
            **details,
        }
        with self.log_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def debug(self, event_type: str, **details: Any) -> None:
        self.log(event_type, level="DEBUG", **details)

    def info(self, event_type: str, **details: Any) -> None:
        self.log(event_type, level="INFO", **details)

    def warning(self, event_type: str, **details: Any) -> None:
        self.log(event_type, level="WARNING", **details)

    def error(self, event_type: str, **details: Any) -> None:
        self.log(event_type, level="ERROR", **details)

    def log_message_sent(self, message_type: str, recipient: str, **details: Any) -> None:
        self.debug("MESSAGE_SENT", message_type=message_type, recipient=recipient, **details)

    def log_message_received(self, message_type: str, sender: str, **details: Any) -> None:
        self.debug("MESSAGE_RECEIVED", message_type=message_type, sender=sender, **details)
