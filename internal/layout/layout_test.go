package layout

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/headway-go/headway"

const (
	httpsfv      = "github.com/dunglas/httpsfv"
	cenkalti     = "github.com/cenkalti/backoff/v4"
	xtime        = "golang.org/x/time"
	retryable    = "github.com/hashicorp/go-retryablehttp"
	anythingOurs = "*"
)

// requires are what the root module needs of others. Whatever needs more is a
// module of its own.
var requires = []string{cenkalti, httpsfv, retryable, xtime}

// A rule lists what a package may import besides the standard library: packages
// of this module, by their folder, and other modules.
type rule struct {
	code []string
	test []string // in its test files also
}

// rules has every package of the root module. A folder that ends in "/..."
// stands for all below it. Each package stands below those that it lists.
var rules = map[string]rule{
	// The ground floor: these three know nothing of each other.
	"backoff": {
		code: []string{cenkalti},
		test: []string{retryable}, // backoff.Func is made for it
	},
	"headers":  {code: []string{httpsfv}},
	"throttle": {code: []string{xtime}, test: []string{"throttle/storetest"}},

	"throttle/storetest": {code: []string{"throttle", xtime}},

	// A referee shares no code with the players.
	"throttle/simulate":     {},
	"throttle/throttletest": {},

	// What it records is read by tools that know no transport.
	"transport/record": {},
	// What bursts are measured by knows no limiter either.
	"throttle/tune":           {code: []string{"throttle/tune/accesslog"}},
	"throttle/tune/accesslog": {},

	"transport": {
		code: []string{"backoff", "headers", "throttle", "transport/record", retryable},
		test: []string{"throttle/throttletest", "throttle/simulate", "transport/transporttest", xtime},
	},
	// It judges any RoundTripper, ours as well, and knows none.
	"transport/transporttest": {},

	"examples/...": {
		code: []string{anythingOurs, xtime, retryable},
	},
	"internal/layout": {},
	// Tests and examples of other modules run it.
	"internal/redisserver": {},
	// The league measures the players, ours and others, by the referee.
	"internal/league": {
		code: []string{"backoff", "throttle", "throttle/simulate", xtime},
		test: []string{"headers", "transport"},
	},
}

func TestImports(t *testing.T) {
	root := os.DirFS("../..")
	for _, problem := range checkImports(t, root) {
		t.Error(problem)
	}
}

// checkImports returns what is wrong with the imports of the root module.
func checkImports(t *testing.T, root fs.FS) (problems []string) {
	t.Helper()
	dirs, _ := packages(t, root)
	used := map[string]bool{}
	for dir, files := range dirs {
		name, r, ok := ruleFor(dir)
		if !ok {
			problems = append(problems, fmt.Sprintf("%s: no rule for this package", dir))
			continue
		}
		used[name] = true
		for _, file := range files {
			for _, imported := range importsOf(t, root, file) {
				if !r.allows(dir, imported, strings.HasSuffix(file, "_test.go")) {
					problems = append(problems, fmt.Sprintf("%s: must not import %s", file, imported))
				}
			}
		}
	}
	for name := range rules {
		if !used[name] {
			problems = append(problems, fmt.Sprintf("%s: a rule without a package", name))
		}
	}
	slices.Sort(problems)
	return problems
}

// packages returns the source files of the root module by folder, and the
// folders of the modules within it, whose files it leaves alone.
func packages(t *testing.T, root fs.FS) (files map[string][]string, nested []string) {
	t.Helper()
	files = map[string][]string{}
	isNested := func(file string) bool {
		return slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(file, dir+"/") })
	}
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case file == ".":
		case d.IsDir() && (name == "testdata" || name[0] == '.' || name[0] == '_'):
			return fs.SkipDir
		case d.IsDir():
			if _, err := fs.Stat(root, path.Join(file, "go.mod")); err == nil {
				nested = append(nested, file)
			}
		case strings.HasSuffix(name, ".go") && !isNested(file):
			dir := path.Dir(file)
			files[dir] = append(files[dir], file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, nested
}

func ruleFor(dir string) (name string, r rule, ok bool) {
	for name, r := range rules {
		above, all := strings.CutSuffix(name, "/...")
		if dir == name || all && (dir == above || strings.HasPrefix(dir, above+"/")) {
			return name, r, true
		}
	}
	return "", rule{}, false
}

func importsOf(t *testing.T, root fs.FS, file string) (imports []string) {
	t.Helper()
	source, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}

// allows reports whether a file of the package in dir may import a package.
func (r rule) allows(dir, imported string, test bool) bool {
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") && imported != "C" {
		return true // the standard library
	}
	may := r.code
	if test {
		may = slices.Concat(r.code, r.test, []string{dir})
	}
	if imported == module {
		return false // there is no package at the root
	}
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		return slices.Contains(may, ours) || slices.Contains(may, anythingOurs)
	}
	return slices.ContainsFunc(may, func(m string) bool {
		return imported == m || strings.HasPrefix(imported, m+"/")
	})
}
