package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/headway-go/headway/headers"
)

// A batchCase is one response of a batch, and what was read of it.
type batchCase struct {
	ID      json.RawMessage `json:"id"`
	Now     *time.Time      `json:"now"`
	Headers [][]string      `json:"headers"`
}

// A batchResult is what one response said.
type batchResult struct {
	ID         json.RawMessage `json:"id"`
	Policies   []policyJSON    `json:"policies"`
	RetryAfter *float64        `json:"retry_after_seconds"`
}

// readBatch reads an array of responses, and what each says.
func readBatch(j *jsonReader, now func(*time.Time) time.Time, o headers.Overrides) ([]batchResult, error) {
	results := []batchResult{}
	err := each(j, "the array", "response", func(_ int, c batchCase) error {
		h, err := pairs(c.Headers)
		if err != nil {
			return err
		}
		said := o.Parse(h, now(c.Now))
		results = append(results, batchResult{c.ID, policiesJSON(said.Policies), seconds(said.RetryAfter)})
		return nil
	})
	if err == nil {
		err = j.end("the array")
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

func pairs(list [][]string) (http.Header, error) {
	h := http.Header{}
	for _, kv := range list {
		if len(kv) != 2 {
			return nil, errors.New("headers: want pairs of a name and a value")
		}
		h.Add(kv[0], kv[1])
	}
	return h, nil
}

// A policyJSON is a policy for others to read: null is unknown.
type policyJSON struct {
	Name      *string  `json:"name"`
	Limit     *float64 `json:"limit"`
	Remaining *float64 `json:"remaining"`
	Window    *float64 `json:"window_seconds"`
	Burst     *float64 `json:"burst"`
	Reset     *float64 `json:"reset_seconds"`
	Unit      string   `json:"unit"`
	Cost      *float64 `json:"cost"`
}

func policiesJSON(from []headers.Policy) []policyJSON {
	list := make([]policyJSON, len(from))
	for i, p := range from {
		list[i] = policyJSON{
			Name:      known(p.Name),
			Limit:     count(p.Limit),
			Remaining: count(p.Remaining),
			Window:    seconds(headers.Opt[time.Duration]{V: p.Window, OK: p.Window > 0}),
			Burst:     count(p.Burst),
			Reset:     seconds(p.Reset),
			Unit:      p.Unit,
			Cost:      count(p.Cost),
		}
	}
	return list
}

// known is nil for an empty text, which stands for none.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func count(v headers.Opt[float64]) *float64 {
	if !v.OK {
		return nil
	}
	return &v.V
}

func seconds(d headers.Opt[time.Duration]) *float64 {
	if !d.OK {
		return nil
	}
	s := d.V.Seconds()
	return &s
}
