"""A store of files on loopback that speaks WebHDFS, for which fsspec has a client: a network that can be lost.

`python -m tests.chaos.hdfs_server FOLDER PORT` serves a folder until it is killed. A rename replaces what is there, as
moving a key does in an object store.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

PREFIX = "/webhdfs/v1"


class Store:
    """What the protocol's operations do to the files below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._operations: dict[str, Callable[[Path, Request, bytes], Response]] = {
            "GETFILESTATUS": lambda place, _asked, _body: JSONResponse({"FileStatus": status(place)}),
            "LISTSTATUS": self._list,
            "OPEN": self._open,
            "CREATE": self._create,
            "APPEND": self._append,
            "MKDIRS": self._make_folder,
            "RENAME": self._rename,
            "DELETE": self._delete,
        }

    async def answer(self, asked: Request) -> Response:
        """One request."""
        operation = self._operations[asked.query_params["op"].upper()]
        try:
            return operation(self._place(asked.path_params["path"]), asked, await asked.body())
        except FileNotFoundError as absent:
            said = {"exception": "FileNotFoundException", "message": f"no file {absent.filename}"}
            return JSONResponse({"RemoteException": said}, 404)

    def _place(self, path: str) -> Path:
        return self._folder / path.strip("/")

    def _list(self, place: Path, _asked: Request, _body: bytes) -> Response:
        if place.is_file():
            return JSONResponse({"FileStatuses": {"FileStatus": [status(place) | {"pathSuffix": ""}]}})
        found = [status(one) for one in sorted(place.iterdir())]
        return JSONResponse({"FileStatuses": {"FileStatus": found}})

    def _open(self, place: Path, asked: Request, _body: bytes) -> Response:
        offset = int(asked.query_params.get("offset", 0))
        length = int(asked.query_params.get("length", place.stat().st_size))
        return Response(place.read_bytes()[offset : offset + length], media_type="application/octet-stream")

    def _create(self, place: Path, asked: Request, body: bytes) -> Response:
        if asked.query_params.get("data") != "true":
            # The protocol's first step: where to send the content.
            there = f"{asked.url}&data=true"
            return Response(status_code=307, headers={"Location": there})
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)
        return Response(status_code=201)

    def _append(self, place: Path, asked: Request, body: bytes) -> Response:
        if asked.query_params.get("data") != "true":
            return Response(status_code=307, headers={"Location": f"{asked.url}&data=true"})
        with place.open("ab") as file:
            file.write(body)
        return Response(status_code=200)

    def _make_folder(self, place: Path, _asked: Request, _body: bytes) -> Response:
        place.mkdir(parents=True, exist_ok=True)
        return JSONResponse({"boolean": True})

    def _rename(self, place: Path, asked: Request, _body: bytes) -> Response:
        place.replace(self._place(asked.query_params["destination"]))
        return JSONResponse({"boolean": True})

    def _delete(self, place: Path, _asked: Request, _body: bytes) -> Response:
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
        return JSONResponse({"boolean": True})


def status(place: Path) -> dict[str, Any]:
    """What the protocol says of a file or folder; times in ms since 1970."""
    found = place.stat()
    changed = int(found.st_mtime * 1000)
    return {
        "pathSuffix": place.name,
        "type": "DIRECTORY" if place.is_dir() else "FILE",
        "length": 0 if place.is_dir() else found.st_size,
        "modificationTime": changed,
        "accessTime": changed,
    }


def main(folder: Path, port: int) -> None:
    """Serve until killed."""
    route = Route(PREFIX + "{path:path}", Store(folder).answer, methods=["GET", "PUT", "POST", "DELETE"])
    uvicorn.run(Starlette(routes=[route]), host="127.0.0.1", port=port, log_level="critical", access_log=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
