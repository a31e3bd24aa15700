package throttle

import (
	"testing"
	"testing/synctest"
	"time"
)

// What was heard some time before it was saved has become older since.
func TestSavedResetIsFromTheSaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		root, _ := b.Lane("")
		go1(t, root, false, quota("", 100, 0, time.Minute))
		time.Sleep(50 * time.Second)
		saved := b.Save()
		time.Sleep(5 * time.Second)

		var next Budget
		next.Restore(saved)
		root, _ = next.Lane("")
		if d := waitOf(t, root); d < 5*time.Second || d > 7*time.Second {
			t.Errorf("a call waits %v, want the 5 s that are left of a minute, and no more than two", d)
		}
	})
}
