package layout

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The checks have to fail where there is something wrong.

func TestImportsFindsViolations(t *testing.T) {
	tree := fstest.MapFS{}
	for name := range rules {
		dir := strings.TrimSuffix(name, "/...")
		tree[dir+"/ok.go"] = source("fmt")
	}
	tree["backoff/ok_test.go"] = source(module+"/backoff", retryable)
	tree["throttle/ok.go"] = source(xtime + "/rate")
	tree["examples/one/ok.go"] = source(module + "/transport")
	tree["own/go.mod"] = &fstest.MapFile{}
	tree["own/ok.go"] = source("example.com/anything")
	tree["own/inner/go.mod"] = &fstest.MapFile{}
	tree["own/inner/ok.go"] = source("example.com/anything")
	tree["headers/testdata/ok.go"] = source("example.com/anything")
	if got := checkImports(t, tree); len(got) > 0 {
		t.Fatalf("a tidy tree: %q", got)
	}
	if _, got := packages(t, tree); !slices.Equal(got, []string{"own", "own/inner"}) {
		t.Errorf("modules within it: %q, want own and own/inner", got)
	}

	for _, tt := range []struct {
		file, imports, want string
	}{
		{"backoff/a.go", module + "/headers", "backoff/a.go: must not import " + module + "/headers"},
		{"backoff/a.go", retryable, "backoff/a.go: must not import " + retryable},
		{"headers/a.go", xtime + "/rate", "headers/a.go: must not import " + xtime + "/rate"},
		{"headers/a_test.go", "github.com/stretchr/testify", "headers/a_test.go: must not import github.com/stretchr/testify"},
		{"throttle/a.go", xtime + "zone", "throttle/a.go: must not import " + xtime + "zone"},
		{"throttle/simulate/a_test.go", module + "/throttle", "throttle/simulate/a_test.go: must not import " + module + "/throttle"},
		{"transport/a.go", module + "/throttle/throttletest", "transport/a.go: must not import " + module + "/throttle/throttletest"},
		{"transport/a.go", module, "transport/a.go: must not import " + module},
		{"transport/a.go", "C", "transport/a.go: must not import C"},
		{"examples/one/a.go", httpsfv, "examples/one/a.go: must not import " + httpsfv},
		{"examplesque/a.go", "fmt", "examplesque: no rule for this package"},
		{"a.go", "fmt", ".: no rule for this package"},
	} {
		tree[tt.file] = source(tt.imports)
		if got := checkImports(t, tree); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s importing %s: %q, want %q", tt.file, tt.imports, got, tt.want)
		}
		delete(tree, tt.file)
	}

	delete(tree, "headers/ok.go")
	if got, want := checkImports(t, tree), []string{"headers: a rule without a package"}; !slices.Equal(got, want) {
		t.Errorf("a missing package: %q, want %q", got, want)
	}
}

func source(imports ...string) *fstest.MapFile {
	text := "package p\n"
	for _, i := range imports {
		text += "import _ \"" + i + "\"\n"
	}
	return &fstest.MapFile{Data: []byte(text)}
}

func TestModuleFiles(t *testing.T) {
	tree := fstest.MapFS{
		"go.mod":  {Data: []byte("module m\n\ngo 1.26\n\nrequire b.c/d v1.0.0\n\nrequire (\n\t// why\n\ta.b/c v1.0.0\n\tx.y/z v1.0.0 // indirect\n)\n")},
		"go.work": {Data: []byte("go 1.26\n\nuse (\n\t.\n\t./own\n)\n\nuse ./other\n")},
	}
	if got, want := directRequires(t, tree), []string{"a.b/c", "b.c/d"}; !slices.Equal(got, want) {
		t.Errorf("directRequires = %q, want %q", got, want)
	}
	if got, want := workspace(t, tree), []string{".", "other", "own"}; !slices.Equal(got, want) {
		t.Errorf("workspace = %q, want %q", got, want)
	}
}
