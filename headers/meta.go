package headers

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Meta publishes JSON: how much of each unpublished limit is used, in percent.

// readUsage reads {"call_count":28,"total_time":25,"total_cputime":25}.
func readUsage(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		var usage map[string]any
		if decode(line, &usage) {
			out = usagePolicies(out, "", usage)
		}
	}
	return out
}

// readBusinessUsage reads the same for each business and use case, with the
// minutes until it may go on.
func readBusinessUsage(out []Policy, in input) []Policy {
	for _, line := range in.lines {
		var byID map[string][]map[string]any
		if !decode(line, &byID) {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(byID)) {
			for _, usage := range byID[id] {
				out = businessPolicies(out, id, usage)
			}
		}
	}
	return out
}

func businessPolicies(out []Policy, id string, usage map[string]any) []Policy {
	before := len(out)
	prefix := ""
	if kind, _ := usage["type"].(string); kind != "" {
		prefix = kind + "/"
	}
	out = usagePolicies(out, prefix, usage)
	minutes := jsonNumber(usage["estimated_time_to_regain_access"])
	wait := number{whole: uint64(minutes.V)}.times(time.Minute)
	for i := before; i < len(out); i++ {
		out[i].PartitionKey = id
		if out[i].Remaining.V == 0 && wait > 0 && wait <= horizon {
			out[i].Reset = Some(wait)
		}
	}
	return out
}

// usagePolicies makes a policy of each percentage, in the order of their names.
func usagePolicies(out []Policy, prefix string, usage map[string]any) []Policy {
	for _, key := range slices.Sorted(maps.Keys(usage)) {
		known := key == "call_count" || strings.HasPrefix(key, "total_") || strings.HasSuffix(key, "_util_pct")
		name := prefix + key
		if n := jsonNumber(usage[key]); known && n.OK && printable(name) && len(out) < maxItems {
			out = append(out, share(name, n.V))
		}
	}
	return out
}

func decode(text string, into any) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into) == nil
}

func jsonNumber(v any) Opt[float64] {
	n, _ := v.(json.Number)
	return readCounter(n.String())
}

// jsonPairs reads an object of numbers and texts, in the order of its keys.
func jsonPairs(text string) []pair {
	var object map[string]any
	if !decode(text, &object) {
		return nil
	}
	var list []pair
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value, ok := object[key].(string)
		if n, isNumber := object[key].(json.Number); isNumber {
			value, ok = n.String(), true
		}
		if ok {
			list = append(list, pair{strings.ToLower(key), value})
		}
	}
	return list
}
