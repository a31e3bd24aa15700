package fetch

import (
	"os"
	"path/filepath"
	"testing"
)

// The file is as it was until the end, and if the list is dropped it stays so.
func TestRest(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rest.txt")
	if err := os.WriteFile(name, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, end := range []bool{false, true} {
		r, err := NewRest(name)
		if err != nil {
			t.Fatal(err)
		}
		r.add("https://api.test/1", "cause")
		if got, _ := os.ReadFile(name); string(got) != "before" {
			t.Errorf("too early: %q", got)
		}
		want := "before"
		if !end {
			r.Drop()
		} else if want = "# cause\nhttps://api.test/1\n"; r.End() != nil {
			t.Error("no end")
		}
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
		if all, _ := os.ReadDir(filepath.Dir(name)); len(all) != 1 {
			t.Errorf("%d files", len(all))
		}
	}
	if _, err := NewRest(filepath.Join(t.TempDir(), "no", "such")); err == nil {
		t.Error("a list in no folder")
	}
	if _, err := NewRest(t.TempDir()); err == nil { // or a device, which would be lost
		t.Error("a list in the place of a folder")
	}
	var none *Rest
	none.add("a", "b")
	none.Drop()
	if err := none.End(); err != nil {
		t.Error(err)
	}
}
