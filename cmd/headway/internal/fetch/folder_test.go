package fetch

import (
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func openFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func answer(t *testing.T, url string, status int, body io.Reader) *Answer {
	t.Helper()
	return &Answer{URL: parsed(t, url), Status: status, Type: "text/plain", Body: body}
}

// files are the names below a folder, and what is in them.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f := openFolder(t, dir)
	if n, err := f.Save(answer(t, "https://api.test/1", 200, strings.NewReader("one"))); n != 3 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := f.Save(answer(t, "https://api.test/2", 404, strings.NewReader("none"))); err != nil {
		t.Error(err)
	}
	torn := io.MultiReader(strings.NewReader("tor"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := f.Save(answer(t, "https://api.test/3", 200, torn)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("torn: %v", err)
	}
	got := files(t, dir)
	if len(got) != 3 || got["api.test_1"] != "one" || got["errors/api.test_2"] != "none" {
		t.Errorf("%q", got)
	}
	if _, err := OpenFolder(dir); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}

	// What a crash leaves is removed, and no other file.
	for _, name := range []string{".headway/7.part", ".headway/other", "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f = openFolder(t, dir)
	p := newPlan(t, "https://api.test/1", "https://api.test/2", "https://api.test/3")
	if err := errors.Join(f.Resume(p), p.Begin()); err != nil || p.Here != 1 {
		t.Errorf("%d are here, %v", p.Here, err)
	}
	got = files(t, dir)
	if _, part := got[".headway/7.part"]; part || len(got) != 5 {
		t.Errorf("%q", got)
	}

	// What was kept of an error goes when the answer comes.
	if _, err := f.Save(answer(t, "https://api.test/2", 200, strings.NewReader("two"))); err != nil {
		t.Error(err)
	}
	got = files(t, dir)
	if _, stale := got["errors/api.test_2"]; stale || got["api.test_2"] != "two" {
		t.Errorf("%q", got)
	}
}

// Nothing is written outside of the folder, and no link is followed.
func TestFolderLinks(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openFolder(t, filepath.Join(dir, "out"))
	if err := os.Symlink(outside, filepath.Join(dir, "out", "api.test_1")); err != nil {
		t.Fatal(err)
	}
	if err := f.Resume(newPlan(t, "https://api.test/1")); err == nil || err.Error() != "api.test_1 is not a regular file" {
		t.Errorf("resume: %v", err)
	}
	if _, err := f.Save(answer(t, "https://api.test/1", 200, strings.NewReader("one"))); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "mine" {
		t.Errorf("outside: %q, %v", data, err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "out", "errors")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Save(answer(t, "https://api.test/2", 404, strings.NewReader("none"))); err == nil {
		t.Error("an answer was saved outside")
	}
}

func TestFolderErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(file); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file: %v", err)
	}
	f := openFolder(t, filepath.Join(dir, "out"))
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Save(answer(t, "https://api.test/1", 200, strings.NewReader("one"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is gone: %v", err)
	}
}
