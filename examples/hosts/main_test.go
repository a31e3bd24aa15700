package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/headway-go/headway/throttle/throttletest"
)

func TestHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, limit)
		var out strings.Builder
		if err := call(t.Context(), srv.Client().Transport, srv.URL, &out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"25 calls of GET http://a.example/items were done after 2s\n",
			"9 calls of GET http://b.example/items were done after 2s\n",
			"2 calls of POST http://b.example/report were done after 2s\n",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("printed:\n%s\nwant %q", &out, want)
			}
		}
	})
}
