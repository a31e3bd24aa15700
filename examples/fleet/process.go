package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// A process is one of the fleet, seen from here.
type process struct {
	cmd   *exec.Cmd
	calls chan int // to make; closed at the end
	part  part
	open  map[int]bool // calls that it was given, and has not answered
}

// start runs this program again, as one that makes calls, and waits until it is
// ready.
func start(ctx context.Context, env []string, stderr io.Writer) (*process, *bufio.Scanner, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, program), calls: make(chan int, 2*atOnce), open: make(map[int]bool)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() || lines.Text() != "ready" {
		_ = p.cmd.Wait() // it has said why
		return nil, nil, errors.New("a process does not start")
	}
	go func() {
		defer func() { _ = stdin.Close() }()
		for n := range p.calls {
			fmt.Fprintln(stdin, n) // if nobody reads it, the process is gone
		}
	}()
	return p, lines, nil
}

// A fleet gives the calls to the processes, and counts.
type fleet struct {
	mu        sync.Mutex
	processes []*process
	queue     []int // calls that nobody has
	left      int   // calls without an answer
	lost      int
	failure   string
	steps     []step
	wg        sync.WaitGroup
}

// A step is something to do once no more than so many calls are left.
type step struct {
	left int
	do   func()
}

// run makes n calls. It returns when all are answered, or all processes are gone.
func (f *fleet) run(n int, lines []*bufio.Scanner) {
	f.mu.Lock()
	f.left = n
	for i := range n {
		f.queue = append(f.queue, i)
	}
	for _, p := range f.processes {
		f.feed(p)
	}
	f.mu.Unlock()
	for i, p := range f.processes {
		f.wg.Go(func() {
			for lines[i].Scan() {
				f.answered(p, lines[i].Text())
			}
			f.ended(p)
		})
	}
	f.wg.Wait()
	for _, p := range f.processes {
		_ = p.cmd.Wait() // how it ended is known from what it answered
	}
	f.lost += f.left
}

// feed gives a process so many calls that none of its hands is idle.
func (f *fleet) feed(p *process) {
	for len(f.queue) > 0 && len(p.open) < atOnce+atOnce/4 && p.calls != nil {
		n := f.queue[0]
		f.queue = f.queue[1:]
		p.open[n] = true
		p.calls <- n // there is room
	}
}

// answered takes in a line of a process.
func (f *fleet) answered(p *process, line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, rest, _ := strings.Cut(line, " ")
	ops, problem, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(first)
	if err != nil || !p.open[n] {
		return
	}
	delete(p.open, n)
	p.part.Calls++
	if p.part.Ops, err = strconv.ParseInt(ops, 10, 64); err != nil {
		problem = line
	}
	if problem != "" {
		f.lost++
		if f.failure == "" {
			f.failure = problem
		}
	}
	f.left--
	f.feed(p)
	f.next()
}

// next does what is due, and sends everybody home after the last call.
func (f *fleet) next() {
	for len(f.steps) > 0 && f.left <= f.steps[0].left {
		do := f.steps[0].do
		f.steps = f.steps[1:]
		f.wg.Go(do)
	}
	if f.left == 0 {
		for _, p := range f.processes {
			f.dismiss(p)
		}
	}
}

func (f *fleet) dismiss(p *process) {
	if p.calls != nil {
		close(p.calls)
		p.calls = nil
	}
}

// ended gives the calls that a process has not answered to the others.
func (f *fleet) ended(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dismiss(p)
	for n := range p.open {
		f.queue = append(f.queue, n)
	}
	clear(p.open)
	for _, other := range f.processes {
		f.feed(other)
	}
}

// kill ends a process as a crash does.
func (f *fleet) kill(p *process) {
	f.mu.Lock()
	p.part.Killed = true
	f.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended
}
