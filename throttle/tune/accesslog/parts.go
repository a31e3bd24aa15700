package accesslog

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usual are the names in common use for the parts of an entry, in lower case,
// the likeliest first. A dot leads into an object.
var usual = map[Part][]string{
	Time: {
		"time", "timestamp", "@timestamp", "ts", "msec", "time_iso8601", "time_local", "datetime", "date_time",
		"start_time", "starttime", "startutc", "startlocal", "starteddatetime", "date", "at", "t",
	},
	Client: {
		"key", "client", "client_ip", "clientip", "client_addr", "clientaddr", "remote_addr", "remoteaddr", "remote_ip",
		"remoteip", "remote_host", "clienthost", "ip", "c_ip", "c-ip", "identity", "id", "request.client_ip", "request.remote_ip",
		"request.remote_addr", "httprequest.remoteip", "client.ip", "source.ip", "source.address",
	},
	User: {
		"user", "user_id", "userid", "username", "remote_user", "clientusername", "account", "cs-username", "user.id", "user.name",
	},
	Host:   {"host", "http_host", "vhost", "server_name", "requesthost", "request.host"},
	Method: {"method", "request_method", "requestmethod", "verb", "http_method", "cs-method", "request.method", "httprequest.requestmethod", "http.request.method"},
	Path: {
		"path", "uri", "url", "request_uri", "request_path", "requestpath", "request_url", "cs-uri-stem", "request.uri", "request.path",
		"request.url", "httprequest.requesturl", "url.path", "url.original",
	},
	Request: {"request", "request_line"},
	Class:   {"class", "route"},
	Agent: {
		"user_agent", "useragent", "http_user_agent", "agent", "cs(user-agent)", "request.headers.user-agent", "request.user_agent",
		"httprequest.useragent", "user_agent.original",
	},
	Status: {"status", "status_code", "statuscode", "code", "response_code", "downstreamstatus", "sc-status", "response.status", "httprequest.status", "http.response.status_code"},
	Cost:   {"cost"},
	// As a Transport records them.
	Wait:    {"wait_s"},
	Attempt: {"attempt"},
	Dropped: {"dropped"},
}

// A part of an entry as a number, for arrays.
const (
	partTime = iota
	partClient
	partUser
	partHost
	partMethod
	partPath
	partRequest
	partClass
	partAgent
	partStatus
	partCost
	partWait
	partAttempt
	partDropped
	numParts
)

// names returns the names that a part may have in this log, in lower case.
func (o *Options) names(part Part) []string {
	if name, ok := o.Fields[part]; ok {
		return []string{strings.ToLower(name)}
	}
	return usual[part]
}

// A found value is one that a log has for a part, and how good the name was
// under which it stood: 0 is best.
type found struct {
	value []byte
	rank  int
	ok    bool
}

// The values found in one line.
type parts [numParts]found

// offer takes a value if there is none that stood under a better name.
func (p *parts) offer(part, rank int, value []byte) {
	if f := &p[part]; !f.ok || rank <= f.rank {
		*f = found{value, rank, true}
	}
}

// entry makes an entry of what was found.
func (p *parts) entry(c clock, e *Entry) problem {
	if !p[partTime].ok {
		return "no field with the time"
	}
	if bad := c.read(p[partTime].value, e); bad != "" {
		return bad
	}
	e.Client, e.User, e.Host = p.text(partClient), p.text(partUser), p.text(partHost)
	if !p[partWait].ok {
		e.Client = withoutPort(e.Client) // else it is a Transport's key of a server
	}
	e.Class, e.Agent = p.text(partClass), p.text(partAgent)
	e.setRequest(p[partRequest].value)
	if p[partMethod].ok {
		e.Method = p.text(partMethod)
	}
	if p[partPath].ok {
		e.setTarget(p.text(partPath))
	}
	if bad := p.holdBack(e); bad != "" {
		return bad
	}
	e.Status, _ = digits(p.short(partStatus, 3))
	if p[partCost].ok {
		cost, err := strconv.ParseInt(string(bytes.TrimSpace(p[partCost].value)), 10, 64)
		if err != nil || cost < 1 || cost > math.MaxInt32 {
			return "a cost that is no whole number from 1 to 2147483647"
		}
		e.Cost = cost
	}
	return ""
}

// holdBack goes back to when a client wanted to make the call. Without a wait,
// what is called an attempt, or dropped, is anything.
func (p *parts) holdBack(e *Entry) problem {
	if !p[partWait].ok {
		return ""
	}
	wait, err := strconv.ParseFloat(string(p[partWait].value), 64)
	if err != nil || !(wait >= 0 && wait < 1e9) {
		return "a wait that is no number of seconds"
	}
	e.At = e.At.Add(-time.Duration(wait * float64(time.Second)))
	e.Whole = false // it has been measured, and was whole by chance
	if e.At.Unix() < 0 {
		return farInstant
	}
	attempt, _ := digits(p.short(partAttempt, 9))
	e.Repeated = attempt > 1
	e.Dropped, _ = digits(p.short(partDropped, 9))
	return ""
}

func (p *parts) text(part int) []byte { return known(p[part].value) }

// short is what was found, cut after n bytes.
func (p *parts) short(part, n int) []byte { return p[part].value[:min(len(p[part].value), n)] }

// known is empty where a log says that there is nothing.
func known(value []byte) []byte {
	if string(value) == "-" {
		return nil
	}
	return value
}

// indexOf returns the parts that stand under a name, with their ranks.
func (o *Options) indexOf(name string) (indexes []partIndex) {
	for i, part := range allParts {
		if rank := slices.Index(o.names(part), name); rank >= 0 {
			indexes = append(indexes, partIndex{i, rank})
		}
	}
	return indexes
}

// A partIndex is a part that stands under some name.
type partIndex struct{ part, rank int }

// missing says under which name the time is not.
func (o *Options) missing(names []string) problem {
	among := strings.Join(names, ", ")
	if len(among) > 80 {
		among = strings.ToValidUTF8(among[:80], "") + "…"
	}
	if name, ok := o.Fields[Time]; ok {
		return problem(fmt.Sprintf("no column %q among %s", name, among))
	}
	return problem("no column with the time among " + among)
}
