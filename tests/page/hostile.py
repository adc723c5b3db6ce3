"""Strings that want to be more than text, and a page that is made of one."""

from __future__ import annotations

from deeproot.checks import Excerpt, Grade, Part
from deeproot.model import Source, Status, Verdict
from deeproot.report.page import (
    CheckedCitation,
    Entry,
    Fact,
    Flaw,
    GateSummary,
    NumberedSource,
    Page,
)

# HOST stands for a place that must never hear of the page.
HOSTILE = (
    "<script>document.title='owned';fetch('HOST/script')</script>",
    "<script src=HOST/script.js></script>",
    "<img src=HOST/image.png onerror=\"document.title='owned'\">",
    "![beacon](HOST/markdown.png)",
    "![beacon][b]\n\n[b]: HOST/reference.png",
    "<svg onload=\"document.title='owned'\"><script>document.title='owned'</script></svg>",
    "<svg><style><img src=HOST/svg.png onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=HOST/math.png></style></mglyph></table></mtext></math>",
    "<iframe src=HOST/frame></iframe><object data=HOST/object></object><embed src=HOST/embed>",
    "<link rel=stylesheet href=HOST/style.css><link rel=prefetch href=HOST/prefetch>",
    "<meta http-equiv=refresh content='0;url=HOST/refresh'>",
    "<base href=HOST/base/>",
    "<form action=HOST/form><input autofocus onfocus=\"document.title='owned'\"><button>x</button></form>",
    "<style>@import 'HOST/import.css'; body{background:url(HOST/css.png)}</style>",
    "</style><script>document.title='owned'</script>",
    "</title><script>document.title='owned'</script>",
    "</textarea></noscript></template><img src=HOST/noscript.png>",
    "]]><img src=HOST/cdata.png>",
    "<![CDATA[<img src=HOST/cdata2.png>]]>",
    "--><img src=HOST/comment.png><!--",
    "<!--><img src=HOST/comment2.png>-->",
    "<?xml-stylesheet href='HOST/xml.css'?>",
    "<body onload=\"document.title='owned'\">",
    "<a href=\"javascript:document.title='owned'\" autofocus onfocus=this.click()>x</a>",
    "[x](javascript:document.title='owned')",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#x6a;avascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/png;base64,AAAA)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](//HOST/relative)",
    "[x](/etc/passwd) [x](?q) [x](../up)",
    "[x](blob:https://example.org/1) [x](ws://example.org) [x](intent://x#Intent;end)",
    "<javascript:alert(1)> <data:text/html,x>",
    '[x](https://example.org "\\" onmouseover=alert(1) x=\\"")',
    "[x](https://example.org '\"><img src=HOST/title.png>')",
    '[x](https://example.org/"onmouseover="alert(1))',
    '[x](<https://example.org/"><script>alert(1)</script>>)',
    "[<img src=HOST/label.png onerror=alert(1)>](https://example.org)",
    "```html\n<script>document.title='owned'</script>",
    '~~~"><img src=HOST/info.png>\nx',
    '``` x" onclick="alert(1)\nx\n```',
    "`<img src=HOST/code.png>",
    '| <img src=HOST/cell.png> | b |\n|:-:|--:|\n| <script>alert(1)</script> | " onclick="alert(1) |',
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<video><source onerror=alert(1)></video><audio src=HOST/audio>",
    '<p style="background:url(HOST/style.png)" onclick=alert(1) id=gate class=card>x</p>',
    "<div popover id=contents>x</div><dialog open>x</dialog><marquee onstart=alert(1)>x</marquee>",
    '"><img src=HOST/attribute.png onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "` onmouseover=alert(1) `",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;alert(1)&#60;/script&#62;",
    "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "\ufeff<script>alert(1)</script>\ufffe\uffff",
    "\ud800 half a character \udfff",
    "\u202egpj.exe\u202c \u2066isolated\u2069 &#x202e;turned",
    "\ufdd00\ufdd1 \ufdd0999999\ufdd1 &#xfdd0;0&#xfdd1; %EF%B7%90999%EF%B7%91",
    "[x](https://example.org/%EF%B7%90999%EF%B7%91) [y](https://example.org/\ufdd00\ufdd1)",
    "[999999999999999999999] [0] [1][1][1] [-1] [٣]",
    "Sources\n=======\n\n## Sources\n\n# Another title\n\n> # Nested\n> ## Sources",
    "# \n\n## \n\n### ###\n\n#### #",
    "\x1b[31m\x07\x08 \x7f \x85 \u2028 \u2029 \v \f \r",
    "{{7*7}} ${7*7} <%= 7*7 %> #{7*7}",
    "*" * 3000 + "_" * 3000 + "~" * 3000,
    "> " * 2000 + "x",
    "- " * 2000 + "x",
    "[" * 3000 + "]" * 3000,
)


def hostile_page(text: str) -> Page:
    """A page with `text` in every place that holds text."""
    body = f"# {text}\n\n{text}\n\n## {text}\n\nSaid [1] {text} [2].\n\n### {text}\n\n{text}\n\n- {text}\n\n> {text}\n"
    source = Source(text, text)
    cited = CheckedCitation(1, 1, text, Verdict.PARTIAL, source, text, (text,), text, Excerpt(text, text, text))
    missing = CheckedCitation(2, 1, text, Verdict.REFUTED, Source(f"https://example.org/{text}"), text)
    return Page(
        title=text,
        question=f"{text}?",
        body=body,
        outline=(Entry(text, text, 0, Status.COMPLETE), Entry("2", f"{text} 2", 1, Status.PENDING)),
        citations=(cited, missing),
        gate=GateSummary(Grade.FAIL, 0, (Part(text, 1, 2),), (Flaw(text, (1, 1)), *(Flaw(text),) * 6)),
        facts=(Fact(text, text),),
        sources=(NumberedSource(1, source, text), NumberedSource(2, missing.source)),
    )
