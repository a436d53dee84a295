"""``python -m benchmarks`` is the command ``ringbench``."""

from benchmarks.cli import entry

if __name__ == "__main__":
    entry()
