package transport_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/throttle"
	"github.com/headway-go/headway/throttle/throttletest"
	"github.com/headway-go/headway/transport"
)

// google/go-containerregistry#2454, cloudevents/sdk-go#751,
// gophercloud/utils#151, bdd/runitor#181, mattn/go-mastodon#219: the second
// attempt has an empty body.
func TestSecondAttemptHasTheWholeBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sums [][32]byte
		take := func(status int) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.ContentLength != int64(len(body)) {
					t.Errorf("Content-Length %d, %d bytes came, %v", r.ContentLength, len(body), err)
				}
				sums = append(sums, sha256.Sum256(body))
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(status)
			}
		}
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1})
		srv.Script(take(429), take(200))
		payload := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		tr := &transport.Transport{Base: srv.Client().Transport}
		if status, _ := do(t, tr, post(t, srv.URL, string(payload))); status != 200 {
			t.Errorf("status %d", status)
		}
		if want := sha256.Sum256(payload); !slices.Equal(sums, [][32]byte{want, want}) {
			t.Errorf("%d bodies, of which not all are the payload", len(sums))
		}
	})
}

// A heapMeter reads whole bodies, refuses, and notes how large the heap was.
type heapMeter struct{ peak uint64 }

func (h *heapMeter) RoundTrip(req *http.Request) (*http.Response, error) {
	buf := make([]byte, 1<<20)
	var total int64
	for i := 0; ; i++ {
		n, err := io.ReadFull(req.Body, buf)
		total += int64(n)
		if i%16 == 0 {
			h.peak = max(h.peak, heap())
		}
		if err != nil {
			break
		}
	}
	_ = req.Body.Close()
	if total != 200<<20 {
		return nil, errors.New("not all of the body came")
	}
	return answer(429, "busy", "Retry-After", "1")(req)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// hashicorp/go-retryablehttp#145, reubenmiller/go-c8y-cli#344,
// curioswitch/pyqwest#217: an upload is held in memory for a retry that may
// never come.
func TestPipedUploadIsNotHeldInMemory(t *testing.T) {
	pr, pw := io.Pipe()
	go func() {
		chunk := make([]byte, 1<<20)
		for range 200 {
			_, _ = pw.Write(chunk)
		}
		_ = pw.Close()
	}()
	req := post(t, api, "")
	req.Body, req.GetBody, req.ContentLength = pr, nil, -1
	runtime.GC()
	before := heap()
	meter := &heapMeter{}
	status, body := do(t, &transport.Transport{Base: meter}, req)
	if status != 429 || body != "busy" {
		t.Errorf("%d %q, want the refusal as it came", status, body)
	}
	if meter.peak > before+8<<20 {
		t.Errorf("the heap grew by %d MiB for 200 MiB", (meter.peak-before)>>20)
	}
}

// openai/openai-go#495, duosecurity/duo_api_golang#37, gojek/heimdall#45,
// Azure/go-autorest#432: connections pile up behind refusals that nobody read.
func TestRefusalsCostNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1, Burst: 100, Dialect: throttletest.Nothing})
		tr := &transport.Transport{Base: srv.Client().Transport, MaxWait: -1}
		for range 100 {
			srv.Script(throttletest.Answer{Status: 429, Body: strings.Repeat("x", 2048)})
			if status, _ := do(t, tr, get(t, srv.URL)); status != 200 {
				t.Fatalf("status %d", status)
			}
		}
		if n, calls := srv.Connections(), len(srv.Arrivals()); n != 1 || calls != 200 {
			t.Errorf("%d connections for %d attempts", n, calls)
		}
	})
}

// hashicorp/go-retryablehttp#46, #156, sigstore/rekor#2796,
// elastic/beats#37160: the last response is lost behind "giving up".
func TestLastRefusalReachesTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = `{"error":"slow down"}`
		srv := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1})
		refusal := throttletest.Answer{Body: text, Header: http.Header{"Retry-After": {"2"}}}
		srv.Script(refusal, refusal, refusal)
		client := &http.Client{Transport: &transport.Transport{Base: srv.Client().Transport, MaxAttempts: 3}}
		resp, err := client.Do(get(t, srv.URL))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 429 || string(body) != text || resp.Header.Get("Retry-After") != "2" || len(srv.Arrivals()) != 3 {
			t.Errorf("%d %q %v, %v after %d attempts", resp.StatusCode, body, resp.Header, err, len(srv.Arrivals()))
		}
	})
}

// hashicorp/go-retryablehttp#85, #98, #237: giving up on one call closes the
// connections of all.
func TestGivingUpLeavesOtherConnectionsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 1})
		good := throttletest.NewMemoryServer(t, throttletest.Config{Rate: 100, Burst: 10})
		base := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasPrefix(addr, "bad") {
				return bad.DialContext(ctx, network, addr)
			}
			return good.DialContext(ctx, network, addr)
		}}
		defer base.CloseIdleConnections()
		tr := &transport.Transport{Base: base}
		do(t, tr, get(t, "http://good.test/"))
		for range 4 {
			bad.Script(throttletest.Answer{Status: 500})
		}
		if status, _ := do(t, tr, get(t, "http://bad.test/")); status != 500 {
			t.Errorf("status %d", status)
		}
		do(t, tr, get(t, "http://good.test/"))
		if n := good.Connections(); n != 1 {
			t.Errorf("%d connections to the other host, want 1", n)
		}
	})
}

// golang/oauth2#269, golang/go#48341, alexfalkowski/go-service#2571, #2584: the
// body of a call that is refused early is never closed.
func TestBodyIsClosedOnEveryRefusal(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for name, tt := range map[string]struct {
		ctx     func(context.Context) (context.Context, context.CancelFunc)
		queue   int
		pattern string
	}{
		"cancelled": {ctx: func(context.Context) (context.Context, context.CancelFunc) { return gone, cancel }},
		"deadline before the slot": {ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 500*time.Millisecond)
		}},
		"cancelled while it waits": {ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(100*time.Millisecond, cancel)
			return ctx, cancel
		}},
		"queue full": {ctx: context.WithCancel, queue: 1},
		"cost above the burst": {ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return throttle.WithCost(ctx, 2), func() {}
		}},
		"cost that makes no sense": {ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return throttle.WithCost(ctx, -1), func() {}
		}},
		"bad configuration": {ctx: context.WithCancel, pattern: "no-path"},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := newScript(answer(200, ""))
			tr := &transport.Transport{Base: base, MaxQueue: tt.queue, Limits: transport.Limits{"/": {{Rate: 1}}}}
			if tt.pattern != "" {
				tr.Limits = transport.Limits{tt.pattern: {{Rate: 1}}}
			}
			var wg sync.WaitGroup
			defer wg.Wait()
			crowd(&wg, 2, func(int) { _, _ = attempt(tr, get(t, api)) }) // one goes, one waits
			ctx, end := tt.ctx(t.Context())
			defer end()
			body := &tracked{Reader: strings.NewReader("x")}
			req := post(t, api, "").WithContext(ctx)
			req.Body = body
			if _, err := attempt(tr, req); err == nil || body.closed == 0 {
				t.Errorf("%s: error %v, body closed %d times", name, err, body.closed)
			}
		})
	}
}

// hashicorp/terraform#25341, spacemeshos/go-spacemesh#4647,
// googleapis/google-cloud-go#4714: no response is taken for one.
func TestBrokenConnectionIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newScript(fail(io.ErrUnexpectedEOF))
		resp, err := (&transport.Transport{Base: base, Backoff: still}).RoundTrip(get(t, api))
		if resp != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("RoundTrip = %v, %v", resp, err)
		}
		base.wantAt(t, seconds(0, 0.1, 0.3, 0.7)...)
	})
}

// golang/go#32441, #39086, ethereum/go-ethereum#24291,
// open-telemetry/opentelemetry-go#7794, gravitational/teleport#66605: HTTP/2
// cannot send a call again after GOAWAY, because the wrapper took GetBody away.
func TestCallSurvivesGoAway(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	var conns atomic.Int32
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go serveHTTP2(c, conns.Add(1) == 1)
		}
	}()
	base := &http.Transport{Protocols: new(http.Protocols)}
	base.Protocols.SetUnencryptedHTTP2(true)
	defer base.CloseIdleConnections()
	tr := &transport.Transport{Base: base, MaxAttempts: 1}
	if status, _ := do(t, tr, post(t, "http://"+ln.Addr().String(), strings.Repeat("x", 10_000))); status != 200 {
		t.Errorf("status %d", status)
	}
	if n := conns.Load(); n != 2 {
		t.Errorf("%d connections, want a second one after GOAWAY", n)
	}
}

// serveHTTP2 answers one call with 200, or tells the client to go away before
// anything of the call was looked at. See RFC 9113, 4.1, for the frames.
func serveHTTP2(c net.Conn, goAway bool) {
	defer c.Close()
	write := func(kind, flags byte, stream uint32, payload ...byte) {
		head := []byte{0, 0, byte(len(payload)), kind, flags}
		_, _ = c.Write(append(binary.BigEndian.AppendUint32(head, stream), payload...))
	}
	preface := make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	_, _ = io.ReadFull(c, preface)
	write(4, 0, 0) // SETTINGS
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		_, _ = io.CopyN(io.Discard, c, size)
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch {
		case kind == 4 && flags == 0:
			write(4, 1, 0) // SETTINGS acknowledged
		case kind == 1 && goAway: // HEADERS
			write(7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // GOAWAY, no stream was looked at
		case kind == 0 && flags&1 != 0 && !goAway: // the last DATA
			write(1, 5, stream, 0x88) // HEADERS, END_STREAM: ":status: 200"
		}
	}
}
