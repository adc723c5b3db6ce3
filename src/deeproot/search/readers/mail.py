"""E-mail: single messages (.eml) and mailboxes (.mbox). Lines are those of the extracted text."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from .. import Limits
from . import Format, Reading, Unreadable
from .charset import to_text
from .html import read_markup
from .layout import Layout

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_SEPARATOR = re.compile(rb"^From [^\n]*\n", re.MULTILINE)


def read_mail(data: bytes, limits: Limits) -> Reading | Unreadable:
    messages = _SEPARATOR.split(data)[1:] if data.startswith(b"From ") else [data]
    layout = Layout()
    subjects = [_lay_out(_parse(message), layout, limits) for message in messages]
    if not any(subjects):
        return Unreadable("no e-mail message in it")
    return layout.reading(subjects[0] if len(messages) == 1 else "")


def _parse(data: bytes) -> EmailMessage:
    message = message_from_bytes(data, policy=default)
    return message if isinstance(message, EmailMessage) else EmailMessage()


def _lay_out(message: EmailMessage, layout: Layout, limits: Limits) -> str:
    """Put a message down; its subject, or a stand-in for a message without one, empty when it is no message."""
    headers = [(name, str(message[name])) for name in _SHOWN if message[name]]
    if not headers:
        return ""
    subject = str(message["Subject"] or "(no subject)")
    layout.head(1, subject)
    for name, value in headers:
        layout.say(f"{name}: {value}")
        layout.end_line()
    layout.end_paragraph()
    layout.say_lines(_body(message, limits))
    layout.end_paragraph()
    return " ".join(subject.split())


def _body(message: EmailMessage, limits: Limits) -> str:
    part = message.get_body(("plain", "html"))
    payload = part.get_payload(decode=True) if part is not None else None
    if part is None or not isinstance(payload, bytes):
        return ""
    is_html = part.get_content_subtype() == "html"
    text = to_text(payload, str(part["Content-Type"] or ""), markup=is_html) or ""
    found = read_markup(text, limits) if is_html else Reading(text)
    return found.text if isinstance(found, Reading) else ""


FORMAT = Format((".eml", ".mbox", ".mbx"), read_mail, packed=True)
