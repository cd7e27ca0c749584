"""What a server counts, in the text form of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "nardy_requests", "Answered requests.", ["path", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "nardy_request_seconds", "Time of a request.", ["path"], buckets=_SECONDS, registry=self._registry
        )
        self._positions = Counter(
            "nardy_positions", "Positions ranked or evaluated.", ["profile"], registry=self._registry
        )
        self.in_flight = Gauge(
            "nardy_requests_in_flight", "Requests being answered.", registry=self._registry
        )

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Counts a request."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def judged(self, profile: str) -> None:
        """Counts a position."""
        self._positions.labels(profile).inc()

    def text(self) -> bytes:
        """All of it."""
        return generate_latest(self._registry)
