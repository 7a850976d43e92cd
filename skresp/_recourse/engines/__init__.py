"""Engines that look for recourse or prove that there is none."""
