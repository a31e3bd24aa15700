package oteltransport_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A program that measures nothing must not get the SDK of OpenTelemetry by this
// package: the code needs its API only.
func TestCodeNeedsTheAPIOnly(t *testing.T) {
	api := map[string]bool{}
	for _, name := range []string{"", "/attribute", "/metric", "/trace"} {
		api[`"go.opentelemetry.io/otel`+name+`"`] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if strings.Contains(spec.Path.Value, "opentelemetry") && !api[spec.Path.Value] {
				t.Errorf("%s imports %s", file, spec.Path.Value)
			}
		}
	}
}
