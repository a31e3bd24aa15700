package headers

import (
	"strings"
	"time"
)

// A role is what a field says about a limit.
type role uint8

const (
	noRole role = iota
	limit
	remaining
	used
	burst
	rate   // units that come back per window
	cost   // of this call
	window // the length of the window
	reset
	roles
)

var roleNames = [roles]string{"", "limit", "remaining", "used", "burst", "rate", "cost", "window", "reset"}

func (r role) String() string { return roleNames[r] }

// weight orders the roles when a name holds several: of equal ones the last is
// the noun that the others describe ("limit-window", "window-limit").
func (r role) weight() int {
	switch r {
	case cost:
		return 5
	case reset:
		return 4
	case remaining:
		return 3
	case burst, rate:
		return 2
	}
	return 1
}

// A sort is what a word does in the name of a field.
type sort uint8

const (
	unknown   sort = iota
	filler         // says nothing: per, this, time
	roleWord       // see role
	spanWord       // a unit of time: the window, or what a value counts
	unitWord       // what is counted
	adjective      // stands before a unit word, else names a partition
	partition      // whose limit it is
	delta          // the reset is counted from now
	instant        // the reset is a point in time
	retryWord
	nameWord // the value is a name
	denied   // the field is no counter
	unlikely // no counter unless the name says "rate limit"
)

// A word is an entry of the vocabulary.
type word struct {
	sort   sort
	role   role
	span   time.Duration
	plural bool   // of a unit of time: "seconds" measures, "second" is a window
	unit   string // of unitWord; empty for requests
}

// vocabulary knows the words that names of fields are made of.
var vocabulary = buildVocabulary()

func buildVocabulary() map[string]word {
	v := map[string]word{}
	add := func(w word, list string) {
		for text := range strings.FieldsSeq(list) {
			v[text] = w
		}
	}
	addRoles(add)
	addSpans(add)
	addUnits(add)
	add(word{sort: filler}, "rate per this by of the to value size amount each number num http renewal")
	add(word{sort: adjective}, `input output prompt completion cached cache uncached reasoning generated read write
		image audio video text compute embedding batch search`)
	add(word{sort: partition}, `token key user users app apps application client ip account accounts org organization
		organisation endpoint method route path api project workspace team tenant site shop store service
		anonymous authenticated auth member cross`)
	add(word{sort: delta}, "after in")
	add(word{sort: instant}, "at time timestamp date epoch unix utc on until")
	add(word{sort: retryWord}, "retry")
	add(word{sort: nameWord}, "resource bucket name")
	add(word{sort: denied}, `type types reason category policy policies source scope global problem near rule rules plan
		status link tier limited info content upload download state active multiplier exceeded reached enabled disabled
		message error errors code version id ids identifier url uri doc docs documentation action mode algorithm strategy
		warning warn applied delay help group class level region node debug violation violated details description
		addr address penalty blocked banned exempt bypass skip skipped unlimited start started begin`)
	add(word{sort: unlikely}, `page pages pagination paging offset cursor result results row rows record records
		item items file files storage disk memory body payload header headers length depth speed bandwidth timeout ttl
		trial cpu thread threads connection connections char character characters speedlimit age cookie cookies redirect
		redirects attempt attempts retries heap stack queue`)
	return v
}

func addRoles(add func(word, string)) {
	for r, list := range map[role]string{
		limit:     "limit limits max maximum quota total allowed allowance allotted ceiling capacity",
		remaining: "remaining remain remains left available",
		used:      "used usage observed consumed spent count current",
		burst:     "burst bursts",
		rate:      "replenish fill refill leak restore drain",
		cost:      "cost costs increment requested currentrequest",
		window:    "interval window duration period",
		reset:     "reset resets resetting next end ends expires expire expiry refresh renew renews renewed",
	} {
		add(word{sort: roleWord, role: r}, list)
	}
}

func addSpans(add func(word, string)) {
	const month, year = 30 * day, 365 * day
	for span, list := range map[time.Duration][2]string{
		time.Millisecond: {"", "ms millisecond milliseconds millis msec msecs"},
		time.Second:      {"second secondly", "seconds sec secs"},
		time.Minute:      {"minute minutely min", "minutes mins"},
		time.Hour:        {"hour hourly", "hours hrs hr"},
		day:              {"day daily today", "days"},
		7 * day:          {"week weekly", "weeks"},
		month:            {"month monthly", "months"},
		year:             {"year yearly annual annually", "years"},
	} {
		add(word{sort: spanWord, span: span}, list[0])
		add(word{sort: spanWord, span: span, plural: true}, list[1])
	}
}

func addUnits(add func(word, string)) {
	add(word{sort: unitWord}, "request requests req reqs call calls query queries hit hits")
	for unit := range strings.FieldsSeq(`tokens units points credits bytes images complexity weight kilobytes megabytes
		messages emails events documents sms neurons chars lookups searches transactions`) {
		add(word{sort: unitWord, unit: unit}, unit)
	}
	add(word{sort: unitWord, unit: "credits"}, "credit")
	add(word{sort: unitWord, unit: "points"}, "point")
	add(word{sort: unitWord, unit: "percent"}, "percent percentage pct")
	add(word{sort: unitWord, unit: "concurrency"}, "concurrent concurrency concurrently parallel inflight simultaneous")
}

// shorthands stand for a unit and a window.
var shorthands = map[string][]string{
	"rps": {"requests", "second"}, "rpm": {"requests", "minute"}, "rph": {"requests", "hour"}, "rpd": {"requests", "day"},
	"qps": {"requests", "second"}, "qpm": {"requests", "minute"}, "qpd": {"requests", "day"},
	"tps": {"tokens", "second"}, "tpm": {"tokens", "minute"}, "tph": {"tokens", "hour"}, "tpd": {"tokens", "day"},
}
