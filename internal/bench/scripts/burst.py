"""Prints the 99th percentile of how many calls of a client follow each other
within 500 ms, from an access log."""

import re
import sys
from collections import defaultdict
from datetime import datetime

LINE = re.compile(r"(\S+) \S+ \S+ \[([^\]]+)\]")

calls = defaultdict(list)
with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        client, at = LINE.match(line).groups()
        calls[client].append(datetime.strptime(at, "%d/%b/%Y:%H:%M:%S.%f %z").timestamp())

sizes = []
for instants in calls.values():
    instants.sort()
    size = 1
    for before, at in zip(instants, instants[1:]):
        if at - before > 0.5:
            sizes.append(size)
            size = 0
        size += 1
    sizes.append(size)
sizes.sort()
print(sizes[round(0.99 * (len(sizes) - 1))])
