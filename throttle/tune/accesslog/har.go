package accesslog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxHAR is how much is read of a HAR file, which has the bodies in it.
const maxHAR = 256 << 20

// A harReader reads the entries of a HAR file one by one. A browser is one
// client, which has a limit with every host: so the host is the client. What came
// from its cache is no call.
type harReader struct {
	decoder *json.Decoder
	clock   clock
	n       int // the entry that was read last
}

func newHARReader(r io.Reader, o *Options) *harReader {
	return &harReader{decoder: json.NewDecoder(&cappedReader{r, maxHAR}), clock: o.clock()}
}

// A cappedReader ends with an error rather than go on for ever.
type cappedReader struct {
	r    io.Reader
	left int
}

var errTooLong = fmt.Errorf("a HAR file longer than %d MiB", maxHAR>>20)

func (c *cappedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= n; c.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

type harEntry struct {
	Started   string `json:"startedDateTime"`
	FromCache string `json:"_fromCache"` // of Chromium: which cache it was
	Request   struct {
		Method  string      `json:"method"`
		URL     string      `json:"url"`
		Headers []harHeader `json:"headers"`
	} `json:"request"`
	Response struct {
		Status int `json:"status"`
	} `json:"response"`
}

type harHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// next reads an entry. The error is io.EOF at the end.
func (h *harReader) next(e *Entry) (problem, error) {
	if h.n == 0 {
		if err := h.open(); err != nil {
			return "", err
		}
	}
	if !h.decoder.More() {
		return "", h.end()
	}
	h.n++
	var from harEntry
	if err := h.decoder.Decode(&from); err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return problem(fmt.Sprintf("entry %d: %s is a JSON %s", h.n, mismatch.Field, mismatch.Value)), nil
		}
		return "", fmt.Errorf("entry %d: %w", h.n, early(err))
	}
	bad := h.entry(&from, e)
	if bad != "" && bad != notAnEntry {
		bad = problem(fmt.Sprintf("entry %d: %s", h.n, bad))
	}
	return bad, nil
}

func (h *harReader) entry(from *harEntry, e *Entry) problem {
	if bad := h.clock.read([]byte(from.Started), e); bad != "" {
		return bad
	}
	scheme, _, found := strings.Cut(from.Request.URL, ":")
	if from.FromCache != "" || found && !slices.Contains(toServers, strings.ToLower(scheme)) {
		return notAnEntry
	}
	e.Method = []byte(from.Request.Method)
	e.setTarget([]byte(from.Request.URL))
	e.Client = e.Host
	e.Status = from.Response.Status
	for _, f := range from.Request.Headers {
		if strings.EqualFold(f.Name, "User-Agent") {
			e.Agent = []byte(f.Value)
		}
	}
	return ""
}

// toServers are the schemes of what a server is asked for: data, for instance, is
// not.
var toServers = []string{"http", "https", "ws", "wss"}

var errNoEntries = errors.New("a HAR file is an object with log.entries")

// open goes to the first element of log.entries.
func (h *harReader) open() error {
	for _, name := range []string{"log", "entries"} {
		if err := h.delim('{'); err != nil {
			return err
		}
		if err := h.member(name); err != nil {
			return err
		}
	}
	return h.delim('[')
}

func (h *harReader) delim(want json.Delim) error {
	token, err := h.decoder.Token()
	if err != nil {
		return early(err)
	}
	if token != want {
		return errNoEntries
	}
	return nil
}

// member goes to the value of a member of the object that is open.
func (h *harReader) member(name string) error {
	for h.decoder.More() {
		token, err := h.decoder.Token()
		if err != nil {
			return early(err)
		}
		if token == name {
			return nil
		}
		var skipped json.RawMessage
		if err := h.decoder.Decode(&skipped); err != nil {
			return early(err)
		}
	}
	return errNoEntries
}

// end reads the end of the array, behind which nothing matters.
func (h *harReader) end() error {
	if _, err := h.decoder.Token(); err != nil {
		return early(err)
	}
	return io.EOF
}

// early is for an end of the file that comes too early.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
