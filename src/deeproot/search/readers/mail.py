"""E-mail: single messages (.eml) and mailboxes (.mbox). Lines are those of the extracted text."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from .. import Limits
from . import Format, Reading, Unreadable
from .html import reading_of
from .layout import Layout

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_SEPARATOR = re.compile(rb"^From [^\n]*\n", re.MULTILINE)


def read_mail(data: bytes, limits: Limits) -> Reading | Unreadable:  # noqa: ARG001 - the signature of a reader
    messages = _SEPARATOR.split(data)[1:] if data.startswith(b"From ") else [data]
    layout = Layout()
    subjects = [_lay_out(_parse(message), layout) for message in messages]
    if not any(subjects):
        return Unreadable("no e-mail message in it")
    return layout.reading(subjects[0] if len(messages) == 1 else "")


def _parse(data: bytes) -> EmailMessage:
    message = message_from_bytes(data, policy=default)
    return message if isinstance(message, EmailMessage) else EmailMessage()


def _lay_out(message: EmailMessage, layout: Layout) -> str:
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
    layout.say_lines(_body(message))
    layout.end_paragraph()
    return " ".join(subject.split())


def _body(message: EmailMessage) -> str:
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    try:
        content = part.get_content()
    except (LookupError, UnicodeError):
        payload = part.get_payload(decode=True)
        content = payload.decode("latin-1") if isinstance(payload, bytes) else ""
    text = str(content)
    return reading_of(text).text if part.get_content_subtype() == "html" else text


FORMAT = Format((".eml", ".mbox", ".mbx"), read_mail, packed=True)
