"""The cases whose answers differ from the recorded ones, each with the reason."""

DIFFERENCES: dict[str, str] = {
    "eviction/11": "the recorded pod had been going for seconds when it was evicted again",
    "delete/30": "claims here get a default class, which the recorded cluster had none of",
    "bad-others/03": "Services have 10.96.0.0/12 here, and had 10.96.0.0/16 there",
    "bad-others/05": "a dry run is held to the range of node ports too",
    "apply-deployment/00": "nothing is known of its image, and that is said",
    "pod-changes/02": "nothing is known of its image, and that is said",
    "reviews/06": "others are judged by the cluster's own roles, and there all might do all",
    "reviews/09": "the user has another name",
    "reviews/15": "nobody may act as somebody else here",
    "defaults/19": "a node's kubelet is there at once, and reports in the same instant",
}
