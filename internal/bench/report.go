package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// A report is all that was measured, and on what.
type report struct {
	Date    string   `json:"date"`
	Machine machine  `json:"machine"`
	Modules []module `json:"modules"`
	Rounds  int      `json:"rounds"`
	Slice   string   `json:"time"`
	Rows    []result `json:"rows"`
}

type machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Go    string `json:"go"`
}

type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

func newReport(o options) *report {
	cpu := cpuid.CPU.BrandName
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	return &report{
		Date:    time.Now().Format(time.DateOnly),
		Machine: machine{cpu, runtime.NumCPU(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()},
		Modules: modules(),
		Rounds:  o.rounds,
		Slice:   o.slice.String(),
	}
}

// peers are the modules that are measured. What they need in turn is of no
// interest.
var peers = []string{
	"github.com/PuerkitoBio/rehttp",
	"github.com/dunglas/httpsfv",
	"github.com/failsafe-go/failsafe-go",
	"github.com/go-redis/redis_rate/v10",
	"github.com/gofri/go-github-ratelimit/v2",
	"github.com/hashicorp/go-retryablehttp",
	"github.com/throttled/throttled/v2",
	"go.uber.org/ratelimit",
	"golang.org/x/time",
	"resty.dev/v3",
}

// modules are the peers in the versions that this program is built of.
func modules() (list []module) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, dep := range info.Deps {
		if slices.Contains(peers, dep.Path) {
			list = append(list, module{dep.Path, dep.Version})
		}
	}
	return list
}

// score is how many aims are met.
func (r *report) score() string {
	met, asked := 0, 0
	for i := range r.Rows {
		if len(r.Rows[i].Goals) == 0 {
			continue
		}
		asked++
		if _, ok := r.Rows[i].verdict(); ok {
			met++
		}
	}
	return fmt.Sprintf("The aim is met in %d of %d rows that have one.", met, asked)
}

// reportFile is BENCHMARKS.md beside the go.work above the working directory.
func reportFile() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return filepath.Join(dir, "BENCHMARKS.md"), nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("-write: there is no go.work here or above, so this is not the repository")
		}
		dir = filepath.Dir(dir)
	}
}

// save writes the report in the place of the one before it, whole or not at all.
func (r *report) save(file string) error {
	next := file + ".new"
	if err := os.WriteFile(next, []byte(r.markdown()), 0o644); err != nil {
		return err
	}
	return os.Rename(next, file)
}

const intro = `# Benchmarks

Written by ` + "`go run ./internal/bench -write`" + `, which measures everything below in one run: a few milliseconds of each
contender in turn, there and back, for many rounds, so that what disturbs the machine for a while disturbs all alike.

- %s. On a machine that others use as well, as this one was,
  **compare within a row only**: ratios are those of one run, and hold; a figure by itself may be twice what it is on a quiet one.
- The ratios are medians over the rounds, each of slices of one round. The spread is the distance of the quartiles.
- The *floor* is the least that anybody could do: in a decision a clock read and a compare-and-swap, for a client its base.
- Figures are for one operation. Less is better in all of them.
- Whether what a call costs grows is to be seen in *Keys* (1, 1,000, 1,000,000), *Waiters* (1, 1,000, 100,000) and *Uptime*.

`

// markdown is the report as a document.
func (r *report) markdown() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, intro, timeText)
	fmt.Fprintf(&sb, "%s. %s, %d cores, %s, %s. %d rounds of %s.\n\n", r.Date, r.Machine.CPU, r.Machine.Cores, r.Machine.OS,
		r.Machine.Go, r.Rounds, r.Slice)
	for _, m := range r.Modules {
		fmt.Fprintf(&sb, "- %s %s\n", m.Path, m.Version)
	}
	fmt.Fprintf(&sb, "\n%s\n", r.score())
	group := ""
	for i := range r.Rows {
		row := &r.Rows[i]
		head, work, _ := strings.Cut(row.Name, "/")
		if head != group {
			fmt.Fprintf(&sb, "\n## %s\n", strings.ToUpper(head[:1])+head[1:])
			group = head
		}
		fmt.Fprintf(&sb, "\n### %s, %s\n\n%s\n\n", work, row.Unit, row.About)
		row.markdown(&sb)
	}
	return sb.String()
}

func (r *result) markdown(sb *strings.Builder) {
	for i, line := range r.lines() {
		fmt.Fprintf(sb, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(sb, "|---|%s\n", strings.Repeat("--:|", len(line)-1))
		}
	}
	if text, _ := r.verdict(); len(r.Goals) > 0 {
		fmt.Fprintf(sb, "\nAim: %s.\n", text)
	}
}
