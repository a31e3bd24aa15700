package accesslog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Options say how to read a log. The zero Options find out by themselves. They
// are a plain value, and may be shared once they are set.
type Options struct {
	// Format is that of all logs. Zero means that the first lines tell.
	Format Format

	// Fields says in which field of a JSON object or in which column of CSV a
	// part of an entry is: by its name, by the path a.b of a field within a
	// field, or by the number of the column, from 1. Parts that are not named
	// are looked for under the names in common use. Logs in other formats have no
	// fields: with one of those, the error is a [*ReadError].
	Fields map[Part]string

	// Zone holds for times that name none. Nil means UTC.
	Zone *time.Location

	// Unit is what a bare number counts since 1970, or since any other
	// beginning: a second, millisecond, microsecond or nanosecond. Zero means
	// that its size tells: what would be after the year 5000 in one of them is
	// in the next.
	Unit time.Duration
}

// A Part is a part of an [Entry], as [Options] name it.
type Part string

// The parts of an entry.
const (
	Time    Part = "time"
	Client  Part = "client"
	User    Part = "user"
	Host    Part = "host"
	Method  Part = "method"
	Path    Part = "path"
	Request Part = "request" // method, path and protocol in one
	Class   Part = "class"
	Agent   Part = "agent"
	Status  Part = "status"
	Cost    Part = "cost"
	Wait    Part = "wait"    // in seconds, for which the client held the call back
	Attempt Part = "attempt" // how many times the client has made the call, from 1
	Dropped Part = "dropped" // how many lines before this one could not be written
)

var allParts = []Part{Time, Client, User, Host, Method, Path, Request, Class, Agent, Status, Cost, Wait, Attempt, Dropped}

// A Format is how a log is written.
type Format uint8

// The formats.
const (
	Auto   Format = iota // the first lines tell
	Common               // Common or Combined Log Format
	JSON                 // one object a line
	CSV                  // separated by comma, semicolon, tab or bar
	HAR                  // HTTP Archive 1.2
	Plain                // an instant a line
)

var formatNames = []string{"auto", "common", "json", "csv", "har", "plain"}

// String returns its name.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// MarshalText writes its name.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads its name.
func (f *Format) UnmarshalText(text []byte) error {
	i := slices.Index(formatNames, string(text))
	if i < 0 {
		return fmt.Errorf("accesslog: format %q, want one of %s", text, strings.Join(formatNames, ", "))
	}
	*f = Format(i)
	return nil
}

// An OptionError reports an option that makes no sense.
type OptionError struct {
	Field string // of Options
	Value any    // what was given
	Want  string // what would do
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("accesslog: %s %v, want %s", e.Field, e.Value, e.Want)
}

// Validate returns an [*OptionError] for the first option that makes no sense.
func (o *Options) Validate() error {
	if int(o.Format) >= len(formatNames) {
		return &OptionError{Field: "Format", Value: uint8(o.Format), Want: "one of the formats"}
	}
	for _, part := range slices.Sorted(maps.Keys(o.Fields)) {
		if !slices.Contains(allParts, part) {
			return &OptionError{Field: "Fields", Value: string(part), Want: fmt.Sprint("one of ", allParts)}
		}
		if o.Fields[part] == "" {
			return &OptionError{Field: "Fields", Value: part + "=", Want: "the name of a field"}
		}
	}
	switch o.Unit {
	case 0, time.Second, time.Millisecond, time.Microsecond, time.Nanosecond:
		return nil
	}
	return &OptionError{Field: "Unit", Value: o.Unit, Want: "1s, 1ms, 1µs or 1ns"}
}
