"""What the browser would send in, for tests of the page without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

INTERNAL = "$$STREAMLIT_INTERNAL_KEY"


def shown(page: AppTest) -> dict[str, Any]:
    """What the desk was given to draw."""
    (desk,) = page.get("bidi_component")
    found: dict[str, Any] = json.loads(desk.proto.json)
    return found


def bodies(page: AppTest) -> list[str | None]:
    """The texts of the documents on the desk."""
    return [one["document"] for one in shown(page)["documents"]]


def message(page: AppTest, act: str, *relevant: bool, **more: Any) -> dict[str, Any]:
    """Choices about the first documents on the desk, as the browser sends them."""
    data = shown(page)
    rows = [one["row"] for one in data["documents"]]
    choices = [[row, one] for row, one in zip(rows, relevant, strict=False)]
    sent = {"number": uuid4().hex, "submission": data["submission"], "act": act, "choices": choices}
    return {**sent, "reason": "", "note": "", "blind": True, "undo": data["sent"], **more}


def send(page: AppTest, sent: dict[str, Any]) -> AppTest:
    """Run the page with that message."""
    (desk,) = page.get("bidi_component")
    states = page._tree.get_widget_states()
    states.widgets.add(
        id=f"{INTERNAL}_{desk.proto.id}__events", json_trigger_value=json.dumps({"event": "sent", "value": sent})
    )
    page._run(states)
    assert not page.exception
    return page


def save(page: AppTest, *relevant: bool, reason: str = "", note: str = "") -> AppTest:
    """Save choices about the first documents on the desk."""
    return send(page, message(page, "save", *relevant, reason=reason, note=note))
