package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

func byHandOnly() *transport.Transport {
	limits := transport.Limits{"/": {throttle.Per(10, time.Hour)}}
	return &transport.Transport{Limits: limits, MaxWait: time.Second}
}

func newEnv(t *testing.T) *env { return &env{ctx: t.Context(), stdin: strings.NewReader("")} }

// A run goes on with what the one before it left.
func TestBudgetFile(t *testing.T) {
	srv := throttletest.NewServer(t, throttletest.Config{Rate: 1000, Burst: 1000, Dialect: throttletest.Nothing})
	file := budgetFile(filepath.Join(t.TempDir(), "budgets.json"))
	for run := range 2 {
		tr := byHandOnly()
		if err := file.restore(newEnv(t), tr); err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: tr}).Get(srv.URL)
		if (err == nil) != (run == 0) { // the burst is one
			t.Errorf("run %d: %v", run, err)
		}
		if err == nil {
			resp.Body.Close()
		}
		if err := file.save(tr); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(string(file))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want -rw-------", info.Mode(), err)
	}
	if list, _ := os.ReadDir(filepath.Dir(string(file))); len(list) != 1 {
		t.Errorf("%d files are left, want 1", len(list))
	}
}

func TestBudgetFileErrors(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ text, want string }{
		{"", ":1: the budgets: the JSON ends too early"},
		{"{}", "want a JSON array"},
		{"[{}]", "budget 1: want a key"},
		{`[{"key":"a","at":"2026-11-30T15:00:00Z"},` + "\n" + `{"key":"b"}]`, ":2: budget 2: want a key"},
		{`[{"key":7}]`, "budget 1: key is a JSON number"},
		{`[] []`, "there is more after it"},
	} {
		file := budgetFile(filepath.Join(dir, "budgets.json"))
		if err := os.WriteFile(string(file), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := file.restore(newEnv(t), byHandOnly())
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), string(file)) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
	nowhere := budgetFile(filepath.Join(dir, "no", "such", "folder"))
	if err := nowhere.restore(newEnv(t), byHandOnly()); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("restore from nowhere: %v", err)
	}
	if err := nowhere.save(byHandOnly()); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("save to nowhere: %v", err)
	}
	if err := budgetFile(os.DevNull).restore(newEnv(t), byHandOnly()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("restore from a device: %v", err)
	}
	if err := budgetFile("").restore(newEnv(t), byHandOnly()); err != nil {
		t.Errorf("no file: %v", err)
	}
}
