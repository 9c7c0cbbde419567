"""MemoryTimeline and plot_memory: the bytes that a tape holds."""
