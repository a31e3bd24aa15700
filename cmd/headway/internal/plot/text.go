package plot

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// The size of a figure in a terminal: rows of its area, and the room that the
// axis takes.
const (
	rows    = 10
	axis    = 12
	indent  = 2
	minCols = 20
)

// marks are what kinds of points look like in a terminal.
var marks = map[Kind]rune{Points: '●', Crosses: '×'}

// strokes are what one line after the other is drawn with, the first with the
// characters of boxes.
var strokes = []string{"─", "·", "+", "~"}

func chars(lines int) (sets []asciigraph.CharSet) {
	for i := range lines {
		sets = append(sets, asciigraph.CreateCharSet(strokes[i%len(strokes)]))
	}
	sets[0] = asciigraph.DefaultCharSet
	return sets
}

// Text returns the figures for a terminal that is so many columns wide.
func Text(columns int, figures ...Figure) string {
	var all strings.Builder
	for i, f := range figures {
		if i > 0 {
			all.WriteByte('\n')
		}
		f.text(&all, columns)
	}
	return all.String()
}

func (f Figure) text(to *strings.Builder, width int) {
	series := f.clean()
	span := f.frame(series)
	columns := max(width-axis, minCols)
	area := graph(series, span, columns)
	if over := widest(area) + indent - width; over > 0 { // by what stands on the axes
		columns = max(columns-over, minCols)
		area = graph(series, span, columns)
	}
	for _, s := range series {
		if mark, has := marks[s.Kind]; has {
			s.mark(area, span, columns, mark)
		}
	}
	for _, text := range []string{f.Title, f.Y} {
		if text != "" {
			to.WriteString("  " + text + "\n")
		}
	}
	for _, line := range area {
		to.WriteString("  " + string(line) + "\n")
	}
	if below := f.X + legend(series); below != "" {
		to.WriteString("  " + strings.Repeat(" ", axis/2) + below + "\n")
	}
}

func widest(area [][]rune) (columns int) {
	for _, line := range area {
		columns = max(columns, len(line))
	}
	return columns
}

// graph draws the lines, the edges of bands, and the axes.
func graph(series []Series, span frame, columns int) (area [][]rune) {
	var lines [][]float64
	for _, s := range series {
		switch s.Kind {
		case Line:
			lines = append(lines, span.sample(s.X, s.Y, columns))
		case Band:
			lines = append(lines, span.sample(s.X, s.Low, columns), span.sample(s.X, s.Y, columns))
		case Points, Crosses:
		}
	}
	if len(lines) == 0 {
		lines = append(lines, nothing(columns))
	}
	text := asciigraph.PlotMany(lines,
		asciigraph.SeriesChars(chars(len(lines))...),
		asciigraph.Height(rows), asciigraph.LowerBound(0), asciigraph.UpperBound(rows),
		asciigraph.YAxisValueFormatter(func(row float64) string {
			return short(span.y0+row/rows*(span.y1-span.y0), span.y1-span.y0)
		}),
		asciigraph.XAxisRange(span.x0, span.x1), asciigraph.XAxisTickCount(span.ticks()),
		asciigraph.XAxisValueFormatter(func(v float64) string { return short(v, span.x1-span.x0) }),
	)
	for line := range strings.SplitSeq(text, "\n") {
		area = append(area, []rune(strings.TrimRight(line, " ")))
	}
	return area
}

// ticks is how many there are on the X axis, each at a whole number if that can
// be.
func (span frame) ticks() int {
	if n := span.x1 - span.x0; n <= 10 && span.x0 == math.Trunc(span.x0) && n == math.Trunc(n) {
		return int(n) + 1
	}
	return 6
}

// short is a value on an axis that spans so much.
func short(v, span float64) string {
	decimals := max(0, 2-int(math.Floor(math.Log10(span))))
	if decimals > 9 || math.Abs(v) >= 1e9 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	text := strconv.FormatFloat(v, 'f', min(decimals, 6), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// row is how far up the area a value stands, counted in rows: in values of their
// own, asciigraph rounds both ends, and has a row more or less.
func (span frame) row(y float64) float64 { return (y - span.y0) / (span.y1 - span.y0) * rows }

// sample returns the rows of a line in each column. Where several points
// lie within a column, it is the least of them: one wants to see what was empty.
func (span frame) sample(x, y []float64, columns int) []float64 {
	values := nothing(columns)
	before, from := 0, 0.0
	for i := range x {
		at, row := span.column(x[i], columns), span.row(y[i])
		for j := before + 1; i > 0 && j < at; j++ {
			values[j] = from + (row-from)*float64(j-before)/float64(at-before)
		}
		if math.IsNaN(values[at]) || row < values[at] {
			values[at] = row
		}
		before, from = at, row
	}
	return values
}

// nothing is a line that is not drawn.
func nothing(columns int) []float64 {
	values := make([]float64, columns)
	for i := range values {
		values[i] = math.NaN()
	}
	return values
}

func (span frame) column(x float64, columns int) int {
	return int(math.Round((x - span.x0) / (span.x1 - span.x0) * float64(columns-1)))
}

// mark puts a mark on each point of the series.
func (s Series) mark(area [][]rune, span frame, columns int, mark rune) {
	left := strings.IndexAny(string(area[0]), "┤┼")
	left = utf8.RuneCountInString(string(area[0])[:left]) + 1
	for i, x := range s.X {
		row := rows - int(math.Round(span.row(s.Y[i])))
		column := left + span.column(x, columns)
		for len(area[row]) <= column {
			area[row] = append(area[row], ' ')
		}
		area[row][column] = mark
	}
}

func legend(series []Series) string {
	var text strings.Builder
	lines := 0
	stroke := func() string {
		lines++
		return strokes[(lines-1)%len(strokes)]
	}
	for _, s := range series {
		mark, has := marks[s.Kind]
		sign := string(mark)
		if !has {
			sign = stroke()
		}
		if s.Kind == Band { // it has two edges
			sign += " " + stroke()
		}
		if s.Name != "" {
			text.WriteString("   " + sign + " " + s.Name)
		}
	}
	return text.String()
}
