package accesslog

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

var benchLines = map[Format]string{
	Common: `203.0.113.77 - - [10/Oct/2026:13:55:36 +0000] "GET /api/v1/users/81723/widgets?limit=50 HTTP/1.1" 200 2326 "https://example.com/dashboard" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36"`,
	JSON:   `{"time":"2026-10-10T13:55:36.123456789Z","key":"api.example.com","class":"GET /api/v1/users/{id}","cost":1,"wait_s":0.25,"status":200}`,
	CSV:    `2026-10-10T13:55:36.123Z,203.0.113.77,GET,/api/v1/users/81723/widgets,200,"Mozilla/5.0 (X11; Linux x86_64)"`,
	Plain:  `1700000000.123 203.0.113.77 GET /api/v1/users/81723/widgets`,
}

func BenchmarkReader(b *testing.B) {
	for format, line := range benchLines {
		b.Run(format.String(), func(b *testing.B) {
			log := strings.Repeat(line+"\n", 1000)
			if format == CSV {
				log = "time,client,method,path,status,agent\n" + log
			}
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader("", bytes.NewReader([]byte(log)), Options{})
				for err == nil {
					_, err = r.Next()
				}
				if !errors.Is(err, io.EOF) || r.Tally().Bad > 0 {
					b.Fatal(err, r.Tally())
				}
			}
		})
	}
}
