package transport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/transport"
	"golang.org/x/time/rate"
)

// Limits change while the program runs, and calls that wait are planned anew.
func ExampleTransport_SetLimits() {
	t := &transport.Transport{Base: noNetwork{}, Limits: transport.Limits{"api.example.com/": {{Rate: rate.Every(time.Hour), Burst: 1}}}}
	client := &http.Client{Transport: t}
	call := func() {
		resp, err := client.Get("https://api.example.com/")
		if err != nil {
			fmt.Println("not sent")
			return
		}
		fmt.Println(resp.StatusCode)
		_ = resp.Body.Close()
	}
	call()
	call()
	if err := t.SetLimits(transport.Limits{"api.example.com/": {{Rate: 1000, Burst: 1}}}); err != nil {
		fmt.Println(err)
	}
	call()
	// Output:
	// 200
	// not sent
	// 200
}

// What one process knows of its budgets, the next begins with.
func ExampleTransport_Snapshot() {
	limits := transport.Limits{"api.example.com/": {{Rate: rate.Every(time.Hour), Burst: 2}}}
	before := &transport.Transport{Base: noNetwork{}, Limits: limits}
	resp, err := (&http.Client{Transport: before}).Get("https://api.example.com/")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()
	file, err := json.Marshal(before.Snapshot())
	if err != nil {
		fmt.Println(err)
		return
	}

	var saved []throttle.Saved
	if err := json.Unmarshal(file, &saved); err != nil {
		fmt.Println(err)
		return
	}
	after := &transport.Transport{Base: noNetwork{}, Limits: limits}
	after.Restore(saved)
	resp, err = (&http.Client{Transport: after}).Get("https://api.example.com/")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()
	for _, lane := range after.Budgets()[0].Lanes {
		fmt.Printf("%s: %.0f of %d left\n", lane.Name, lane.Tokens[0], lane.Limits[0].Burst)
	}
	// Output: api.example.com/: 0 of 2 left
}

// What a Transport makes of an answer.
func ExampleRead() {
	h := http.Header{}
	h.Set("X-RateLimit-Remaining", "0")
	h.Set("X-RateLimit-Reset", "30")
	reading := transport.Read(http.StatusForbidden, headers.Parse(h, time.Now()))
	fmt.Println(reading.Refused, reading.RetryIn)
	// Output: true 30s
}
