package main

import (
	"bytes"
	"context"
	_ "embed" // the scripts
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle/tune"
)

var (
	//go:embed scripts/burst.awk
	burstAWK string
	//go:embed scripts/burst.py
	burstPython string
)

// tunings read access logs.
func tunings() []row {
	return []row{{
		name: "tune/access log", unit: "ms/MB", open: tuningLog, rounds: 5, aim: aim{peers: true, allocs: anyAllocs},
		about: "The burst that clients of an access log produce: 10 ms/MB are 100 MB a second. The scripts do only that, and are given it as they like it; ours also replays the log against many bursts, and tells classes of calls and loops. Those that are not in PATH are left out.",
	}}
}

func tuningLog(b *bench) ([]contender, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	b.cleanup(func() { _ = os.RemoveAll(dir) }) // what is left, the system clears up
	log := accessLog(b.size(100_000))
	file := filepath.Join(dir, "access.log")
	if err := os.WriteFile(file, log, 0o600); err != nil {
		return nil, err
	}
	want, err := percentile(log)
	if err != nil {
		return nil, err
	}
	megabytes := float64(len(log)) / 1e6
	all := []contender{{"headway", ours, func(time.Duration) (sample, error) {
		s, err := measure(1, func(int) error { _, err := percentile(log); return err })
		s.value /= 1e6 * megabytes
		return s, err
	}}}
	for _, p := range []struct {
		name string
		args []string
	}{{"awk", []string{burstAWK, file}}, {"python3", []string{"-c", burstPython, file}}} {
		program, err := exec.LookPath(p.name)
		if err != nil {
			continue
		}
		all = append(all, contender{p.name, peer, func(time.Duration) (sample, error) {
			took, err := printing(b.ctx, want, program, p.args...)
			return only(took.Seconds() * 1000 / megabytes), err
		}})
	}
	return all, nil
}

// percentile is the 99th of the sizes of clusters.
func percentile(log []byte) (int64, error) {
	report, err := tune.Read(tune.Options{}, tune.Log{Name: "access.log", Reader: bytes.NewReader(log)})
	if err != nil {
		return 0, err
	}
	return report.All.Clusters.Percentile, nil
}

// printing runs a program that has to print the number, and returns the
// processor time that it took.
func printing(ctx context.Context, want int64, program string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != strconv.FormatInt(want, 10) {
		return 0, fmt.Errorf("it says %s, ours %d", got, want)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// accessLog is n calls of clients who load a page of up to 15 calls, and then
// read it.
func accessLog(n int) []byte {
	random := rand.New(rand.NewPCG(1, 1))
	clients := max(1, n/500)
	var calls []time.Duration // with the number of the client in what is below a millisecond
	for c := range clients {
		at := time.Duration(random.IntN(60_000)) * time.Millisecond
		for k := 0; k < n/clients; {
			for size := 1 + random.IntN(15); size > 0 && k < n/clients; size, k = size-1, k+1 {
				calls = append(calls, at+time.Duration(c))
				at += time.Duration(5+random.IntN(100)) * time.Millisecond
			}
			at += time.Duration(1+random.IntN(60)) * time.Second
		}
	}
	slices.Sort(calls)
	midnight := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	var log []byte
	for _, call := range calls {
		log = fmt.Appendf(log, "203.0.%d.%d - - [", call%1000/250, call%250)
		log = midnight.Add(call).AppendFormat(log, "02/Jan/2006:15:04:05.000 -0700")
		log = append(log, `] "GET /api/v1/widgets/17?limit=50 HTTP/1.1" 200 2326 "https://example.com/dashboard" "Mozilla/5.0 (X11; Linux x86_64)"`+"\n"...)
	}
	return log
}
