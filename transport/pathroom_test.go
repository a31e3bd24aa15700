package transport

import (
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/headway-go/headway/throttle"
)

// However many hosts have however many paths, there is one bound for all that is
// remembered of them, and who is let go makes room.
func TestPathsOfAllRoutesAreBounded(t *testing.T) {
	var all atomic.Int64
	var lane throttle.Lane
	tables := make([]pathTable, 200)
	fill := func(p *pathTable) {
		p.all = &all
		for i := range 2000 {
			p.learn(slices.Values([]string{strconv.Itoa(i), "/GET"}), &lane)
		}
	}
	for i := range tables {
		fill(&tables[i])
		if tables[i].nodes > maxPathNodes {
			t.Fatalf("a table has %d nodes", tables[i].nodes)
		}
	}
	if got := all.Load(); got != maxAllPaths {
		t.Errorf("%d nodes in all, want the most that there may be, %d", got, maxAllPaths)
	}
	for i := range tables {
		tables[i].close()
		tables[i].close()
	}
	if got := all.Load(); got != 0 {
		t.Errorf("%d nodes are left when all are let go", got)
	}
	var next pathTable
	if fill(&next); next.nodes != maxPathNodes {
		t.Errorf("the next has room for %d nodes, want %d", next.nodes, maxPathNodes)
	}
	if tables[0].learn(slices.Values([]string{"more"}), &lane); all.Load() != maxPathNodes {
		t.Errorf("%d nodes after one for a table that was let go, want %d", all.Load(), maxPathNodes)
	}
}
