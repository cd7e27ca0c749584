"""A model as a server: HTTP for apps, and the external-player protocol of GNU Backgammon."""
