# Prints the 99th percentile of how many calls of a client follow each other
# within 500 ms, from an access log of one day in the order of time.
{
	split($4, t, ":")
	at = t[2] * 3600 + t[3] * 60 + t[4]
	if ($1 in last && at - last[$1] > 0.5) {
		sizes[size[$1]]++
		n++
		size[$1] = 0
	}
	size[$1]++
	last[$1] = at
}
END {
	for (client in size) {
		sizes[size[client]]++
		n++
	}
	rank = int(0.99 * (n - 1) + 0.5)
	for (s = 0; seen <= rank; ) seen += sizes[++s]
	print s
}
