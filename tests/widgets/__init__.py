"""Tests of the pictures: what is drawn, what is said, and the pages they make."""
