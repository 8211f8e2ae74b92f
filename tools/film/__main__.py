"""`python -m tools.film LINK [FILE]`: the film of a rollout that README shows; LINK is what `up` prints.

A cluster of its own gets a Deployment, then a new image. What Chromium shows of its page meanwhile becomes a
GIF that plays four times as fast as the cluster's clock. Needs Pillow (`pip install pillow`), as nothing else
here does.
"""

import sys
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Page, ViewportSize, sync_playwright

from lifecycle.benches.servers.chromium import launch

FILE = Path(__file__).resolve().parents[2] / "docs" / "rollout.gif"
NAME = "film"
# The whole card of pods, with eight of them.
VIEWPORT = ViewportSize(width=960, height=900)
HEIGHT = 510
# Half as fast as real time, so that a busy machine takes enough pictures.
SPEED, FRAME_MS, FASTER = "0.5", 2000, 4
FIRST_MS, LAST_MS, SETTLE_MS = 1500, 4000, 3000
COLORS = 128
# What is shown: some of what was before, and all of the rollout.
BEGIN, RANGE = "00:00:40", "?from=20000&to=90000"
UNTIL_MS = 88_000
MOST_FRAMES = 300
FIRST, SECOND = "nginx:1.27", "nginx:1.28"
MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 4
  selector: {matchLabels: {app: shop}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - name: app
        image: IMAGE
        ports: [{containerPort: 80}]
        readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 8, periodSeconds: 5}
        lifecycle: {preStop: {sleep: {seconds: 5}}}
"""


def main(link: str, file: Path) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        context = browser.new_context(
            base_url=link.split("/enter/")[0],
            viewport=VIEWPORT,
            color_scheme="light",
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(link, wait_until="commit")
        frames = film(page)
        browser.close()
    write(frames, file)
    seconds = sum(ms for _, ms in frames) / 1000
    print(f"{file}: {len(frames)} frames, {seconds:.1f} s, {file.stat().st_size:,} bytes")


def film(page: Page) -> list[tuple[Image.Image, int]]:
    """Pictures, each with the milliseconds until the next."""
    here = f"/clusters/{NAME}/"
    post(page, "/clusters/", {"name": NAME, "seed": "1", "nodes": "3", "timing": "realistic"})
    post(page, f"{here}manifest/", {"manifest": MANIFEST.replace("IMAGE", FIRST)})
    post(page, f"{here}control/", {"kind": "run", "until": BEGIN})
    post(page, f"{here}control/", {"kind": "speed", "speed": SPEED})
    page.goto(f"{here}{RANGE}")
    page.locator(".verdict", has_text="4 ready").first.wait_for()
    page.locator("[data-skeleton]").wait_for(state="detached")
    page.evaluate(
        "scrollTo(0, document.querySelector('.verdict').getBoundingClientRect().top + scrollY - 12)"
    )
    # What is to come is asked for when the page has been still for a moment.
    page.wait_for_timeout(SETTLE_MS)
    taken = [take(page)]
    post(page, f"{here}manifest/", {"manifest": MANIFEST.replace("IMAGE", SECOND)})
    post(page, f"{here}control/", {"kind": "resume"})
    while taken[-1][1] < UNTIL_MS:
        if len(taken) > MOST_FRAMES:
            raise SystemExit(f"the cluster {NAME} does not come to the end of the film")
        page.wait_for_timeout(FRAME_MS)
        taken.append(take(page))
    post(page, f"{here}delete/", {})
    lengths = [round((later - at) / FASTER) for (_, at), (_, later) in pairwise(taken)]
    lengths = [FIRST_MS, *lengths[1:], LAST_MS]
    return [(picture, ms) for (picture, _), ms in zip(taken, lengths, strict=True)]


def post(page: Page, path: str, form: dict[str, str]) -> None:
    """As a form of a page does."""
    (token,) = (one["value"] for one in page.context.cookies() if one["name"] == "csrftoken")
    answer = page.request.post(path, form=form, headers={"X-CSRFToken": token}, max_redirects=0)
    if answer.status >= 400:
        raise SystemExit(f"{path}: {answer.status}: {answer.text()[:200]}")


def take(page: Page) -> tuple[Image.Image, int]:
    """What the page shows, and the virtual instant in ms."""
    clip = FloatRect(x=0, y=0, width=VIEWPORT["width"], height=HEIGHT)
    hours, minutes, seconds = page.locator("[data-clock]").inner_text().split(":")
    at_ms = round((int(hours) * 3600 + int(minutes) * 60 + float(seconds)) * 1000)
    return Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB"), at_ms


def write(frames: list[tuple[Image.Image, int]], file: Path) -> None:
    """A GIF that goes round for ever; all of it has the colours of a page in the middle and of the last."""
    seen = Image.new("RGB", (VIEWPORT["width"], 2 * HEIGHT))
    seen.paste(frames[len(frames) // 2][0], (0, 0))
    seen.paste(frames[-1][0], (0, HEIGHT))
    palette = seen.quantize(COLORS, dither=Image.Dither.NONE)
    pictures = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture, _ in frames]
    pictures[0].save(
        file,
        save_all=True,
        append_images=pictures[1:],
        duration=[ms for _, ms in frames],
        loop=0,
        optimize=False,
    )


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) == 3 else FILE)
