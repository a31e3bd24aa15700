// Package plot draws what commands have to show: as text for a terminal, and as
// an SVG or PNG file.
//
// A [Figure] is data and labels. [Text] and [Write] draw one or more of them,
// one below the other. Values that are not finite are left out. Everything here
// is a plain value, and nothing is shared.
package plot

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// A Figure is one set of axes and what is drawn on them.
type Figure struct {
	Title  string
	X, Y   string // what the axes say, with the unit
	Series []Series

	// Top is how far up the Y axis goes at least; zero goes by the data. It
	// begins at 0, or at the least value if that is lower.
	Top float64
}

// A Series is points in the order of X, drawn in one way.
type Series struct {
	Name string // for the legend; empty has no entry
	Kind Kind
	X, Y []float64
	Low  []float64 // of a Band: its lower edge, where Y is the upper
}

// Kind is how a Series is drawn.
type Kind int

// The kinds of Series.
const (
	Line    Kind = iota // straight from point to point
	Points              // a dot each
	Crosses             // a cross each, in the colour of what went wrong
	Band                // the area between Low and Y
)

// Formats are the extensions that Write knows.
var Formats = []string{".svg", ".png"}

func canWrite(file string) error {
	for _, ext := range Formats {
		if strings.EqualFold(filepath.Ext(file), ext) {
			return nil
		}
	}
	return fmt.Errorf("plot: %s: want a name that ends in %s", file, strings.Join(Formats, " or "))
}

// Write writes the figures to a file, in the format that its extension names. It
// replaces the file, once all is drawn.
func Write(file string, figures ...Figure) error {
	if err := canWrite(file); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := Encode(&b, filepath.Ext(file), figures...); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// Encode writes the figures in the format of one of Formats.
func Encode(w io.Writer, format string, figures ...Figure) error {
	canvas, err := newCanvas(format, len(figures))
	if err != nil {
		return err
	}
	if err := draw(canvas, figures); err != nil {
		return err
	}
	_, err = canvas.WriteTo(w)
	return err
}

// finite returns the series without what is not finite, or has no partner.
func (s Series) finite() Series {
	clean := Series{Name: s.Name, Kind: s.Kind}
	n := min(len(s.X), len(s.Y))
	if s.Kind == Band {
		n = min(n, len(s.Low))
	}
	for i := range n {
		if !isFinite(s.X[i]) || !isFinite(s.Y[i]) || s.Kind == Band && !isFinite(s.Low[i]) {
			continue
		}
		clean.X, clean.Y = append(clean.X, s.X[i]), append(clean.Y, s.Y[i])
		if s.Kind == Band {
			clean.Low = append(clean.Low, s.Low[i])
		}
	}
	return clean
}

// isFinite is false also for what is so large that a span of it would not be.
func isFinite(v float64) bool { return math.Abs(v) < 1e300 }

// clean returns the series that have something to draw.
func (f Figure) clean() (series []Series) {
	for _, s := range f.Series {
		if s = s.finite(); len(s.X) > 0 {
			series = append(series, s)
		}
	}
	return series
}

// A frame is what the axes span.
type frame struct{ x0, x1, y0, y1 float64 }

// frame never is empty, so that one may divide by what it spans.
func (f Figure) frame(series []Series) frame {
	all := frame{math.Inf(1), math.Inf(-1), 0, f.Top}
	for _, s := range series {
		for i, x := range s.X {
			all.x0, all.x1 = min(all.x0, x), max(all.x1, x)
			all.y0, all.y1 = min(all.y0, s.Y[i]), max(all.y1, s.Y[i])
			if s.Kind == Band {
				all.y0 = min(all.y0, s.Low[i])
			}
		}
	}
	if len(series) == 0 {
		all.x0, all.x1 = 0, 1
	}
	all.x1 = atLeast(all.x0, all.x1)
	all.y1 = atLeast(all.y0, all.y1)
	return all
}

// atLeast returns an end of an axis that is not where it begins.
func atLeast(from, to float64) float64 {
	if to > from {
		return to
	}
	return from + max(1, math.Abs(from)/1000)
}
