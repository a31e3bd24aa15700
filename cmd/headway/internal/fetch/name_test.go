package fetch

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	long := strings.Repeat("a", 200)
	for _, tt := range []struct{ url, want string }{
		{"https://api.test/", "api.test_"},
		{"https://api.test/items/17", "api.test_items_17"},
		{"https://api.test:8443/items/17.json", "api.test+8443_items_17.json"},
		{"http://127.0.0.1:8080/items/", "http=127.0.0.1+8080_items_"},
		{"https://api.test/../../etc/passwd", "api.test_.._.._etc_passwd"},
		{"https://api.test/items?page=2", "api.test_items-page-2~6d9242876f51d1f7"},
		{"https://api.test/Photo.JPG", "api.test_photo~56747d1dba25b08f.jpg"},
		{"https://api.test/photo.jpg?w=1", "api.test_photo.jpg-w-1~6bd2a5a7396a2e7a.jpg"},
		{"https://api.test/a_b", "api.test_a-b~1a2f5853a766f02b"},
		{"https://api.test/a%2fb", "api.test_a-2fb~13406a23bf4bddc8"},
		{"https://api.test/a.", "api.test_a.~e0cd272604ed589f"},
		{"https://api.test/" + long, "api.test_" + long[:maxStem-9] + "~3481cf0cb9197c97"},
		{"https://api.test/x.tar." + long, "api.test_x.tar." + long[:maxStem-15] + "~8565bc3be681a26a"},
		{"http://[::1]:8080/", "http=-++1-+8080_~8022836441d5232f"},
		{"https://con/", "con_"},
		{"https://con.test/", "_con.test_"},
		{"https://com1.test/", "_com1.test_"},
		{"https://-rf/", "_-rf_"},
		{"https://.headway/", "_.headway_"},
	} {
		u, err := ParseURL(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		got := Name(u)
		if got != tt.want {
			t.Errorf("Name(%q) = %q, want %q", tt.url, got, tt.want)
		}
		checkName(t, got)
	}
}

// Two URLs have two names, even if case is not told apart.
func TestNamesDiffer(t *testing.T) {
	names := map[string]string{}
	for _, text := range []string{
		"https://a.test/b", "http://a.test/b", "https://a.test:8443/b", "https://a.test/B", "https://A.test/b/", "https://a.test//b",
		"https://a.test_b/", "https://a.test/b?", "https://a.test/b?c", "https://a.test/b-c", "https://a.test/b%3Fc", "https://a.test/b.",
		"https://a.test/b~", "https://a.test/b%7E", "https://a.test/b?C", "https://http=a.test/b", "https://a.test/b_", "https://a.test/b/c", "https://a.test/b_c",
	} {
		u, err := ParseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.ToLower(Name(u))
		if other := names[name]; other != "" {
			t.Errorf("%s and %s are both %s", text, other, name)
		}
		names[name] = text
	}
}

var plainName = regexp.MustCompile(`^[a-z0-9_][a-z0-9._+=~-]*[a-z0-9_-]$`)

func checkName(t *testing.T, name string) {
	t.Helper()
	if !plainName.MatchString(name) || len(name) > 143 || !filepath.IsLocal(name) || reserved(name) {
		t.Errorf("%q is no good name for a file", name)
	}
}
