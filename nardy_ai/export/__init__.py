"""Trained models as files for other programs."""
