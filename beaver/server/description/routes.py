"""Serves the description: `/openapi.json` for programs, `/docs` for people. It is the same for everybody and holds no secret."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse

from beaver.server.description.document import Document, openapi_document
from beaver.server.description.page import content_security_policy, rendered

router = APIRouter(include_in_schema=False)


@router.get("/openapi.json")
async def openapi(request: Request) -> JSONResponse:
    """The OpenAPI document of this server."""
    return JSONResponse(_document(request))


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """The same to read: one page without a script, which loads nothing."""
    state = request.app.state
    if not hasattr(state, "docs_page"):
        state.docs_page = rendered(_document(request))
    return HTMLResponse(state.docs_page, headers={"Content-Security-Policy": content_security_policy()})


def _document(request: Request) -> Document:
    # Made when it is first asked for: most processes never are, and it takes longer than a start should.
    state = request.app.state
    if not hasattr(state, "openapi_document"):
        state.openapi_document = openapi_document(request.app.routes, keys_required=state.keys_required)
    document: Document = state.openapi_document
    return document
