"""What the summary of a Service says of the requests to it."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle import reads
from lifecycle.lost_requests import find_per_second, sum_up
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.requests import SERVICE, read_courses
from lifecycle.sources import Row
from lifecycle.writers import Pages

REQUESTS = "requests"
"""`{"lostMs": 1400, "pods": {"lostMs": 1400}}` of a Service that was ever sent any, else null.

Where it says how many it gets, also `lost` of `sent`, and by chance from `lowest` to `highest`.
"""


def add_requests(pages: Pages, cluster: Cluster) -> Iterator[list[Row]]:
    """The pages of summaries with one column more; each page asks for its Services at once."""
    now_ms = reads.virtual_now_ms(cluster)
    for page in pages:
        uids = [str(row["uid"]) for row in page if (row["kind"], row["group"]) == (SERVICE, "")]
        courses = read_courses(cluster, uids) if uids else {}
        rates = _find_rates(cluster, list(courses)) if courses else {}
        told = {uid: sum_up(found, None, now_ms, rates.get(uid)) for uid, found in courses.items()}
        yield [{**row, REQUESTS: told.get(str(row["uid"]))} for row in page]


def _find_rates(cluster: Cluster, uids: list[str]) -> dict[str, int | None]:
    """How many requests a second Services say that they get, by uid."""
    stored = StoredObject.objects.filter(cluster=cluster, uid__in=uids).values_list("uid", "data")
    return {uid: find_per_second(data) for uid, data in stored}
