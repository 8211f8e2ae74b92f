"""What a namespace or an object may have at most: LimitRanges, quotas, sizes."""
