package fetch

import (
	"errors"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"https://api.test/items/17", "https://api.test/items/17"},
		{"HTTPS://API.test:443", "https://api.test/"},
		{"http://api.test:80/A?b=C#d", "http://api.test/A?b=C"},
		{"http://api.test:/", "http://api.test/"},
		{"http://api.test:8080/", "http://api.test:8080/"},
		{"https://api.test:80/", "https://api.test:80/"},
		{"http://[::1]:80/", "http://[::1]/"},
		{"http://api.test/a%2Fb/%7Bc%7D", "http://api.test/a%2Fb/%7Bc%7D"},
		{"http://api.test/../../etc/passwd", "http://api.test/../../etc/passwd"},
		{"http://api.test/ä?ö", "http://api.test/%C3%A4?ö"},
		{"http://api.test/?", "http://api.test/?"},
	} {
		u, err := ParseURL(tt.text)
		if err != nil || u.String() != tt.want {
			t.Errorf("%q: %v, %v; want %s", tt.text, u, err, tt.want)
		}
	}
}

func TestParseURLErrors(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error
	}{
		{"", errScheme},
		{"api.test/items", errScheme},
		{"ftp://api.test/", errScheme},
		{"http:api.test", errScheme},
		{"//api.test/", errScheme},
		{"http://", errHost},
		{"http:///items", errHost},
		{"http://:80/", errHost},
		{"http://%20/", errURL},
		{"http://api.test/%zz", errURL},
		{"http://api.test:s3cr3t@x/", errUser},
		{"http://user@api.test/", errUser},
		{"http://api.test:0/", errPort},
		{"http://api.test:65536/", errPort},
		{"http://api.test:99999999999999999999/", errPort},
		{"http://api.test/a b", errSpace},
		{"http://api.test/a\tb", errSpace},
		{"http://api.test/\x00", errSpace},
		{"http://api.test/{id}", errBrace},
		{"http://api.test/\xff", errUTF8},
		{"http://api.test/" + strings.Repeat("a", maxURL), errLong},
		{"http://api.test/" + strings.Repeat("ä", maxURL/3), errLong},
	} {
		if u, err := ParseURL(tt.text); !errors.Is(err, tt.want) {
			t.Errorf("%.40q: %v, %v; want %v", tt.text, u, err, tt.want)
		}
	}
}

func TestShown(t *testing.T) {
	u, err := ParseURL("https://api.test/items?key=s3cr3t")
	if err != nil || shown(u) != "https://api.test/items?…" {
		t.Errorf("%s, %v", shown(u), err)
	}
}

// The form is the same after another reading, and the name is a plain file's.
func FuzzURL(f *testing.F) {
	for _, seed := range []string{
		"https://api.test/items/17", "HTTP://A:80?b#c", "http://[::1%25eth0]:80/", "https://con/", "http://-a/~/%41/..;",
		"https://a.test/" + strings.Repeat("a/", 100) + "b.JPG?c=d.e", "https://xn--a/.", "http://ä.test/ü",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseURL(text)
		if err != nil {
			return
		}
		again, err := ParseURL(u.String())
		if err != nil {
			t.Fatalf("%q is read as %q, and that is not read: %v", text, u, err)
		}
		if again.String() != u.String() {
			t.Errorf("%q is read as %q, and that as %q", text, u, again)
		}
		checkName(t, Name(u))
	})
}
