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

// problem says what is wrong, by the word with which an error of Redis begins.
func problem(key string, err error) error {
	e := &Error{Problem: ErrUnavailable, Key: key, Err: err}
	text := err.Error()
	word, _, _ := strings.Cut(text, " ")
	switch {
	case word == "WRONGTYPE":
		e.Problem = ErrWrongType
	case word == "WRONGPASS", word == "NOAUTH", word == "NOPERM",
		strings.Contains(text, "AUTH"), strings.Contains(text, "invalid password"):
		e.Problem = ErrAuth
	case word == "READONLY":
		e.Problem = ErrReadOnly
	case strings.Contains(text, "non deterministic"), // before Redis 5, a script that has read the clock may not write
		strings.Contains(strings.ToLower(text), "unknown command"):
		e.Problem = ErrTooOld
	}
	return e
}
