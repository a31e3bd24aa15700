package fetch

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxURL is how long a URL may be, in bytes.
const maxURL = 16 << 10

// What a URL can be wrong for. None says more of it: it may hold a secret.
var (
	errLong   = errors.New("longer than 16 KiB")
	errUTF8   = errors.New("not UTF-8")
	errSpace  = errors.New("a space or a control character within; a space in a URL is written %20")
	errBrace  = errors.New("a brace within; in a URL it is written %7B or %7D, and ranges as {1..500} are for arguments")
	errScheme = errors.New("no URL that begins with http:// or https://")
	errHost   = errors.New("no host in the URL, or none that makes sense")
	errPort   = errors.New("no such port")
	errUser   = errors.New("a user name in the URL; it would stand in files and lists, so send it with -H 'Authorization: …'")
	errURL    = errors.New("a URL that makes no sense: a % is not followed by two hexadecimal digits, or the host is none")
)

// ParseURL reads an http or https URL, in the one form that tells whether two are
// the same: scheme and host are in lower case, a default port and what follows a
// # are gone, and the path is not empty. That of the form is the form.
func ParseURL(text string) (*url.URL, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	scheme, _, _ := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		return nil, errScheme
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errURL
	case u.User != nil:
		return nil, errUser
	case u.Hostname() == "" || !utf8.ValidString(u.Host) || strings.ContainsFunc(u.Host, unfit):
		return nil, errHost // %20 in a host is a space by now
	}
	if err := tidyHost(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	if len(text) > maxURL/3 && len(u.String()) > maxURL { // what is escaped is longer
		return nil, errLong
	}
	return u, nil
}

func checkText(text string) error {
	switch {
	case len(text) > maxURL:
		return errLong
	case !utf8.ValidString(text):
		return errUTF8
	case strings.ContainsFunc(text, unfit):
		return errSpace
	case strings.ContainsAny(text, "{}"):
		return errBrace
	}
	return nil
}

func unfit(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

func tidyHost(u *url.URL) error {
	u.Host = strings.ToLower(u.Host)
	port := u.Port()
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errPort
		}
	}
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	return nil
}

// shown is a URL fit to be shown: what it asks for may hold a secret.
func shown(u *url.URL) string {
	plain := *u
	plain.RawQuery, plain.ForceQuery = "", false
	if u.RawQuery != "" {
		return plain.String() + "?…"
	}
	return plain.String()
}
