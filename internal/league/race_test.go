//go:build race

package league

// raced reports that the race detector is on, which makes some tests too slow.
const raced = true
