package fetch

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// What is dropped is what a map would find, however small the batches are.
func TestRepeats(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		r := repeats{most: 1 + rnd.IntN(20)}
		first, here, want := map[string]int64{}, map[string]bool{}, map[int64]bool{}
		for i := range 20 {
			if url := fmt.Sprint(i); rnd.IntN(3) == 0 {
				here[url] = true
			}
		}
		for at := range int64(rnd.IntN(200)) {
			url := fmt.Sprint(rnd.IntN(30))
			if err := r.add(url, at); err != nil {
				t.Fatal(err)
			}
			if _, seen := first[url]; seen {
				want[at] = false
			} else if first[url] = at; here[url] {
				want[at] = true
			}
		}
		for url := range here {
			for range 1 + rnd.IntN(2) { // a file may have it twice
				if err := r.add(url, had); err != nil {
					t.Fatal(err)
				}
			}
		}
		err := r.each(func(at int64, here bool) error {
			if is, ok := want[at]; !ok || is != here {
				t.Errorf("seed %d: place %d is dropped, here %t", seed, at, here)
			}
			delete(want, at)
			return nil
		})
		if err != nil || len(want) > 0 {
			t.Errorf("seed %d: %v, not dropped: %v", seed, err, want)
		}
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}
}
