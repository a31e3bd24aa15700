package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestNoSpanIsLost(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	var made, arrived, requests, refused, most int
	if _, err := fmt.Sscanf(out.String(), "%d spans made, %d arrived, in %d requests, %d of them refused, %d at once at most", &made, &arrived, &requests, &refused, &most); err != nil {
		t.Fatalf("%q: %v", &out, err)
	}
	if made != 8000 || arrived != made || most > atOnce {
		t.Errorf("%s; want 8000 to arrive, %d requests at once at most", &out, atOnce)
	}
	if refused > atOnce {
		t.Errorf("%d requests were refused, want no more than were under way at first", refused)
	}
}
