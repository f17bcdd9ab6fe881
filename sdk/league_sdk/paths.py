"""The folders of the SHARED tree."""

import os
import tempfile
from pathlib import Path

SHARED_ROOT = Path(os.environ.get("LEAGUE_ROOT", "SHARED"))
CONFIG_ROOT = SHARED_ROOT / "config"
DATA_ROOT = SHARED_ROOT / "data"
LOG_ROOT = SHARED_ROOT / "logs"


def replace_text(path: Path, text: str) -> None:
    """Replace a file as a whole, so that readers see all of the old or all of the new text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="." + path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
