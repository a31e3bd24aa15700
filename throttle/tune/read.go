package tune

import (
	"fmt"
	"io"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// A Log is a log to read. Its name is for errors, and for the report.
type Log struct {
	Name   string
	Reader io.Reader
}

// Read measures the calls of all logs together. Each is read once, to its end,
// so it blocks as long as the readers do; one that is to be given up has to
// return an error. The error is that of [Options.Validate], an
// [*accesslog.ReadError], a [*NoCallsError] or [ErrNoCalls].
func Read(o Options, logs ...Log) (*Report, error) {
	t, err := New(o)
	if err != nil {
		return nil, err
	}
	readers := make([]*accesslog.Reader, len(logs))
	for i, log := range logs {
		if readers[i], err = accesslog.NewReader(log.Name, log.Reader, o.Log); err != nil {
			return nil, err
		}
	}
	for e, err := range accesslog.Merge(readers) {
		if err != nil {
			return nil, err
		}
		t.Add(e)
	}
	return t.reportOf(readers)
}

func (t *Tuner) reportOf(readers []*accesslog.Reader) (*Report, error) {
	var logs []accesslog.Tally
	for _, r := range readers {
		logs = append(logs, r.Tally())
	}
	report, err := t.Report()
	if err != nil {
		return nil, &NoCallsError{Logs: logs}
	}
	report.Logs = logs
	return report, nil
}

// A NoCallsError reports that no log has a call in it, or none that can be read.
// It unwraps to [ErrNoCalls].
type NoCallsError struct {
	Logs []accesslog.Tally
}

func (e *NoCallsError) Error() string {
	for _, log := range e.Logs {
		if len(log.First) > 0 {
			return fmt.Sprintf("%v: %s: %s", ErrNoCalls, log.Where(0), log.First[0].Problem)
		}
	}
	return ErrNoCalls.Error()
}

// Unwrap returns [ErrNoCalls].
func (e *NoCallsError) Unwrap() error { return ErrNoCalls }
