package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"regexp"
	"strings"

	"github.com/headway-go/headway/cmd/headway/internal/fetch"
)

// addFields adds what was given by -H to a request.
func addFields(req *http.Request, fields []string) error {
	for i, field := range fields {
		name, value, found := strings.Cut(field, ":")
		name, value = textproto.TrimString(name), textproto.TrimString(value)
		switch {
		case !found || !isToken(name) || !isText(value):
			return fmt.Errorf("the %d. -H is no header field, as Name: value", i+1)
		case strings.EqualFold(name, "Host"):
			req.Host = value
		case strings.EqualFold(name, "User-Agent"):
			req.Header.Set(name, value) // in the place of ours
		default:
			req.Header.Add(name, value)
		}
	}
	return nil
}

// stripFields takes what was given by -H from a request to another host than the
// first, or to the same without the protection of TLS. Where one redirect came
// from is no other host's business either: a query may hold a secret.
func stripFields(req *http.Request, via []*http.Request, fields []string) error {
	first := via[0].URL
	switch {
	case len(via) > 10: // the first of these is no redirect
		return fetch.ErrRedirects
	case req.URL.Host == first.Host && (req.URL.Scheme == first.Scheme || req.URL.Scheme == "https"):
		return nil
	}
	for _, field := range fields {
		name, _, _ := strings.Cut(field, ":")
		req.Header.Del(textproto.TrimString(name))
	}
	req.Header.Del("Referer")
	return nil
}

// variable is where the value of an environment variable is to stand.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// readFields puts into the values of -H what stands elsewhere: the values of
// environment variables for ${NAME}, and the lines of a file for @FILE.
func (e *env) readFields(given []string) ([]string, error) {
	var fields []string
	for i, field := range given {
		file, isFile := strings.CutPrefix(field, "@")
		if isFile {
			lines, err := e.fieldsOf(file)
			if err != nil {
				return nil, err
			}
			fields = append(fields, lines...)
			continue
		}
		unset := ""
		fields = append(fields, variable.ReplaceAllStringFunc(field, func(v string) string {
			value := os.Getenv(v[2 : len(v)-1])
			if value == "" {
				unset = v
			}
			return value
		}))
		if unset != "" {
			return nil, fmt.Errorf("the %d. -H: %s is not set in the environment, or empty", i+1, unset)
		}
	}
	return fields, nil
}

func (e *env) fieldsOf(file string) (lines []string, err error) {
	r, name, err := e.open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if addFields(&http.Request{Header: http.Header{}}, []string{line}) != nil {
			return nil, &inputError{name, n, "no header field, as Name: value"}
		}
		lines = append(lines, line)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, &inputError{name: name, problem: "a line is longer than 64 KiB"}
	}
	if in.Err() != nil {
		return nil, unreadable(name, in.Err())
	}
	return lines, nil
}
