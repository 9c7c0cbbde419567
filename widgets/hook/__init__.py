"""HookLab: a backward rule under the lens."""
