package plot

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a figure.
const (
	width  = 20 * vg.Centimeter
	height = 9 * vg.Centimeter
	dpi    = 144
)

// The colours, which also those can tell apart who do not see them all.
var (
	ink     = color.NRGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}
	grid    = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	good    = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	bad     = color.NRGBA{R: 0xd5, G: 0x3e, B: 0x00, A: 0xff}
	palette = []color.NRGBA{
		{R: 0x56, G: 0x9d, B: 0xc8, A: 0xff},
		{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
		{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
		{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
	}
)

// A canvas can be drawn on, and written.
type canvas interface {
	vg.CanvasSizer
	io.WriterTo
}

func newCanvas(format string, figures int) (canvas, error) {
	h := height * vg.Length(max(figures, 1))
	switch strings.ToLower(format) {
	case ".svg":
		return vgsvg.New(width, h), nil
	case ".png":
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, h), vgimg.UseDPI(dpi))}, nil
	}
	return nil, fmt.Errorf("plot: there is no format %q, but %s", format, strings.Join(Formats, " and "))
}

// draw draws the figures one below the other, on axes of the same width.
func draw(c canvas, figures []Figure) error {
	rows := make([][]*plot.Plot, max(len(figures), 1))
	for i := range rows {
		rows[i] = []*plot.Plot{nil}
	}
	for i, f := range figures {
		p, err := f.image()
		if err != nil {
			return err
		}
		rows[i][0] = p
	}
	margin := vg.Points(8)
	tiles := vgdraw.Tiles{
		Cols: 1, Rows: len(rows), PadY: 2 * margin,
		PadTop: margin, PadBottom: margin, PadLeft: margin, PadRight: 2 * margin,
	}
	for i, row := range plot.Align(rows, tiles, vgdraw.New(c)) {
		if p := rows[i][0]; p != nil {
			p.Draw(row[0])
		}
	}
	return nil
}

// image returns the figure as gonum draws it.
func (f Figure) image() (*plot.Plot, error) {
	p := plot.New()
	series := f.clean()
	span := f.frame(series)
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X, f.Y
	p.X.Min, p.X.Max, p.Y.Min = span.x0, span.x1, span.y0
	p.Y.Max = span.y1 + (span.y1-span.y0)/5 // room for the legend
	style(p)
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = grid, grid
	p.Add(lines)
	drawn := 0
	for _, s := range series {
		shown, err := s.plotter(palette[drawn%len(palette)])
		if err != nil {
			return nil, err
		}
		if s.Kind == Line || s.Kind == Band {
			drawn++
		}
		p.Add(shown)
		if s.Name != "" {
			p.Legend.Add(s.Name, shown)
		}
	}
	return p, nil
}

func style(p *plot.Plot) {
	p.Legend.Top = true
	p.Title.Padding = vg.Points(6)
	for _, text := range []*vgdraw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		text.Color = ink
		text.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(9)}
	}
	p.Title.TextStyle.Font.Size = vg.Points(11)
	for _, line := range []*vgdraw.LineStyle{&p.X.LineStyle, &p.Y.LineStyle, &p.X.Tick.LineStyle, &p.Y.Tick.LineStyle} {
		line.Color = ink
	}
}

// A shown is what can be drawn, and has a place in the legend.
type shown interface {
	plot.Plotter
	plot.Thumbnailer
}

func (s Series) plotter(c color.NRGBA) (shown, error) {
	switch s.Kind {
	case Band:
		return s.band(c)
	case Points:
		return s.glyphs(vgdraw.CircleGlyph{}, good)
	case Crosses:
		return s.glyphs(cross{}, bad)
	case Line:
	}
	l, err := plotter.NewLine(points(s.X, s.Y))
	if err != nil {
		return nil, err
	}
	l.Color, l.Width = c, vg.Points(1.2)
	return pieces{l}, nil
}

// pieces is a line that is drawn piece by piece: gonum draws a path on a PNG in
// time that grows with the square of its length.
type pieces struct{ *plotter.Line }

// Plot implements gonum's Plotter. Where two pieces meet they have a stretch in
// common, so that its corners are as round as others.
func (l pieces) Plot(c vgdraw.Canvas, p *plot.Plot) {
	const most = 64
	piece := *l.Line
	for from := 0; from == 0 || from < len(l.XYs)-1; from += most {
		piece.XYs = l.XYs[from:min(from+most+2, len(l.XYs))]
		piece.Plot(c, p)
	}
}

func (s Series) glyphs(shape vgdraw.GlyphDrawer, c color.Color) (shown, error) {
	g, err := plotter.NewScatter(points(s.X, s.Y))
	if err != nil {
		return nil, err
	}
	g.GlyphStyle = vgdraw.GlyphStyle{Color: c, Radius: vg.Points(2.2), Shape: shape}
	return g, nil
}

// cross is bolder than gonum's own.
type cross struct{}

// DrawGlyph implements gonum's GlyphDrawer.
func (cross) DrawGlyph(c *vgdraw.Canvas, style vgdraw.GlyphStyle, at vg.Point) {
	line := vgdraw.LineStyle{Color: style.Color, Width: vg.Points(1.2)}
	r := style.Radius
	c.StrokeLine2(line, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(line, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// band goes along the upper edge, and back along the lower.
func (s Series) band(c color.NRGBA) (shown, error) {
	edge, low := points(s.X, s.Y), points(s.X, s.Low)
	slices.Reverse(low)
	b, err := plotter.NewPolygon(append(edge, low...))
	if err != nil {
		return nil, err
	}
	c.A = 0x50
	b.Color, b.LineStyle.Width = c, 0
	return b, nil
}

func points(x, y []float64) plotter.XYs {
	list := make(plotter.XYs, len(x))
	for i := range list {
		list[i].X, list[i].Y = x[i], y[i]
	}
	return list
}
