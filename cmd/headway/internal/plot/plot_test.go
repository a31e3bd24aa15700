package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

var update = flag.Bool("update", false, "write the golden files")

func bucket() Figure {
	return Figure{
		Title: "token-bucket,bucket=5,refill=1", X: "seconds", Y: "tokens", Top: 5,
		Series: []Series{
			{Name: "tokens", X: []float64{0, 0, 0.1, 0.1, 1, 1, 4, 5}, Y: []float64{5, 4, 4.1, 3.1, 4, 0, 3, 4}},
			{Name: "allowed", Kind: Points, X: []float64{0, 0.1, 1}, Y: []float64{4, 3.1, 0}},
			{Name: "refused", Kind: Crosses, X: []float64{1.5, 5}, Y: []float64{0.5, 4}},
		},
	}
}

func schedule() Figure {
	return Figure{X: "attempt", Y: "seconds", Series: []Series{
		{Name: "bounds", Kind: Band, X: []float64{1, 2, 3, 4}, Y: []float64{0.2, 0.6, 1.4, 3}, Low: []float64{0.1, 0.3, 0.7, 1.5}},
		{Name: "expected", X: []float64{1, 2, 3, 4}, Y: []float64{0.15, 0.45, 1.05, 2.25}},
	}}
}

func TestText(t *testing.T) {
	got := Text(72, bucket(), schedule())
	path := filepath.Join("testdata", "text.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", path, got)
	}
	for line := range strings.SplitSeq(got, "\n") {
		if n := len([]rune(line)); n > 72 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// A line goes on to where it drops, and only there goes down.
func TestDrop(t *testing.T) {
	got := Text(72, Figure{Series: []Series{{X: []float64{0, 10, 10}, Y: []float64{5, 5, 0}}}})
	top, _, _ := strings.Cut(got, "\n")
	if n := strings.Count(top, "─"); n != 72-axis-2 || !strings.HasSuffix(top, "─╮") {
		t.Errorf("%d columns at the top:\n%s", n, got)
	}
}

// However long what stands on the axes is, a figure is not wider than it may be.
func TestTextIsNarrow(t *testing.T) {
	for _, columns := range []int{60, 72, 80} {
		for _, top := range []float64{1, 1234567, 1.5e12, -7e200} {
			got := Text(columns, Figure{Series: []Series{{X: []float64{0, 0.5}, Y: []float64{0, top}}}})
			for line := range strings.Lines(got) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
					t.Errorf("a line of %d columns, want %d: %s", n, columns, line)
				}
			}
		}
	}
}

// strange are figures that have nothing to show, or what cannot be shown.
func strange() map[string]Figure {
	nan, inf := math.NaN(), math.Inf(1)
	return map[string]Figure{
		"nothing":   {},
		"no points": {Title: "a", Series: []Series{{Name: "b"}, {Kind: Points}, {Kind: Band}}},
		"one point": {Series: []Series{{X: []float64{7}, Y: []float64{7}}, {Kind: Points, X: []float64{7}, Y: []float64{7}}}},
		"zero":      {Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 0}}}},
		"not finite": {Series: []Series{
			{X: []float64{nan, 1, 2, 3}, Y: []float64{1, inf, 1, 2}},
			{Kind: Band, X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Low: []float64{nan, 1, 1}},
			{Kind: Crosses, X: []float64{-inf}, Y: []float64{0}},
		}},
		"no partner": {Series: []Series{{X: []float64{1, 2, 3}, Y: []float64{1}}, {Kind: Band, X: []float64{1, 2}, Y: []float64{1, 2}}}},
		"negative":   {Series: []Series{{X: []float64{-5, 5}, Y: []float64{-3, -1}}, {Kind: Crosses, X: []float64{-5, 5}, Y: []float64{-3, -1}}}},
		"tiny":       {Series: []Series{{X: []float64{0, 1e-9}, Y: []float64{1e-9, 2e-9}}}},
		"huge":       {Series: []Series{{X: []float64{1.7e9, 1.7e9 + 1}, Y: []float64{0, 9e299}}, {Kind: Points, X: []float64{1.7e9}, Y: []float64{9e299}}}},
	}
}

func TestStrange(t *testing.T) {
	for name, f := range strange() {
		if text := Text(80, f); !strings.Contains(text, "┬") || strings.Contains(text, "NaN") {
			t.Errorf("%s:\n%s", name, text)
		}
		if err := Encode(io.Discard, ".svg", f); err != nil { // a PNG file is the same, and slower
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Encode(io.Discard, ".svg"); err != nil {
		t.Error("no figure at all: ", err)
	}
}

// An SVG file is XML, and has the words; each figure adds to its height.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	if err := Encode(&b, ".svg", bucket(), schedule()); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">seconds<", ">tokens<", ">allowed<", ">refused<", ">expected<", ">token-bucket,bucket=5,refill=1<", `width="566.93pt" height="510.24pt"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// A PNG file shows the marks in their colours.
func TestPNG(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.PNG")
	if err := Write(file, bucket()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]color.NRGBA{"allowed": good, "refused": bad, "tokens": palette[0]} {
		if !has(img, c) {
			t.Errorf("nothing has the colour of %s", name)
		}
	}
	if size := img.Bounds().Size(); size.X < 1100 || size.Y < 500 {
		t.Errorf("it is %v large", size)
	}
}

// has reports whether a pixel has nearly that colour: thin lines are blurred.
func has(img image.Image, want color.NRGBA) bool {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 40 }
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			if near(got.R, want.R) && near(got.G, want.G) && near(got.B, want.B) {
				return true
			}
		}
	}
	return false
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]string{
		"a.jpg":                        "plot: a.jpg: want a name that ends in .svg or .png",
		"svg":                          "want a name",
		"":                             "want a name",
		filepath.Join(dir, "no/a.svg"): "no such file",
	} {
		if err := Write(file, bucket()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Write(%q): %v, want %s", file, err, want)
		}
	}
	if err := Encode(io.Discard, ".pdf", bucket()); err == nil {
		t.Error("Encode takes a format that it does not know")
	}
}

// Whatever the numbers are, there is a text, of the same height.
func FuzzText(f *testing.F) {
	f.Add(0.0, 5.0, 1.0, 4.0, 7.0, 80)
	f.Add(math.NaN(), math.Inf(1), -1e299, 1e299, 1e-300, 0)
	f.Fuzz(func(t *testing.T, a, b, c, d, top float64, columns int) {
		var series []Series
		for _, kind := range []Kind{Line, Points, Crosses, Band} {
			series = append(series, Series{Kind: kind, X: []float64{min(a, b), max(a, b)}, Y: []float64{c, d}, Low: []float64{d, c}})
		}
		text := Text(min(columns, 200), Figure{Top: top, Series: series})
		if n := strings.Count(text, "\n"); n != rows+3 || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%d lines:\n%s", n, text)
		}
	})
}

// What draws a PNG takes time by the square of how long a path is, so a long line
// is several.
func TestLongLine(t *testing.T) {
	long := Series{Kind: Line}
	for i := range 1001 {
		long.X, long.Y = append(long.X, float64(i)), append(long.Y, float64(i%7))
	}
	p, err := Figure{Series: []Series{long}}.image()
	if err != nil {
		t.Fatal(err)
	}
	var c recorder.Canvas
	p.Draw(vgdraw.NewCanvas(&c, width, height))
	drawn := 0
	for _, action := range c.Actions {
		stroke, ok := action.(*recorder.Stroke)
		if !ok {
			continue
		}
		if n := len(stroke.Path); n > 100 {
			t.Errorf("a path of %d points", n)
		} else if n > 2 {
			drawn += n
		}
	}
	if drawn < 1001 {
		t.Errorf("%d of 1001 points are drawn", drawn)
	}
}
