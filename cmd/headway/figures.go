package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/headway-go/headway/cmd/headway/internal/plot"
)

// figureFlags are those of a command that can draw what it shows.
type figureFlags struct {
	Plot bool   `xor:"form" help:"Draw it below the table."`
	PNG  string `name:"png" placeholder:"FILE" help:"Draw it as a PNG file."`
	SVG  string `name:"svg" placeholder:"FILE" help:"Draw it as an SVG file."`
}

// check is for the Validate of the command.
func (f *figureFlags) check() error {
	for _, flag := range []struct{ name, file string }{{"png", f.PNG}, {"svg", f.SVG}} {
		if flag.file != "" && !strings.EqualFold(filepath.Ext(flag.file), "."+flag.name) {
			return fmt.Errorf("--%s: %s: want a name that ends in .%[1]s", flag.name, shorten(flag.file, 80))
		}
	}
	return nil
}

func (f *figureFlags) wanted() bool { return f.Plot || f.PNG != "" || f.SVG != "" }

// plotWidth is how many columns a figure has in a terminal.
const plotWidth = 80

// draw writes the files, and what goes below the table.
func (f *figureFlags) draw(e *env, figures []plot.Figure) error {
	for _, file := range []string{f.PNG, f.SVG} {
		if file == "" {
			continue
		}
		if err := plot.Write(file, figures...); err != nil {
			return unreadable(file, err)
		}
	}
	if f.Plot {
		fmt.Fprintf(e.stdout, "\n%s", plot.Text(plotWidth, figures...))
	}
	return nil
}
