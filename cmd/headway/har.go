package main

import (
	"net/http"
	"net/url"
	"time"

	"github.com/headway-go/headway/headers"
	"github.com/headway-go/headway/transport"
)

// A harEntry is what matters of an entry of a HAR file (HTTP Archive 1.2).
type harEntry struct {
	Started time.Time `json:"startedDateTime"`
	Time    float64   `json:"time"` // in milliseconds
	Request struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
	Response struct {
		Status  int `json:"status"` // 0 if there was no answer
		Headers []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"headers"`
	} `json:"response"`
}

// ended is when the answer had come.
func (h *harEntry) ended() time.Time {
	ms := min(max(h.Time, 0), 1e12)
	return h.Started.Add(time.Duration(ms * float64(time.Millisecond)))
}

func (h *harEntry) header() http.Header {
	header := http.Header{}
	for _, f := range h.Response.Headers {
		header.Add(f.Name, f.Value)
	}
	return header
}

// A harHost is what a HAR file has of one host.
type harHost struct {
	name       string
	responses  int
	publishing int
	number     int // of the last entry that publishes something
	last       harEntry
}

// readHAR returns the hosts in the order in which they come up, and the number
// of entries in all.
func readHAR(j *jsonReader) (hosts []*harHost, entries int, err error) {
	const what = "a HAR file is an object with log.entries"
	if err := j.open('{', what); err != nil {
		return nil, 0, err
	}
	found, err := j.member("log", what)
	if err == nil && found {
		if err := j.open('{', what); err != nil {
			return nil, 0, err
		}
		found, err = j.member("entries", what)
	}
	if err != nil {
		return nil, 0, err
	}
	if !found {
		return nil, 0, j.fail(what + ", and this one has none")
	}
	byName := map[string]*harHost{}
	err = each(j, "log.entries", "entry", func(n int, e harEntry) error {
		entries = n
		hosts = addEntry(hosts, byName, n, e)
		return nil
	})
	if err == nil && entries == 0 {
		err = j.fail("log.entries is empty")
	}
	return hosts, entries, err
}

func addEntry(hosts []*harHost, byName map[string]*harHost, n int, e harEntry) []*harHost {
	name := hostOf(e.Request.URL)
	if name == "" || e.Response.Status == 0 {
		return hosts
	}
	h := byName[name]
	if h == nil {
		h = &harHost{name: name}
		byName[name] = h
		hosts = append(hosts, h)
	}
	h.responses++
	if headers.Any(e.header()) {
		h.publishing++
		h.number, h.last = n, e
	}
	return hosts
}

// hostOf is the host of a URL, as a Transport counts by default.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return transport.KeyByHost(&http.Request{URL: u})
}

// plainURL is a URL without what may hold a secret.
func plainURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
