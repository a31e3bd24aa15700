package main

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// corpusSize is the least number of cases that the corpus must have, so that a
// lost file cannot look like success.
const corpusSize = 232

type corpusCase struct {
	ID     string
	Expect struct {
		Policies  []policyJSON
		Retry     *float64 `json:"retry_after_seconds"`
		Tolerance float64  `json:"tolerance_seconds"`
	}
}

// What explain --batch says of the corpus is what the corpus expects.
func TestBatchCorpus(t *testing.T) {
	data, err := os.ReadFile("../../headers/testdata/dialects.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	out, status := headway(t, string(data), "explain", "--batch")
	var results []struct {
		ID       string
		Policies []policyJSON
		Retry    *float64 `json:"retry_after_seconds"`
	}
	if err := json.Unmarshal([]byte(out), &results); err != nil || status != ok {
		t.Fatalf("status %d, %v: %.300s", status, err, out)
	}
	if len(cases) < corpusSize || len(results) != len(cases) {
		t.Fatalf("%d results of %d cases, want at least %d", len(results), len(cases), corpusSize)
	}
	for i, c := range cases {
		got, want := results[i], c.Expect
		if got.ID != c.ID || !samePolicies(got.Policies, want.Policies, want.Tolerance) || !same(got.Retry, want.Retry, want.Tolerance) {
			t.Errorf("%s: got %s, want %s", c.ID, show(got), show(want))
		}
	}
}

func show(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// samePolicies reports whether got is want in some order.
func samePolicies(got, want []policyJSON, tolerance float64) bool {
	if len(got) != len(want) {
		return false
	}
	if len(want) == 0 {
		return true
	}
	for i := range got {
		rest := slices.Delete(slices.Clone(got), i, i+1)
		if samePolicy(got[i], want[0], tolerance) && samePolicies(rest, want[1:], tolerance) {
			return true
		}
	}
	return false
}

// samePolicy compares all that is known; a name only where one is expected.
func samePolicy(got, want policyJSON, tolerance float64) bool {
	return (want.Name == nil || text(got.Name) == *want.Name) && got.Unit == want.Unit &&
		same(got.Limit, want.Limit, 0) && same(got.Remaining, want.Remaining, 0) &&
		same(got.Window, want.Window, 0) && same(got.Burst, want.Burst, 0) &&
		same(got.Reset, want.Reset, tolerance) && same(got.Cost, want.Cost, 0)
}

func same(got, want *float64, tolerance float64) bool {
	if got == nil || want == nil {
		return got == want
	}
	return math.Abs(*got-*want) <= max(tolerance, 0.001)
}

// The id comes back as it was, whatever it is, and what is absent is null.
func TestBatchForm(t *testing.T) {
	out, _ := headway(t, `[{"id": {"a": 1.50}, "status": 429, "other": []}, {"headers": [["Retry-After", "1.5"]]}]`, "explain", "--batch")
	const want = `[
  {
    "id": {
      "a": 1.50
    },
    "policies": [],
    "retry_after_seconds": null
  },
  {
    "id": null,
    "policies": [],
    "retry_after_seconds": 1.5
  }
]
`
	if out != want {
		t.Errorf("got %s, want %s", out, want)
	}
	if out, _ := headway(t, " []\n", "explain", "--batch"); out != "[]\n" {
		t.Errorf("an empty batch: %q", out)
	}
}

// The time of a case is its own; without one it is that of --now.
func TestBatchNow(t *testing.T) {
	const batch = `[
		{"now": "2026-11-30T15:00:10Z", "headers": [["Retry-After", "Mon, 30 Nov 2026 15:01:00 GMT"]]},
		{"headers": [["Retry-After", "Mon, 30 Nov 2026 15:01:00 GMT"]]}]`
	out, _ := headway(t, batch, "explain", "--batch", noon)
	var results []batchResult
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		t.Fatal(err)
	}
	if !same(results[0].RetryAfter, new(50.0), 0) || !same(results[1].RetryAfter, new(60.0), 0) {
		t.Errorf("Retry-After: %s", out)
	}
}
