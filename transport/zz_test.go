package transport_test
import ("testing";"testing/synctest";"net/http";"time"
"github.com/headway-go/headway/throttle/throttletest")
func TestZZ(t *testing.T){
	for range 20 {
	synctest.Test(t, func(t *testing.T) {
		h, err := throttletest.NewHandler(throttletest.Config{Rate: 10, Burst: 10})
		if err != nil { t.Fatal(err) }
		h.Script(throttletest.Answer{Header: http.Header{"Retry-After": {"5"}}})
		base := newScript(direct{h}.RoundTrip)
		saturate(t, base, nil, 25*time.Second)
		for i,a:=range h.Arrivals() { if !a.Admitted { t.Logf("%d %v scripted %v wait %v", i, a.At.Sub(base.start), a.Scripted,a.Wait) } }
		t.Log(base.at[:25])
	})
	}
}
