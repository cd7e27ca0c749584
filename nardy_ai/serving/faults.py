"""How a request that can't be answered is told so: a status and one sentence."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from nardy_ai.core import InputError
from nardy_ai.serving.desk import Busy, TooLong
from nardy_ai.serving.guard import OUR_FAULT, message_body


def add_faults(api: FastAPI) -> None:
    """Whatever is raised or not found is told in one sentence."""

    async def input_error(request: Request, fault: Exception) -> Response:
        return told(_status(request), str(fault))

    async def unreadable(request: Request, fault: Exception) -> Response:
        assert isinstance(fault, RequestValidationError)
        return told(_status(request), _sentence(fault))

    async def http(request: Request, fault: Exception) -> Response:
        assert isinstance(fault, HTTPException)
        sentences = {
            404: "there is nothing at this path; GET /docs lists what there is",
            405: f"{request.url.path} does not take {request.method}",
        }
        response = told(fault.status_code, sentences.get(fault.status_code, str(fault.detail)))
        response.headers.update(fault.headers or {})
        return response

    async def busy(_request: Request, _fault: Exception) -> Response:
        response = told(503, "the server has too much to do: ask again in a second")
        response.headers["retry-after"] = "1"
        return response

    async def too_long(_request: Request, _fault: Exception) -> Response:
        return told(503, "this was not done in time: ask for fewer positions or plies")

    async def ours(_request: Request, _fault: Exception) -> Response:
        # It is raised on after that, and logged by the guard.
        return told(500, OUR_FAULT)

    for kind, handler in (
        (Exception, ours),
        (InputError, input_error),
        (RequestValidationError, unreadable),
        (HTTPException, http),
        (Busy, busy),
        (TooLong, too_long),
    ):
        api.add_exception_handler(kind, handler)


def told(status: int, message: str) -> Response:
    """A refusal."""
    return Response(message_body(message), status, media_type="application/json")


def _status(request: Request) -> int:
    """What is wrong in a query is told as wildbg does."""
    return 422 if request.method == "POST" else 400


def _sentence(fault: RequestValidationError) -> str:
    """The first thing that is wrong, and where."""
    first = fault.errors()[0]
    where = ""
    for part in first["loc"][1:]:
        where += f"[{part}]" if isinstance(part, int) else f"{'.' if where else ''}{str(part)[:40]}"
    if first["type"] == "json_invalid":
        return f"the body is no JSON ({first.get('ctx', {}).get('error', '')} at character {where[1:-1]})"
    if first["type"] == "model_attributes_type":
        return "the body is no JSON object, or is not sent as one: content-type: application/json"
    if first["type"] == "missing":
        return f"{where or 'a JSON body'} is missing"
    what = str(first["msg"])
    return f"{where or 'the body'}: {what[:1].lower()}{what[1:200]}"
