package page

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/throttle/tune"
	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// tune answers with what the log in the body asks for. The log is read as it
// comes, and nothing of it is kept.
func (p *page) tune(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	options, err := readTuning(q)
	if err != nil {
		fail(w, "", err)
		return
	}
	report, err := tune.Read(options, tune.Log{Name: cmp.Or(q.Get("name"), "the log"), Reader: r.Body})
	if err != nil {
		fail(w, "log", tuneFault(err))
		return
	}
	answer(w, http.StatusOK, report)
}

func readTuning(q url.Values) (tune.Options, error) {
	e := &entries{Values: q}
	o := tune.Options{
		ByUser:      q.Has("by_user"),
		Gap:         e.length("gap"),
		Percentile:  e.number("percentile", 0.001, 100),
		CloseToZero: e.number("close", 0, 100) / 100,
		Candidates:  e.candidates(),
		Log:         e.log(),
	}
	if e.text("close") != "" && o.CloseToZero == 0 {
		o.CloseToZero = -1 // which is none, where zero is the default
	}
	if text := e.text("limit"); text != "" {
		e.parse("limit", text, &o.Limit)
	}
	o.Rules = e.rules()
	if err := e.err(); err != nil {
		return o, err
	}
	return o, tuneFault(o.Validate())
}

// parse reads what knows how to read itself.
func (e *entries) parse(field, text string, to interface{ UnmarshalText([]byte) error }) {
	if err := to.UnmarshalText([]byte(text)); err != nil {
		_, problem, _ := strings.Cut(err.Error(), ": ") // without the package
		e.fault(field, "%.60q: %s", text, problem)
	}
}

// candidates reads a list of bursts.
func (e *entries) candidates() []int64 {
	var all []int64
	for _, text := range split(e.text("candidates"), ",") {
		b, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			e.fault("candidates", "%.40q is not a whole number", text)
		}
		all = append(all, b)
	}
	return all
}

// log reads how a log is written.
func (e *entries) log() (o accesslog.Options) {
	if text := e.text("format"); text != "" {
		e.parse("format", text, &o.Format)
	}
	if text := e.text("unit"); text != "" {
		unit, err := time.ParseDuration("1" + text)
		if err != nil {
			e.fault("unit", "%.40q is no unit", text)
		}
		o.Unit = unit
	}
	for _, text := range split(e.text("fields"), ",") {
		part, field, found := strings.Cut(text, "=")
		if !found {
			e.fault("fields", "%.60q is not as time=FIELD", text)
			continue
		}
		if o.Fields == nil {
			o.Fields = map[accesslog.Part]string{}
		}
		o.Fields[accesslog.Part(strings.TrimSpace(part))] = strings.TrimSpace(field)
	}
	return o
}

// rules reads what is said of single classes, one a line: CLASS=TYPE or
// CLASS=LIMIT.
func (e *entries) rules() []tune.Rule {
	var rules []tune.Rule
	at := map[string]int{}
	for _, text := range split(e.text("rules"), "\n") {
		i := strings.LastIndex(text, "=")
		if i < 0 {
			e.fault("rules", "%.60q is not as POST /login=login or POST /login=5/1m", text)
			continue
		}
		class, value := strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
		if _, known := at[class]; !known {
			at[class] = len(rules)
			rules = append(rules, tune.Rule{Pattern: class})
		}
		if rule := &rules[at[class]]; strings.Contains(value, "/") {
			e.parse("rules", value, &rule.Limit)
		} else {
			e.parse("rules", value, &rule.Type)
		}
	}
	return rules
}

// split returns the parts that are not empty.
func split(text, by string) (parts []string) {
	for part := range strings.SplitSeq(text, by) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// The entries of the fields of options.
var tuneEntries = map[string]string{
	"Limit": "limit", "Rules": "rules", "Gap": "gap", "Percentile": "percentile", "CloseToZero": "close",
	"Candidates": "candidates", "Format": "format", "Fields": "fields", "Unit": "unit",
}

// tuneFault is at the entry that an error is about.
func tuneFault(err error) error {
	if bad, ok := errors.AsType[*tune.OptionError](err); ok {
		return &fault{Field: tuneEntries[bad.Field], Message: fmt.Sprintf("%v: want %s", bad.Value, bad.Want)}
	}
	if bad, ok := errors.AsType[*accesslog.OptionError](err); ok {
		return &fault{Field: tuneEntries[bad.Field], Message: fmt.Sprintf("%v: want %s", bad.Value, bad.Want)}
	}
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return err
	}
	if bad, ok := errors.AsType[*accesslog.ReadError](err); ok {
		if bad.Line > 0 {
			return &fault{Field: "log", Message: fmt.Sprintf("line %d: %v", bad.Line, bad.Err)}
		}
		return &fault{Field: "log", Message: bad.Err.Error()}
	}
	if none, ok := errors.AsType[*tune.NoCallsError](err); ok {
		return noCalls(none)
	}
	return err
}

func noCalls(none *tune.NoCallsError) error {
	for _, log := range none.Logs {
		if log.Bad > 0 {
			return &fault{Field: "log", Message: fmt.Sprintf("none of the %d lines can be read as a call; line %d: %s", log.Bad, log.First[0].Number, log.First[0].Problem)}
		}
	}
	return &fault{Field: "log", Message: "there are no calls in it"}
}
