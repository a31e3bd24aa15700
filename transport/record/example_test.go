package record_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/headway-go/headway/transport/record"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "calls.jsonl")

	file, err := record.Open(path, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	file.Add(record.Line{
		Time: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Key: "api.example.com", Method: "GET",
		Cost: 1, Attempt: 1, Wait: 250 * time.Millisecond, Status: 200,
	})
	if err := file.Close(); err != nil {
		fmt.Println(err)
		return
	}

	text, _ := os.ReadFile(path)
	fmt.Print(string(text))
	// Output:
	// {"time":"2026-11-30T12:00:00Z","key":"api.example.com","class":"","method":"GET","cost":1,"attempt":1,"wait_s":0.25,"status":200}
}

func ExampleLines() {
	recording := strings.NewReader(`{"time":"2026-11-30T12:00:00Z","key":"a","cost":1,"wait_s":0.25,"status":200}
{"time":"2026-11-30T12:00:01Z","key":"a","cost":1,"wait_s":0,"refused":"limit","would_wait_s":90}
{"time":"2026-11-30T12:00:`)
	for line, err := range record.Lines(recording) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(line.Key, line.Time.Add(-line.Wait).Format(time.StampMilli), cmp.Or(line.Refused, "sent"))
	}
	// Output:
	// a Nov 30 11:59:59.750 sent
	// a Nov 30 12:00:01.000 limit
	// record: line 3: unexpected end of JSON input
}
