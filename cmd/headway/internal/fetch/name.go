package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"strings"
)

// How long names are. 143 bytes is the least that a file system in use takes.
const (
	maxName = 120
	maxStem = 80
	maxExt  = 10
)

// Name is the name of the file for a URL that [ParseURL] returned. Two URLs have
// two names, on systems as well that do not tell A from a.
//
// It is the host and the path: of https://api.test/items/17 it is
// api.test_items_17. The / is a _, the : before a port a +, and http:// is http=
// at the front. If there is more in a URL than lower-case letters, digits, dots
// and hyphens, as a query, or if it is long or ends with a dot, what does not fit
// is a hyphen or cut off, and ~ and 16 hexadecimal digits tell it from others:
// those of the SHA-256 of the URL. They stand before the extension.
func Name(u *url.URL) string {
	name, plain := readable(u)
	if !plain || len(name) > maxName || strings.HasSuffix(name, ".") {
		sum := sha256.Sum256([]byte(u.String()))
		ext := extension(u.Path)
		name = strings.TrimSuffix(name, ext)
		name = name[:min(len(name), maxStem)] + "~" + hex.EncodeToString(sum[:8]) + ext
	}
	if !alphanumeric(rune(name[0])) || reserved(name) {
		name = "_" + name
	}
	return name
}

// readable is what people can read of a URL, and whether no other has the same.
func readable(u *url.URL) (name string, plain bool) {
	plain = u.RawQuery == "" && !u.ForceQuery
	clean := func(s, separator, instead string) string {
		return strings.Map(func(c rune) rune {
			switch {
			case alphanumeric(c) || c == '.' || c == '-':
				return c
			case string(c) == separator:
				return rune(instead[0])
			}
			plain = false
			if 'A' <= c && c <= 'Z' {
				return c - 'A' + 'a'
			}
			return '-'
		}, s)
	}
	name = clean(u.Host, ":", "+") + clean(u.EscapedPath(), "/", "_")
	if u.RawQuery != "" {
		name += "-" + clean(u.RawQuery, "", "")
	}
	if u.Scheme == "http" {
		name = "http=" + name
	}
	return name, plain
}

func alphanumeric(c rune) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// extension is that of a path, if it is an ordinary one.
func extension(p string) string {
	ext := strings.ToLower(path.Ext(p))
	if len(ext) < 2 || len(ext) > maxExt || strings.ContainsFunc(ext[1:], func(c rune) bool { return !alphanumeric(c) }) {
		return ""
	}
	return ext
}

// reserved reports whether Windows takes the name for one of a device.
func reserved(name string) bool {
	device, _, _ := strings.Cut(name, ".")
	switch device {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(device) == 4 && (device[:3] == "com" || device[:3] == "lpt") && '0' <= device[3] && device[3] <= '9'
}
