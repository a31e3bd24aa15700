package page

import (
	"net/http"
	"strings"
	"testing"
)

type backoffJSON struct {
	Attempts  int
	Schedules []struct {
		RetryAfter *float64 `json:"retry_after_seconds"`
		Retries    []struct {
			Shortest float64 `json:"shortest_seconds"`
			Longest  float64 `json:"longest_seconds"`
		}
		Worst float64 `json:"worst_seconds"`
	}
}

func schedule(t *testing.T, pairs ...string) backoffJSON {
	t.Helper()
	return into[backoffJSON](t, send(t, http.MethodGet, "/api/backoff?"+query(pairs...), ""), http.StatusOK)
}

func TestBackoff(t *testing.T) {
	got := schedule(t)
	if got.Attempts != 4 || len(got.Schedules) != 1 || len(got.Schedules[0].Retries) != 3 || got.Schedules[0].RetryAfter != nil || got.Schedules[0].Worst != 1.4 {
		t.Errorf("the zero Policy: %+v", got)
	}
	got = schedule(t, "initial", "1s", "max", "60", "multiplier", "3", "jitter", "none", "attempts", "4", "retry_after", "5s", "hint_jitter", "0", "attempt_time", "100ms")
	if len(got.Schedules) != 2 {
		t.Fatalf("%+v, want one with Retry-After too", got)
	}
	plain, asked := got.Schedules[0], got.Schedules[1]
	if plain.Retries[2].Shortest != 9 || plain.Retries[2].Longest != 9 || plain.Worst != 13.4 {
		t.Errorf("without Retry-After: %+v", plain)
	}
	if *asked.RetryAfter != 5 || asked.Retries[0].Longest != 5 || asked.Retries[2].Longest != 9 || asked.Worst != 19.4 {
		t.Errorf("with it: %+v", asked)
	}
}

func TestBackoffErrors(t *testing.T) {
	for _, tt := range []struct {
		q           []string
		field, want string
	}{
		{[]string{"initial", "soon"}, "initial", `"soon" is not a length of time`},
		{[]string{"max", "-1s"}, "max", `"-1s" is not a length of time`},
		{[]string{"initial", "0"}, "initial", `"0" is not a length of time above zero, such as 1m30s or 90`},
		{[]string{"max", "0s"}, "max", `"0s" is not a length of time above zero`},
		{[]string{"initial", "2s", "max", "1s"}, "initial", "of 2s is longer than Max, 1s"},
		{[]string{"multiplier", "0.5"}, "multiplier", `"0.5" is not a number from 1 to 1e+06`},
		{[]string{"jitter", "NaN"}, "jitter", `"NaN" is not a number from 0 to 1`},
		{[]string{"hint_jitter", "2"}, "hint_jitter", `"2" is not a number from 0 to 1`},
		{[]string{"attempts", "0"}, "attempts", `"0" is not a whole number from 1 to 1001`},
		{[]string{"attempts", "1002"}, "attempts", `"1002" is not a whole number`},
	} {
		got := into[errorsJSON](t, send(t, http.MethodGet, "/api/backoff?"+query(tt.q...), ""), http.StatusUnprocessableEntity)
		if f := got.Errors[0]; f.Field != tt.field || !strings.HasPrefix(f.Message, tt.want) {
			t.Errorf("%v: %+v, want %s: %s", tt.q, f, tt.field, tt.want)
		}
	}
}
