package redisstore

import (
	"errors"
	"fmt"
	"strings"
)

// What may be wrong with Redis. An [Error] is one of them, by errors.Is.
var (
	// ErrURL: it is not the URL of a Redis server.
	ErrURL = errors.New("not a Redis URL")
	// ErrAuth: the password or the user is wrong, or may not do what is needed.
	ErrAuth = errors.New("not authorized")
	// ErrWrongType: a key of ours holds something of another type.
	ErrWrongType = errors.New("a key holds a value of another type")
	// ErrTooOld: it is older than Redis 5.
	ErrTooOld = errors.New("too old a Redis, want 5 or later")
	// ErrReadOnly: it is a replica.
	ErrReadOnly = errors.New("a replica, which takes no writes")
	// ErrUnavailable: it is down, or does not answer in time, or something else is
	// the matter.
	ErrUnavailable = errors.New("unavailable")
)

// An Error says why Redis could not be asked. Its text holds no password.
type Error struct {
	Problem error  // one of the errors of this package
	Key     string // of the budget; empty if it was about none
	Err     error  // what the client said; nil if it said nothing
}

func (e *Error) Error() string {
	text := "redisstore: " + e.Problem.Error()
	if e.Key != "" {
		text = fmt.Sprintf("redisstore: %s: %v", e.Key, e.Problem)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Problem and Err.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Problem}
	}
	return []error{e.Problem, e.Err}
}

// problem says what is wrong by the word that an error of Redis begins with.
func problem(key string, err error) error {
	text := err.Error()
	what := ErrUnavailable
	for _, p := range []struct {
		found bool
		what  error
	}{
		{startsWithAny(text, "WRONGTYPE"), ErrWrongType},
		{startsWithAny(text, "WRONGPASS", "NOAUTH", "NOPERM"), ErrAuth},
		{strings.Contains(text, "invalid password") || strings.Contains(text, "AUTH"), ErrAuth},
		{startsWithAny(text, "READONLY"), ErrReadOnly},
		// Before Redis 5 a script that has read the clock may not write.
		{strings.Contains(text, "non deterministic"), ErrTooOld},
		{strings.Contains(strings.ToLower(text), "unknown command"), ErrTooOld},
	} {
		if p.found {
			what = p.what
			break
		}
	}
	return &Error{Problem: what, Key: key, Err: err}
}

func startsWithAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}
