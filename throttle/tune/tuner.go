package tune

import (
	"cmp"
	"net/http"
	"time"

	"github.com/headway-go/headway/throttle/tune/accesslog"
)

// A Tuner measures calls, one by one, and says at the end which burst would fit
// them. It is one goroutine's.
type Tuner struct {
	options Options
	ladder  []int64
	routes  *routes
	agents  agents
	all     *class
	classes []*class // in the order in which they came up
	byName  map[string]*class
	clients map[string]*client
	held    window
	seen    seen
}

// seen is what is counted of all calls, also of those that are not measured.
type seen struct {
	refused  int64 // with 429
	nameless int64 // by nobody knows whom
	repeated int64 // by the client, because of the answer
	leftOut  int64 // of clients beyond those that are told apart
	vague    int64 // at a whole second
	missing  int64 // lines that could not be written
	from, to time.Time
}

// A client is what is kept of one.
type client struct {
	all     track
	classes []classTrack // few clients make calls of many classes
}

type classTrack struct {
	class *class
	track track
}

// New returns a Tuner. The error is that of [Options.Validate].
func New(o Options) (*Tuner, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	routes, err := newRoutes(o.Rules)
	if err != nil {
		return nil, err
	}
	t := &Tuner{
		options: o,
		ladder:  o.ladder(),
		routes:  routes,
		agents:  agents{},
		byName:  map[string]*class{},
		clients: map[string]*client{},
		held:    window{size: o.Held},
	}
	t.all = t.newClass(AllCalls)
	return t, nil
}

func (t *Tuner) newClass(name string) *class {
	rule := t.routes.rules[name]
	limit := cmp.Or(rule.Limit, t.options.Limit)
	return &class{
		name:    name,
		rule:    rule,
		limit:   limit,
		gap:     int64(t.options.Gap),
		replay:  newReplay(limit.Interval(), t.ladder),
		sizes:   sizes{},
		resumed: sizes{},
		loops:   sizes{},
	}
}

// Add counts a call. Calls need not be in order, as long as none comes later than
// Options.Held allows; those before 1970 count as late. It keeps nothing of the
// entry.
func (t *Tuner) Add(e *accesslog.Entry) {
	t.seen.missing += int64(e.Dropped)
	if e.Repeated {
		t.seen.repeated++ // it would not be there if the limit were right
		return
	}
	t.note(e)
	who := t.client(e)
	if who == nil {
		t.seen.leftOut++
		return
	}
	c := t.class(t.routes.name(e))
	kind := t.agents.kind(e.Agent)
	c.agents[kind]++
	t.all.agents[kind]++
	t.held.add(call{e.At.UnixNano(), max(e.Cost, 1), who, c}, t.measure)
}

func (t *Tuner) note(e *accesslog.Entry) {
	if e.Status == http.StatusTooManyRequests {
		t.seen.refused++
	}
	if e.Whole {
		t.seen.vague++
	}
	if t.seen.from.IsZero() || e.At.Before(t.seen.from) {
		t.seen.from = e.At
	}
	if e.At.After(t.seen.to) {
		t.seen.to = e.At
	}
}

// client returns who has made a call, nil if there are too many to tell apart.
func (t *Tuner) client(e *accesslog.Entry) *client {
	name := e.Client
	if t.options.ByUser && len(e.User) > 0 {
		name = e.User
	}
	if len(name) == 0 {
		t.seen.nameless++
	}
	c := t.clients[string(name)]
	if c == nil && len(t.clients) < t.options.MaxClients {
		c = &client{}
		t.clients[string(name)] = c
	}
	return c
}

func (t *Tuner) class(name string) *class {
	c := t.byName[name]
	if c != nil {
		return c
	}
	_, ruled := t.routes.rules[name]
	if len(t.classes) >= t.options.MaxClasses && !ruled {
		name = Other
		if c = t.byName[name]; c != nil {
			return c
		}
	}
	c = t.newClass(name)
	t.byName[name] = c
	t.classes = append(t.classes, c)
	return c
}

// measure takes the calls in order.
func (t *Tuner) measure(at call) {
	batch := at.class.rule.Type == Batch
	at.client.all.add(at.at, at.cost, batch, t.all)
	at.client.track(at.class).add(at.at, at.cost, batch, at.class)
}

// track returns what is kept of the calls of one class. What was called last is
// likely to be called next.
func (c *client) track(of *class) *track {
	for i := range c.classes {
		if c.classes[i].class == of {
			return &c.classes[i].track
		}
	}
	c.classes = append(c.classes, classTrack{class: of})
	return &c.classes[len(c.classes)-1].track
}
