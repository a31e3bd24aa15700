package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // not every machine has the time zones

	"github.com/headway-go/headway/throttle/tune"
	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// flags returns the options that the flags amount to.
func (c *tuneCommand) flags() (o tune.Options, err error) {
	o = tune.Options{
		ByUser:      c.By == "user",
		Gap:         time.Duration(c.Gap),
		Percentile:  c.Percentile,
		CloseToZero: c.CloseToZero,
		Candidates:  c.Candidates,
	}
	switch {
	case c.Gap == 0:
		return o, errors.New("--gap: want a length of time above zero, as 500ms")
	case c.Percentile <= 0:
		return o, errors.New("--percentile: want a number above 0 and up to 100")
	case c.CloseToZero < 0:
		return o, errors.New("--close-to-zero: want a share from 0 to 1")
	case c.CloseToZero == 0:
		o.CloseToZero = -1
	}
	if err = c.classes(&o); err == nil {
		err = c.limits(&o)
	}
	if err == nil {
		o.Log, err = c.log()
	}
	return o, err
}

// ruleOf returns the rule of a class, a new one if there is none.
func ruleOf(o *tune.Options, class string) *tune.Rule {
	i := slices.IndexFunc(o.Rules, func(r tune.Rule) bool { return r.Pattern == class })
	if i < 0 {
		i = len(o.Rules)
		o.Rules = append(o.Rules, tune.Rule{Pattern: class})
	}
	return &o.Rules[i]
}

func (c *tuneCommand) classes(o *tune.Options) error {
	for _, text := range c.Class {
		class, name, found := cutLast(text, "=")
		known := len(o.Rules)
		rule := ruleOf(o, class)
		if len(o.Rules) == known {
			return fmt.Errorf("--class: %s: there is another", shorten(text, 60))
		}
		if !found {
			continue
		}
		if err := rule.Type.UnmarshalText([]byte(name)); err != nil {
			return fmt.Errorf("--class: %s: %s", shorten(text, 60), withoutPackage(err))
		}
	}
	return nil
}

func (c *tuneCommand) limits(o *tune.Options) error {
	for _, text := range c.Limit {
		into, value := &o.Limit, text
		if class, after, found := cutLast(text, "="); found {
			into, value = &ruleOf(o, class).Limit, after
		}
		if *into != (tune.Limit{}) {
			return fmt.Errorf("--limit: %s: there is another", shorten(text, 60))
		}
		if err := into.UnmarshalText([]byte(value)); err != nil {
			return fmt.Errorf("--limit: %s: %s", shorten(text, 60), withoutPackage(err))
		}
	}
	return nil
}

// cutLast cuts around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

// withoutPackage is for an error of which the user knows where it comes from.
func withoutPackage(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}

var units = map[string]time.Duration{"": 0, "s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}

// log says how to read the logs.
func (c *tuneCommand) log() (o accesslog.Options, err error) {
	var known bool
	if o.Unit, known = units[c.Unit]; !known {
		return o, errors.New("--unit: want s, ms, us or ns")
	}
	if o.Zone, err = time.LoadLocation(c.Zone); err != nil {
		return o, fmt.Errorf("--zone: there is no %q: want one as UTC or Europe/Berlin", shorten(c.Zone, 40))
	}
	if err := o.Format.UnmarshalText([]byte(c.Format)); err != nil {
		return o, err
	}
	o.Fields = map[accesslog.Part]string{}
	for _, text := range c.Field {
		part, field, found := strings.Cut(text, "=")
		if !found {
			return o, fmt.Errorf("--field: %s: want it as time=FIELD", shorten(text, 60))
		}
		if o.Fields[accesslog.Part(part)] != "" {
			return o, fmt.Errorf("--field: %s: there is another", shorten(text, 60))
		}
		o.Fields[accesslog.Part(part)] = field
	}
	if c.By == "client" || c.By == "user" {
		return o, nil
	}
	if o.Fields[accesslog.Client] != "" {
		return o, fmt.Errorf("--by: %s: --field names another", shorten(c.By, 60))
	}
	o.Fields[accesslog.Client] = c.By
	return o, nil
}

// wrongOption names the flag for an option that makes no sense.
func wrongOption(err error) error {
	flags := map[string]string{
		"Rules": "--class or --limit", "Gap": "--gap", "Percentile": "--percentile",
		"CloseToZero": "--close-to-zero", "Candidates": "--candidates", "Fields": "--field or --by",
	}
	if wrong, ok := errors.AsType[*tune.OptionError](err); ok {
		return fmt.Errorf("%s: %v: want %s", flags[wrong.Field], wrong.Value, wrong.Want)
	}
	if wrong, ok := errors.AsType[*accesslog.OptionError](err); ok {
		return fmt.Errorf("%s: %v: want %s", flags[wrong.Field], wrong.Value, wrong.Want)
	}
	return err
}
