"""With this folder on PYTHONPATH, its models are formulations of every process."""

from pathlib import Path

import formulations

formulations.__path__.append(str(Path(__file__).parent))
