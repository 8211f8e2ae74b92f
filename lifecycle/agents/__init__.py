"""What programs that think for themselves see of a cluster and do to it: kubectl's words, bounded answers."""
