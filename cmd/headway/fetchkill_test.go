package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/headway-go/headway/throttle/throttletest"
)

// killedFiles is how many files the tests of this file fetch.
const killedFiles = 500

// body is what the server has at a path.
func body(path string) string { return strings.Repeat("the body of "+path+"\n", 20) }

// A killing is a list that is fetched by a real process, which is stopped again
// and again.
type killing struct {
	program string
	args    []string
	srv     *throttletest.Server
	kept    func(t *testing.T) map[string]bool // the paths of the answers there, which are whole

	mu    sync.Mutex
	calls int
	at    int           // the call at which full is closed
	full  chan struct{} // that so many calls were admitted
}

func newKilling(t *testing.T, program string) *killing {
	k := &killing{program: program}
	k.srv = throttletest.NewServer(t, throttletest.Config{Rate: 50, Burst: 350, Handler: http.HandlerFunc(k.answer)})
	return k
}

func (k *killing) answer(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, body(r.URL.Path))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.calls++; k.calls == k.at {
		close(k.full)
	}
}

// run starts the process, and sends it the signal once so many calls were made in
// all; 0 is none. It returns the exit status, and looks at what the run asked for.
func (k *killing) run(t *testing.T, at int, signal os.Signal) (status int) {
	t.Helper()
	k.mu.Lock()
	k.at, k.full = at, make(chan struct{})
	k.mu.Unlock()
	before, arrived := k.kept(t), len(k.srv.Arrivals())
	cmd := exec.CommandContext(t.Context(), k.program, append([]string{"fetch"}, k.args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if at > 0 {
		<-k.full
		if err := cmd.Process.Signal(signal); err != nil {
			t.Error(err)
		}
	}
	if _, ended := errors.AsType[*exec.ExitError](cmd.Wait()); !ended && at > 0 {
		t.Errorf("it was not stopped: %s", &stderr)
	}
	refused := 0
	for i, a := range k.srv.Arrivals()[arrived:] {
		if before[a.Path] {
			t.Errorf("%s was asked for again", a.Path)
		}
		if i > 0 && !a.Admitted {
			refused++
		}
	}
	t.Logf("%d were there, %d are there now; %d calls; refused after the first answer: %d",
		len(before), len(k.kept(t)), len(k.srv.Arrivals())-arrived, refused)
	if refused > 0 {
		t.Errorf("%d were refused after the first answer", refused)
	}
	return cmd.ProcessState.ExitCode()
}

// A process that is killed, and then interrupted, leaves whole answers, and the
// next goes on with what is left.
func TestFetchKilled(t *testing.T) {
	program := filepath.Join(t.TempDir(), "headway")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, to := range []string{"folder", "lines"} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			k := newKilling(t, program)
			target := filepath.Join(t.TempDir(), "out")
			k.args = []string{fmt.Sprintf("%s/{1..%d}", k.srv.URL, killedFiles), "--out", target}
			k.kept = func(t *testing.T) map[string]bool { return keptFiles(t, target) }
			if to == "lines" {
				k.args[1] = "--jsonl"
				k.kept = func(t *testing.T) map[string]bool { return keptLines(t, target) }
			}
			k.run(t, 170, syscall.SIGKILL)
			made := len(k.srv.Arrivals())
			if status := k.run(t, 340, os.Interrupt); status != stopped {
				t.Errorf("interrupted: status %d", status)
			}
			kept := k.kept(t)
			for _, a := range k.srv.Arrivals()[made:] {
				if a.Admitted && !kept[a.Path] {
					t.Errorf("the answer to %s was lost, though it was only interrupted", a.Path)
				}
			}
			if status := k.run(t, 0, nil); status != ok {
				t.Errorf("in the end: status %d", status)
			}
			if n := len(k.kept(t)); n != killedFiles {
				t.Errorf("%d are there, want %d", n, killedFiles)
			}
		})
	}
}

// keptFiles are the paths of the files in a folder; it may not be there yet.
func keptFiles(t *testing.T, dir string) map[string]bool {
	t.Helper()
	kept := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(dir, "http=*"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		_, number, _ := strings.Cut(filepath.Base(file), "_")
		if err != nil || string(data) != body("/"+number) {
			t.Errorf("%s is not whole: %q, %v", file, data, err)
		}
		kept["/"+number] = true
	}
	return kept
}

// keptLines are the paths in a file of lines; the last one may be torn.
func keptLines(t *testing.T, file string) map[string]bool {
	t.Helper()
	kept := map[string]bool{}
	data, _ := os.ReadFile(file)
	for line := range bytes.Lines(data) {
		if line[len(line)-1] != '\n' {
			break
		}
		var l struct{ URL, Body string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		path := l.URL[strings.LastIndex(l.URL, "/"):]
		if kept[path] || l.Body != body(path) {
			t.Errorf("%s is there twice, or not whole", path)
		}
		kept[path] = true
	}
	return kept
}
