// Package accesslog reads who called what, and when, from the logs of servers
// and clients.
//
// Most callers want [NewReader] for one log, and [Merge] for several. The format
// is found out from the first lines:
//
//   - Common and Combined Log Format, as Apache and nginx write it
//   - JSON, one object a line, as most servers can be told to write it, and as a
//     transport.Transport records its own calls
//   - CSV, with a header or without
//   - HAR, as browsers save it
//   - instants, one a line, and behind each, if known, who called what
//
// What is compressed by gzip is decompressed. A line that cannot be read is
// counted and named, and reading goes on. Memory is bounded, whatever the log.
package accesslog
