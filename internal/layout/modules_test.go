package layout

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestRootRequires(t *testing.T) {
	if got := directRequires(t, os.DirFS("../..")); !slices.Equal(got, requires) {
		t.Errorf("go.mod requires directly:\n%q\nwant:\n%q", got, requires)
	}
}

// A module that go.work does not name is tested by nobody.
func TestWorkspace(t *testing.T) {
	root := os.DirFS("../..")
	_, nested := packages(t, root)
	want := append([]string{"."}, nested...)
	if got := workspace(t, root); !slices.Equal(got, want) {
		t.Errorf("go.work uses:\n%q\nwant, one for each go.mod:\n%q", got, want)
	}
}

// directRequires returns the modules that go.mod requires and does not mark as
// indirect, in order.
func directRequires(t *testing.T, root fs.FS) (modules []string) {
	t.Helper()
	for _, line := range directive(t, root, "go.mod", "require") {
		fields := strings.Fields(line)
		if !strings.HasSuffix(line, "// indirect") {
			modules = append(modules, fields[0])
		}
	}
	slices.Sort(modules)
	return modules
}

// workspace returns the folders that go.work uses, in order.
func workspace(t *testing.T, root fs.FS) (dirs []string) {
	t.Helper()
	for _, line := range directive(t, root, "go.work", "use") {
		dirs = append(dirs, path.Clean(line))
	}
	slices.Sort(dirs)
	return dirs
}

// directive returns the lines of one kind, without the keyword, whether they
// stand alone or in a block.
func directive(t *testing.T, root fs.FS, file, keyword string) (lines []string) {
	t.Helper()
	text, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	inBlock := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		rest, found := strings.CutPrefix(line, keyword+" ")
		switch {
		case found && rest == "(":
			inBlock = true
		case found:
			lines = append(lines, rest)
		case line == ")":
			inBlock = false
		case inBlock && line != "" && !strings.HasPrefix(line, "//"):
			lines = append(lines, line)
		}
	}
	return lines
}
