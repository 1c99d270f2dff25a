"""Chat models by name: opened from settings, asked one line for `doctor`, and their failures in plain words."""
