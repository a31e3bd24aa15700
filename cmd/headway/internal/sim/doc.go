// Package sim plays request times against models of rate limits, as the command
// simulate and the page do.
//
// A [Spec] says in plain values what limit to play; it is read from a flag, a
// URL or JSON, and checks itself. [Read] reads request times. A [Setup] joins
// both and the models of package simulate: every request goes to all models,
// side by side, and memory does not grow with the number of requests.
//
//	setup := sim.Setup{Models: []sim.Spec{{Bucket: 5 * sim.One, Refill: 1}}}
//	report, err := setup.Run(sim.Read(os.Stdin), func(s sim.Step) error { … })
//
// Nothing here may be shared between goroutines but values; errors are a
// [*SpecError], an [*EntryError] or what the reader returned.
package sim
