package tune

import "bytes"

// An agentKind is what a client says that it is, in its User-Agent.
type agentKind uint8

const (
	noAgent agentKind = iota
	browserAgent
	appAgent
	programAgent
	numAgents
)

// Words of the User-Agent, in lower case. A crawler that says that it is a browser
// as well is a program.
var (
	programWords = words("bot", "crawler", "spider", "curl/", "wget/", "python", "aiohttp", "httpx", "go-http-client", "java/", "apache-httpclient",
		"axios", "node-fetch", "undici", "libwww", "ruby", "faraday", "guzzle", "postman", "insomnia", "httpie", "grpc", "prometheus", "monitor")
	appWords     = words("okhttp", "cfnetwork", "dalvik", "dart/", "expo", "alamofire", "reactnative", "cronet")
	browserWords = words("mozilla/", "opera/")
)

func words(list ...string) (words [][]byte) {
	for _, word := range list {
		words = append(words, []byte(word))
	}
	return words
}

// agents remember what was said before, until there is too much of it.
type agents map[string]agentKind

func (a agents) kind(agent []byte) agentKind {
	if len(agent) == 0 {
		return noAgent
	}
	if kind, ok := a[string(agent)]; ok {
		return kind
	}
	kind := kindOf(bytes.ToLower(agent))
	if len(agent) <= maxKnownKey {
		if len(a) == maxKnown {
			clear(a)
		}
		a[string(agent)] = kind
	}
	return kind
}

func kindOf(agent []byte) agentKind {
	for _, of := range []struct {
		kind  agentKind
		words [][]byte
	}{{programAgent, programWords}, {appAgent, appWords}, {browserAgent, browserWords}} {
		for _, word := range of.words {
			if bytes.Contains(agent, word) {
				return of.kind
			}
		}
	}
	return noAgent
}
