"""RecordingMap: roads on the tape, and where they end."""
